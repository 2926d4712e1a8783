"""What counts as an address of the open internet."""

from ipaddress import IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.outbound.address import PrivateHosts, is_public

INSIDE = [
    "0.0.0.0",  # noqa: S104  nothing is bound to it
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1",
    "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1",
    "2001:db8::1", "2606:4700::5efe:7f00:1",
]  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
def test_inside_addresses_are_not_public_in_any_form(address: str) -> None:
    """A43."""
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "2606:4700::1111", "::ffff:93.184.216.34", "64:ff9b::5db8:d822", "2002:5db8:d822::1"],
)
def test_addresses_of_the_open_internet_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_never_changes_the_decision(address: object) -> None:
    """A43."""
    number = int(ip_address(str(address)))
    decided = is_public(ip_address(str(address)))
    for wrapped in (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80):
        assert is_public(IPv6Address(wrapped)) == decided


def test_a_private_host_is_allowed_by_name_or_by_name_and_port() -> None:
    hosts = PrivateHosts(["Search.lan", "git.lan:3000", "[::1]:8080", "::1"])
    allowed = {
        (host, port)
        for host in ("search.lan", "search.lan.", "git.lan", "::1", "other.lan", "lan")
        for port in (80, 3000)
        if hosts.allow(host, port)
    }
    assert allowed == {
        ("search.lan", 80), ("search.lan", 3000), ("search.lan.", 80), ("search.lan.", 3000),
        ("git.lan", 3000), ("::1", 80), ("::1", 3000),
    }  # fmt: skip
