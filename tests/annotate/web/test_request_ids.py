import logging
from contextvars import ContextVar

import pytest
from django.test import Client

from lib import log_lines
from lib.log_lines import bound_ids

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A streamed answer that an earlier test did not read to its end still has its id bound."""
    monkeypatch.setattr(log_lines, "_ids", ContextVar("ids", default={}))  # noqa: B039


def test_every_answer_names_its_request(client: Client) -> None:
    first, second = (client.get("/accounts/login/").headers["X-Request-ID"] for _ in range(2))
    assert len(first) == 32
    assert first != second


def test_the_id_of_the_proxy_is_kept(client: Client) -> None:
    assert (
        client.get("/accounts/login/", headers={"X-Request-ID": "edge-7.a_b"}).headers["X-Request-ID"] == "edge-7.a_b"
    )


@pytest.mark.parametrize("sent", ["short", "x" * 65, "a line\nof its own", 'quo"ted"quoted', "北京北京北京北京"])
def test_what_could_break_a_line_is_replaced(client: Client, sent: str) -> None:
    answered = client.get("/accounts/login/", headers={"X-Request-ID": sent}).headers["X-Request-ID"]
    assert answered != sent
    assert answered.isalnum()


def test_lines_of_a_request_carry_it(client: Client) -> None:
    ids: list[dict[str, str]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            ids.append(bound_ids())

    log = logging.getLogger("django.request")  # writes a line for each 404
    listener = Listener()
    log.addHandler(listener)
    try:
        answer = client.get("/nowhere/")
    finally:
        log.removeHandler(listener)
    assert bound_ids() == {}
    assert {"request": answer.headers["X-Request-ID"]} in ids
