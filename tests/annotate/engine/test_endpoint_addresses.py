"""What may be a model's address, however it is written."""

import socket
from ipaddress import ip_address
from typing import Any

import pytest

from annotate.engine import addresses as endpoints_addresses
from annotate.engine.addresses import is_never, read_address, refuse_never
from annotate.errors import Refused


@pytest.mark.parametrize(
    ("text", "shown", "origin"),
    [
        ("https://models.example.org/v1", "https://models.example.org/v1", "https://models.example.org:443"),
        (" https://Models.Example.ORG:443/v1/ ", "https://models.example.org/v1", "https://models.example.org:443"),
        ("http://127.0.0.1:8001/v1", "http://127.0.0.1:8001/v1", "http://127.0.0.1:8001"),
        ("http://localhost/", "http://localhost", "http://localhost:80"),
        ("http://[::1]:8001/v1", "http://[::1]:8001/v1", "http://[::1]:8001"),
        ("http://[2001:DB8:0:0::1]/v1", "http://[2001:db8::1]/v1", "http://[2001:db8::1]:80"),
        ("http://model_server:8000/v1", "http://model_server:8000/v1", "http://model_server:8000"),
        ("https://a.example:/x/Y", "https://a.example/x/Y", "https://a.example:443"),
    ],
)
def test_an_address_has_one_form(text: str, shown: str, origin: str) -> None:
    address = read_address(text)
    assert (str(address), address.origin) == (shown, origin)
    assert read_address(shown) == address


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "such as https://"),
        ("ftp://models.example.org/v1", "begin with https:// or http://"),
        ("file:///etc/passwd", "begin with https:// or http://"),
        ("javascript:alert(1)", "begin with https:// or http://"),
        ("models.example.org/v1", "begin with https:// or http://"),
        ("//models.example.org/v1", "begin with https:// or http://"),
        ("https://user:secret@models.example.org/v1", "user name and password"),
        ("https://models.example.org@169.254.169.254/v1", "user name and password"),
        ("https://@models.example.org/v1", "user name and password"),
        ("https://models.example.org/v1?key=x", "must not contain “?”"),
        ("https://models.example.org/v1#x", "must not contain “?” or “#”"),
        ("https://models.example.org\\@evil.example/v1", "spaces or backslashes"),
        ("https://models.example.org/v1\nHost: evil", "spaces or backslashes"),
        ("https://models.exa\tmple.org/v1", "spaces or backslashes"),
        ("https:///v1", "not a host name"),
        ("https://models..example.org/v1", "not a host name"),
        ("https://models.example.org./v1", "not a host name"),
        ("https://-models.example.org/v1", "not a host name"),
        ("https://ｍodels.example.org/v1", "not a host name"),
        ("https://127。0。0。1/v1", "not a host name"),
        ("https://models%2eexample.org/v1", "not a host name"),
        ("https://models.example.org:0/v1", "Port 0"),
        ("https://models.example.org:99999/v1", "1 to 65535"),
        ("https://models.example.org:x/v1", "1 to 65535"),
        ("http://2130706433/v1", "not an IPv4 address"),
        ("http://0x7f000001/v1", "not an IPv4 address"),
        ("http://0x7f.0.0.1/v1", "not an IPv4 address"),
        ("http://0177.0.0.1/v1", "not an IPv4 address"),
        ("http://127.1/v1", "not an IPv4 address"),
        ("http://127.0.0.1.1/v1", "not an IPv4 address"),
        ("http://1.2.3.256/v1", "not an IPv4 address"),
        ("http://[fe80::1%25eth0]/v1", "not an IPv6 address"),
        ("http://[fe80::1%eth0]/v1", "not an IPv6 address"),
        ("http://[::1/v1", "base URL is not valid"),
        ("https://models.example.org/" + "v" * 300, "such as https://"),
    ],
)
def test_a_riddle_is_no_address(text: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        read_address(text)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "host",
    [
        *("169.254.169.254", "169.254.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3"),
        *("224.0.0.1", "239.255.255.255", "255.255.255.255", "[fe80::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[::]"),
        *("[ff02::1]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]"),
        *("[fec0::1]", "[feff::1]", "[64:ff9b:1::a9fe:a9fe]", "[64:ff9b:1:ffff::1]", "[::ffff:0:a9fe:a9fe]"),
        *(
            "[::ffff:0:127.0.0.1]",
            "[::169.254.169.254]",
            "metadata.google.internal",
            "METADATA.google.internal",
            "metadata",
        ),
    ],
)
def test_some_hosts_are_never_a_model(host: str) -> None:
    with pytest.raises(Refused, match="link-local, metadata or reserved"):
        refuse_never(read_address(f"http://{host}/v1"))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "10.0.0.5", "192.168.1.7", "8.8.8.8", "[::1]", "[fd12::1]", "[2001:db8::1]"]
)
def test_others_may_be_one(host: str) -> None:
    refuse_never(read_address(f"http://{host}:8000/v1"))


def names(monkeypatch: pytest.MonkeyPatch, **leads_to: list[str]) -> None:
    def getaddrinfo(host: str, port: int, **_options: Any) -> list[Any]:
        if host not in leads_to:
            raise socket.gaierror("no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in leads_to[host]]

    monkeypatch.setattr(endpoints_addresses.socket, "getaddrinfo", getaddrinfo)


@pytest.mark.parametrize("place", ["169.254.169.254", "fe80::1%eth0", "::ffff:169.254.169.254"])
def test_a_name_that_leads_there_is_refused_too(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    names(monkeypatch, innocent=["10.0.0.5", place], fine=["10.0.0.5"])
    with pytest.raises(Refused, match="innocent"):
        refuse_never(read_address("http://innocent/v1"))
    refuse_never(read_address("http://fine/v1"))


def test_a_name_that_is_known_elsewhere_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch)
    refuse_never(read_address("http://only-where-the-worker-runs/v1"))


def test_the_wrapped_address_counts() -> None:
    assert is_never(ip_address("2002:a9fe:a9fe::1"))
    assert not is_never(ip_address("2002:0a00:0005::1"))
    assert not is_never(ip_address("::1"))
