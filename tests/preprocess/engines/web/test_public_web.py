"""Only public addresses are connected to, whatever they are written as."""

from __future__ import annotations

import socket

import httpx
import pytest

from longtake.errors import EngineError
from longtake.preprocess.engines.web.public_web import PublicTransport, is_public

PRIVATE = """
127.0.0.1 127.8.9.10 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 169.254.169.254 169.254.0.1
192.0.2.1 198.18.0.1 203.0.113.5 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
:: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 fec0::1 ff02::1 2001:db8::1
::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 2002:7f00:1:: 2002:c0a8:101:: 64:ff9b::7f00:1 64:ff9b::a00:1
2001:0:1::f5ff:fffe fd00:ec2::254
::127.0.0.1 ::8.8.8.8 ::ffff:0:7f00:1 64:ff9b:1::7f00:1 64:ff9b:1::808:808 5f00::1 100::1 4000::1
""".split()
PUBLIC = """
1.1.1.1 8.8.8.8 172.32.0.1 100.128.0.1 2606:4700:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
""".split()
# What a system may read as an address of this machine, or of the place where clouds keep secrets.
SPELLINGS = """
127.0.0.1 localhost 127.1 2130706433 0x7f000001 0177.0.0.1 0x7f.0.0.1 [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] 0
169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 [fe80::1] [fd00:ec2::254] [64:ff9b::a9fe:a9fe]
[::127.0.0.1] [::ffff:0:7f00:1]
10.0.0.1 192.168.0.1 172.16.0.1
""".split()


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_reported(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_reported(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("host", SPELLINGS)
def test_no_spelling_of_a_private_address_is_connected_to(host: str) -> None:
    transport = PublicTransport(httpx.URL("http://search.example"), offline=False)
    # httpx itself refuses four octal numbers.
    refused = "isn't a public address|Invalid IPv4 address"
    with httpx.Client(transport=transport) as client, pytest.raises((EngineError, httpx.InvalidURL), match=refused):
        client.get(f"http://{host}:9/")


@pytest.mark.parametrize("host", [host for host in SPELLINGS if host.startswith("[")])
def test_an_address_is_printed_unchanged_where_the_system_knows_no_ipv6(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved(monkeypatch=monkeypatch)
    transport = PublicTransport(httpx.URL("http://search.example"), offline=False)
    with httpx.Client(transport=transport) as client, pytest.raises(EngineError, match="isn't a public address"):
        client.get(f"http://{host}:9/")


def test_a_name_without_an_address_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved(monkeypatch=monkeypatch)
    transport = PublicTransport(httpx.URL("http://search.example"), offline=False)
    with httpx.Client(transport=transport) as client, pytest.raises(httpx.ConnectError, match="no address is known"):
        client.get("http://nowhere.example/")


def test_a_name_with_one_private_address_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved("1.1.1.1", "10.0.0.7", monkeypatch=monkeypatch)
    transport = PublicTransport(httpx.URL("http://search.example"), offline=False)
    with httpx.Client(transport=transport) as client, pytest.raises(EngineError, match=r"10\.0\.0\.7"):
        client.get("http://two-faced.example/")


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is looked up again could lead elsewhere by then."""
    looked_up = resolved("1.1.1.1", monkeypatch=monkeypatch)
    went_to: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], *args: object, **named: object) -> socket.socket:
        went_to.append(address)
        raise ConnectionRefusedError("tests reach loopback only")

    monkeypatch.setattr(socket, "create_connection", connect)
    transport = PublicTransport(httpx.URL("http://search.example"), offline=False)
    with httpx.Client(transport=transport) as client, pytest.raises(httpx.ConnectError):
        client.get("http://rebinding.example/")
    assert went_to == [("1.1.1.1", 80)]
    assert looked_up == ["rebinding.example"]


def resolved(*addresses: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let every name have these addresses; the names that are asked for are added to what is returned."""
    asked: list[str] = []

    def look_up(host: str, port: int, *args: object, **named: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 80)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked
