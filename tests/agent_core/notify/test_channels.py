"""What a setting of channels may say, and what of it is never shown."""

import pytest

from agent_core.notify.channels import parse_channels, secrets_of
from agent_core.notify.model import Carried, Discord, Mail, Telegram, Webhook

HOOK = "https://discord.com/api/webhooks/1234567890/aB3dE5fG7hJ9kL1mN3pQ5"


def test_each_kind_is_known_by_its_address() -> None:
    text = (
        f"team={HOOK} me=telegram:42 topic=telegram:-1007/3 "
        "mail=smtp://ann%40a.org:p%2Fw@mail.a.org?from=bot@a.org&to=ann@a.org,bo@a.org "
        "safe=smtps://mail.a.org?from=bot@a.org&to=ann@a.org "
        "here=smtp://localhost:2525?from=bot@a.org&to=ann@a.org&tls=off "
        "hook=https://u:secret@a.org:8443/in phone=apprise:ntfy://ntfy.sh/topic"
    )
    found = {channel.name: channel for channel in parse_channels(text)}
    assert found["team"].target == Discord(url=HOOK)
    assert found["me"].target == Telegram(chat="42")
    assert found["topic"].target == Telegram(chat="-1007", thread="3")
    mail = found["mail"].target
    assert isinstance(mail, Mail)
    assert (mail.host, mail.port, mail.security) == ("mail.a.org", 587, "starttls")
    assert (mail.user, mail.password, mail.recipients) == ("ann@a.org", "p/w", ("ann@a.org", "bo@a.org"))
    safe, here = found["safe"].target, found["here"].target
    assert isinstance(safe, Mail)
    assert isinstance(here, Mail)
    assert (safe.port, safe.security) == (465, "tls")
    assert (here.port, here.security) == (2525, "none")
    assert found["hook"].target == Webhook(url="https://a.org:8443/in", login="u:secret")
    assert found["phone"].target == Carried(url="ntfy://ntfy.sh/topic")


def test_site_is_scheme_and_host_alone() -> None:
    """Case A51: what may be shown of an address holds nothing of its path, query or login."""
    text = (
        f"team={HOOK} hook=https://u:secret@a.org:8443/in?k=v mail=smtps://u:p@m.org?from=a@m.org&to=b@m.org"
    )
    assert [channel.site for channel in parse_channels(text)] == [
        "https://discord.com",
        "https://a.org:8443",
        "smtps://m.org",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("team", "NAME=ADDRESS"),
        (f"a b={HOOK}", "NAME=ADDRESS"),
        (f"team={HOOK} team={HOOK}", "two channels of the name team"),
        ("x=ftp://a.org/1", "NAME=ADDRESS"),
        ("x=telegram:ann", "telegram:ID"),
        ("x=smtp://a.org", "no sender or recipient"),
        ("x=smtp://u:p@a.org?from=a@b.c&to=d@e.f&tls=off", "in the open"),
        ("x=apprise:nothing", "no address of apprise"),
        ("x=apprise:ntfy://a/b?redirect=yes", "redirect"),
        ("x=https://[::1/hook", "can't be read"),
        ("x=https:///hook", "without host"),
    ],
)
def test_unusable_setting_is_refused_without_its_secrets(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_channels(text)
    assert said in str(caught.value)
    assert "aB3dE5fG7hJ9kL1mN3pQ5" not in str(caught.value)


def test_secrets_are_found_wherever_an_address_holds_them() -> None:
    """Case A51: a token in the path, in the query and as the login."""
    text = (
        f"team={HOOK} hook=https://long-user-name:Pa55%2Fword-long@a.org/in?key=k3y-91ab-77cd "
        "phone=apprise:pover://u5erkey12345@t0ken9876543/device"
    )
    found = secrets_of(text)
    for secret in (
        HOOK,
        "aB3dE5fG7hJ9kL1mN3pQ5",
        "Pa55/word-long",
        "Pa55%2Fword-long",
        "k3y-91ab-77cd",
        "u5erkey12345",
        "t0ken9876543",
    ):
        assert secret in found
    assert not {"discord.com", "webhooks", "a.org", "phone", "team"} & set(found)
