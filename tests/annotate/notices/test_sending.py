import hashlib
import hmac
import ipaddress
import json
import ssl
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from annotate.errors import Refused
from annotate.models import Delivery, Webhook
from annotate.notices import deliveries as webhook_sending
from annotate.notices import webhooks
from annotate.notices.deliveries import DeliveryOutcome, resolve_addresses, send, signature
from tests.support.people import make_project
from tests.support.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver, override_settings(WEBHOOK_ORIGINS=[receiver.url]):
        yield receiver


def message(url: str) -> Delivery:
    hook = Webhook.objects.create(project=make_project(), url=url, secret="the secret", events=[])
    return webhooks.ping(hook)


def test_a_message_arrives_with_its_signature(receiver: Receiver) -> None:
    delivery = message(f"{receiver.url}/in/?a=b")
    assert send(delivery) == DeliveryOutcome(204)
    (got,) = receiver.received
    assert (got.path, json.loads(got.body)) == ("/in/?a=b", delivery.body)
    assert got.headers["Touchstone-Event"] == "ping"
    assert got.headers["Touchstone-Delivery"] == delivery.body["id"]
    at, mac = (part.partition("=")[2] for part in got.headers["Touchstone-Signature"].split(","))
    expected = hmac.new(b"the secret", f"{at}.".encode() + got.body, hashlib.sha256).hexdigest()
    assert mac == expected


def test_a_signature_worked_out_by_hand() -> None:
    # printf '1700000000.{}' | openssl dgst -sha256 -hmac s
    mac = "e9232c9945da8456c2dea6b39da7786c07b00bca7a64d5dd1283674713a7b72a"
    assert signature("s", b"{}", 1700000000) == f"t=1700000000,v1={mac}"


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_every_answer_of_success_means_that_it_arrived(receiver: Receiver, status: int) -> None:
    receiver.status = status
    assert send(message(receiver.url)) == DeliveryOutcome(status)


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
def test_any_other_answer_is_told(receiver: Receiver, status: int) -> None:
    receiver.status = status
    outcome = send(message(receiver.url))
    assert (outcome.arrived, outcome.status, str(status) in outcome.detail) == (False, status, True)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(receiver: Receiver, status: int) -> None:
    with receiving() as other:
        receiver.status, receiver.location = status, f"{other.url}/in"
        outcome = send(message(receiver.url))
        assert (outcome.arrived, outcome.status, other.received) == (False, status, [])


def test_whoever_is_not_there_is_told_so() -> None:
    with receiving() as gone:
        url = gone.url
    with override_settings(WEBHOOK_ORIGINS=[url]):
        outcome = send(message(url))
    assert (outcome.arrived, outcome.status) == (False, None)
    assert outcome.detail


def test_an_answer_that_never_ends_is_cut_off(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_sending, "LONGEST", 0.3)
    receiver.drips = True
    outcome = send(message(receiver.url))
    assert (outcome.arrived, outcome.status) == (False, None)


def test_what_does_not_speak_http_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

        def shout() -> None:
            peer, _address = listener.accept()
            with peer:
                peer.recv(10)
                peer.sendall(b"220 mail.invalid ESMTP\r\n" * 9)

        thread = threading.Thread(target=shout)
        thread.start()
        with override_settings(WEBHOOK_ORIGINS=[url]):
            outcome = send(message(url))
        thread.join()
    assert (outcome.arrived, outcome.status) == (False, None)


def test_a_certificate_that_nobody_vouches_for_is_refused(receiver: Receiver) -> None:
    """The receiver speaks plain HTTP here; what counts is that nothing is sent without a checked certificate."""
    url = receiver.url.replace("http:", "https:")
    with override_settings(WEBHOOK_ORIGINS=[url]):
        outcome = send(message(url))
    assert (outcome.arrived, receiver.received) == (False, [])
    assert ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED


def test_what_was_struck_from_the_list_is_sent_nothing(receiver: Receiver) -> None:
    delivery = message(receiver.url)
    with override_settings(WEBHOOK_ORIGINS=[]):
        outcome = send(delivery)
    assert (outcome.arrived, receiver.received) == (False, [])
    assert "WEBHOOK_ORIGINS" in outcome.detail


def lead_to(monkeypatch: pytest.MonkeyPatch, *numbers: str) -> list[Any]:
    """What every name leads to; gives the list of connections that were tried."""
    found = [ipaddress.ip_address(number) for number in numbers]
    monkeypatch.setattr(webhook_sending, "resolved", lambda host, port: found)
    tried: list[Any] = []

    def refuse(place: Any, *_: Any) -> None:
        tried.append(place)
        raise OSError("nobody is visited in this test")

    monkeypatch.setattr(webhook_sending.socket, "create_connection", refuse)
    return tried


HERE = [
    *("127.0.0.1", "127.9.9.9", "::1", "169.254.169.254", "fe80::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "224.0.0.1"),
    *("fec0::1", "64:ff9b:1::7f00:1", "::ffff:0:7f00:1"),
]
HERE += ["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254", "ff02::1", "100.100.100.200"]


@pytest.mark.parametrize("number", HERE)
@pytest.mark.parametrize("before", [[], ["203.0.113.7"]])
def test_a_name_that_leads_here_is_not_visited(monkeypatch: pytest.MonkeyPatch, number: str, before: list[str]) -> None:
    tried = lead_to(monkeypatch, *before, number)
    with override_settings(WEBHOOK_ORIGINS=["https://hooks.invalid"]):
        outcome = send(message("https://hooks.invalid/in"))
    assert (outcome.arrived, tried) == (False, [])


def test_a_name_that_leads_elsewhere_is_visited_at_the_number_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = lead_to(monkeypatch, "203.0.113.7", "2001:db8::7", "203.0.113.8")
    with override_settings(WEBHOOK_ORIGINS=["https://hooks.invalid"]):
        send(message("https://hooks.invalid/in"))
    assert tried == [("203.0.113.7", 443), ("2001:db8::7", 443)]


def test_a_name_that_leads_nowhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lead_to(monkeypatch)
    with override_settings(WEBHOOK_ORIGINS=["https://hooks.invalid"]):
        assert "hooks.invalid" in send(message("https://hooks.invalid/in")).detail


@pytest.mark.parametrize("origin", ["http://127.0.0.1:9", "http://[::1]:9", "http://localhost:9"])
def test_this_machine_is_visited_where_the_list_says_so_itself(monkeypatch: pytest.MonkeyPatch, origin: str) -> None:
    tried = lead_to(monkeypatch, "127.0.0.1")
    with override_settings(WEBHOOK_ORIGINS=[origin]):
        send(message(f"{origin}/in"))
    assert len(tried) == 1


def test_a_refusal_names_the_host() -> None:
    with (
        override_settings(WEBHOOK_ORIGINS=["https://hooks.invalid"]),
        pytest.raises(Refused, match="could not be resolved"),
    ):
        resolve_addresses(webhooks.allowed("https://hooks.invalid/"))
