"""The guarded client, against a site over real sockets."""

import asyncio
import ssl
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.errors import LoreKeeperError, OutboundFailure, OutboundRefusal
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, Reply, open_outbound
from agent_core.outbound.target import enters, target
from tests.agent_core.outbound.places import OWN, Names
from tests.emulators import site as emulator
from tests.emulators.site import Site, open_site

DEADLINE_S = 5.0  # within which a machine that is busy connects, sends, and is sent a byte
CERTIFICATE = Path(emulator.__file__).with_name("site.pem")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with open_site() as served:
        yield served


@pytest.fixture
async def outbound() -> AsyncIterator[Outbound]:
    async with open_outbound(OWN, resolver=Names()) as client:
        yield client


def at(site: Site, path: str, host: str = "site.test") -> str:
    return f"http://{host}:{site.port}{path}"


async def test_an_answer_has_status_headers_body_and_its_address(site: Site, outbound: Outbound) -> None:
    site.page("/a", "grün", headers={"X-One": "1"})
    reply = await outbound.request("GET", at(site, "/a#part"))
    assert (reply.status, reply.body.decode(), reply.cut) == (200, "grün", False)
    assert reply.headers["x-one"] == "1"
    assert reply.url == at(site, "/a")
    assert site.requests[0].headers["host"] == f"site.test:{site.port}"
    assert "cookie" not in site.requests[0].headers


async def test_content_and_headers_of_a_post_arrive(site: Site, outbound: Outbound) -> None:
    site.page("/hook", "", status=204)
    headers = {"content-type": "application/json", "x-delivery": "7"}
    reply = await outbound.request("POST", at(site, "/hook"), headers=headers, content=b'{"a":1}')
    assert reply.status == 204
    assert (site.requests[0].method, site.requests[0].body) == ("POST", b'{"a":1}')
    assert site.requests[0].headers["x-delivery"] == "7"


A43 = [
    "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/", "http://2130706433/", "http://0x7f.1/", "http://127.1/",
    "http://017700000001/", "http://0.0.0.0/", "http://100.64.0.1/", "http://[fe80::1%25lo]/",
    "http://localhost./", "http://localhost/", "http://ok.example@127.0.0.1/", "http://[::1]:5432/",
    "http://169.254.169.254/latest/meta-data/",
]  # fmt: skip


@pytest.mark.parametrize("url", A43)
async def test_inside_addresses_are_refused_however_they_are_written(url: str) -> None:
    """A43, A52: with the resolver of the machine."""
    async with open_outbound() as client:
        with pytest.raises(OutboundRefusal):
            await client.request("GET", url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://site.test/", "scheme"), ("file:///etc/passwd", "scheme"), ("site.test", "scheme"),
        ("http:///x", "url"), ("http://[::1", "url"), ("http://site.test:99999/", "url"),
        ("http://u:p@site.test/", "userinfo"), ("http://public.test:22/", "port"),
        ("http://public.test:6379/", "port"), ("http://" + "a" * 9_000, "url"),
    ],
)  # fmt: skip
async def test_addresses_that_are_no_web_address_are_refused(
    url: str, reason: str, outbound: Outbound
) -> None:
    with pytest.raises(OutboundRefusal) as caught:
        await outbound.request("GET", url)
    assert caught.value.facts["reason"] == reason


@pytest.mark.parametrize(
    "answer", [("127.0.0.1",), ("93.184.216.34", "127.0.0.1"), ("93.184.216.34", "fe80::1%eth0"), ("x",)]
)
async def test_one_private_address_among_several_refuses(answer: tuple[str, ...]) -> None:
    """A44."""
    async with open_outbound(resolver=Names({"public.test": [answer]})) as client:
        with pytest.raises(OutboundRefusal) as caught:
            await client.request("GET", "https://public.test/")
    assert caught.value.facts["reason"] == "address"


async def test_a_name_that_does_not_resolve_is_a_failure_where_nothing_was_sent() -> None:
    """A44."""
    async with open_outbound(resolver=Names({"gone.test": [()]})) as client:
        with pytest.raises(OutboundFailure) as caught:
            await client.request("GET", "https://gone.test/secret")
    assert (caught.value.facts["reason"], caught.value.sent) == ("resolve", False)


async def test_the_connection_goes_to_the_address_that_was_checked(site: Site) -> None:
    """A44: what the name resolves to a moment later plays no part."""
    names = Names({"site.test": [("127.0.0.1",), ("192.0.2.1",)]})
    async with open_outbound(OWN, resolver=names) as client:
        site.page("/a", "here")
        reply = await client.request("GET", at(site, "/a"))
    assert (reply.body, names.asked) == (b"here", ["site.test"])


async def test_each_redirect_is_resolved_and_checked_anew(site: Site) -> None:
    """A44."""
    names = Names({"site.test": [("127.0.0.1",)], "inside.test": [("127.0.0.1",)]})
    async with open_outbound(OWN, resolver=names) as client:
        site.redirect("/a", at(site, "/b", "inside.test"))
        with pytest.raises(OutboundRefusal) as caught:
            await client.request("GET", at(site, "/a"), follow=5)
    assert caught.value.facts["site"] == f"http://inside.test:{site.port}"
    assert site.asked() == ["/a"]


async def test_the_next_address_is_tried_where_one_cannot_be_reached(site: Site) -> None:
    async with open_outbound(OWN, resolver=Names({"site.test": [("127.0.0.3", "127.0.0.1")]})) as client:
        site.page("/a", "here")
        assert (await client.request("GET", at(site, "/a"))).body == b"here"


async def test_tls_proves_the_name_and_not_the_address() -> None:
    """A44."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(CERTIFICATE)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.load_verify_locations(CERTIFICATE)
    async with open_site(serving) as site, open_outbound(OWN, resolver=Names(), tls=trusting) as client:
        site.page("/a", "sealed")
        assert (await client.request("GET", f"https://site.test:{site.port}/a")).body == b"sealed"
        with pytest.raises(OutboundFailure) as caught:
            await client.request("GET", f"https://other.test:{site.port}/a")
        assert (caught.value.facts["reason"], caught.value.sent) == ("tls", False)


async def test_a_redirect_out_of_tls_is_refused() -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(CERTIFICATE)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.load_verify_locations(CERTIFICATE)
    async with open_site(serving) as site, open_outbound(OWN, resolver=Names(), tls=trusting) as client:
        site.redirect("/a", "http://site.test/b")
        with pytest.raises(OutboundRefusal) as caught:
            await client.request("GET", f"https://site.test:{site.port}/a", follow=5)
    assert caught.value.facts["reason"] == "downgrade"


async def test_redirects_are_followed_as_far_as_asked(site: Site, outbound: Outbound) -> None:
    site.redirect("/1", "/2")
    site.redirect("/2", "/3", 307)
    site.page("/3", "end")
    assert (await outbound.request("GET", at(site, "/1"), follow=2)).url == at(site, "/3")
    stopped = await outbound.request("GET", at(site, "/1"), follow=1)
    assert (stopped.status, stopped.headers["location"]) == (307, "/3")


def test_a_redirect_from_outside_never_enters_an_own_host() -> None:
    """A52: what is allowed for its own sake is no way in for others."""
    own = PrivateHosts(["git.lan:3000"])
    public, inside = target("https://public.example/"), target("http://git.lan:3000/x")
    assert enters(own, public, inside)
    assert not enters(own, inside, inside)
    assert not enters(own, public, target("https://git.lan/"))


async def test_credentials_and_content_stay_with_their_origin(site: Site, outbound: Outbound) -> None:
    headers = {"authorization": "Bearer x", "private-token": "y", "accept": "text/plain"}
    site.redirect("/a", at(site, "/b", "other.test"))
    site.page("/b", "there")
    await outbound.request("GET", at(site, "/a"), headers=headers, follow=1)
    assert "authorization" in site.requests[0].headers
    assert not {"authorization", "private-token"} & set(site.requests[1].headers)
    assert site.requests[1].headers["accept"] == "text/plain"
    site.redirect("/post", at(site, "/b", "other.test"), 307)
    with pytest.raises(OutboundRefusal) as caught:
        await outbound.request("POST", at(site, "/post"), content=b"secret", follow=1)
    assert caught.value.facts["reason"] == "carried"


async def test_a_post_that_is_sent_elsewhere_becomes_a_get(site: Site, outbound: Outbound) -> None:
    site.redirect("/a", "/b", 303)
    site.page("/b", "seen")
    await outbound.request("POST", at(site, "/a"), content=b"x", follow=1)
    assert [(one.method, one.body) for one in site.requests] == [("POST", b"x"), ("GET", b"")]


@pytest.mark.parametrize("path", ["/bomb", "/deflate-bomb"])
async def test_a_bomb_is_cut_at_its_unpacked_size_in_little_memory(
    path: str, site: Site, outbound: Outbound
) -> None:
    """A45: 50 MB packed into 48 KB."""
    await outbound.request("GET", at(site, path), max_bytes=1)  # packs it
    tracemalloc.start()
    try:
        reply = await outbound.request("GET", at(site, path), max_bytes=1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(reply.body), reply.cut) == (1_000_000, True)
    assert peak < 4_000_000


async def test_what_never_ends_is_cut_at_its_size(site: Site, outbound: Outbound) -> None:
    """A45."""
    reply = await outbound.request("GET", at(site, "/endless"), max_bytes=100_000)
    assert (len(reply.body), reply.cut) == (100_000, True)


@pytest.mark.slow
async def test_the_deadline_ends_what_drips_and_what_stays_silent(site: Site, outbound: Outbound) -> None:
    """A45, A54: a byte arrives all the time, so no timeout between two would end it; a post may be done."""
    site.page("/a", "")
    await outbound.request("GET", at(site, "/a"))  # the first request loads the authorities
    drip = outbound.request("GET", at(site, "/drip"), deadline_s=DEADLINE_S)
    silent = outbound.request("POST", at(site, "/silent?token=s3"), content=b"x", deadline_s=DEADLINE_S)
    dripped, failure = await asyncio.gather(drip, silent, return_exceptions=True)
    assert {request.path for request in site.requests[1:]} == {"/drip", "/silent"}
    assert isinstance(dripped, Reply)
    assert (dripped.cut, set(dripped.body)) == (True, {ord("x")})
    assert isinstance(failure, OutboundFailure)
    assert (failure.facts["reason"], failure.sent) == ("timeout", True)


async def test_a_lying_length_never_misleads(site: Site, outbound: Outbound) -> None:
    """A45."""
    short = await outbound.request("GET", at(site, "/short"))
    long = await outbound.request("GET", at(site, "/long"))
    assert (short.body, short.cut) == (b"beginning", True)
    assert (long.body, long.cut) == (b"beginning", False)


@pytest.mark.parametrize(("path", "reason"), [("/drop", "dropped"), ("/brotli", "encoding")])
async def test_answers_that_are_none_are_failures(
    path: str, reason: str, site: Site, outbound: Outbound
) -> None:
    with pytest.raises(OutboundFailure) as caught:
        await outbound.request("GET", at(site, path))
    assert caught.value.facts["reason"] == reason


async def test_nobody_listening_is_a_failure_where_nothing_was_sent(outbound: Outbound) -> None:
    with pytest.raises(OutboundFailure) as caught:
        await outbound.request("POST", "http://site.test:9/x", content=b"x")
    assert (caught.value.facts["reason"], caught.value.sent) == ("connect", False)


@pytest.mark.parametrize(
    "url",
    [
        "http://inside.test/hooks/T0KEN?key=T0KEN", "http://T0KEN@site.test/", "http://site.test:9/T0KEN",
        "http://[T0KEN", "T0KEN://x", "http://gone.test/T0KEN", "http://site.test:99999/T0KEN",
    ],
)  # fmt: skip
async def test_errors_name_scheme_and_host_only(url: str) -> None:
    """A51: a webhook's address is itself the credential."""
    names = Names({"gone.test": [()]})
    async with open_outbound(OWN, resolver=names) as client:
        with pytest.raises(LoreKeeperError) as caught:
            await client.request("GET", url, headers={"authorization": "T0KEN"})
    error: BaseException | None = caught.value
    while error is not None:
        assert "T0KEN" not in repr(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


async def test_proxies_and_credentials_of_the_environment_are_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine site.test login u password p\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.page("/a", "direct", headers={"set-cookie": "a=1"})
    async with open_outbound(OWN, resolver=Names()) as client:
        assert (await client.request("GET", at(site, "/a"))).body == b"direct"
        await client.request("GET", at(site, "/a"))
    assert not {"authorization", "cookie"} & set(site.requests[1].headers)
