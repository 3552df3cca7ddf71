import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from annotate.upkeep import diagnosis, probes

pytestmark = pytest.mark.django_db
UNKNOWN_HOST = "10.2.3.4:8000"


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "FRESH", 0.0)


def test_a_process_that_answers_is_alive_and_asks_nobody(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_ready_one_says_what_it_looked_at(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["ready"]
    assert set(answer.json()["checks"]) == {"database", "data folder", "free space", "broker", "migrations"}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_need_neither_host_name_nor_tls(client: Client, settings: Settings, path: str) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["touchstone.example.org"]
    assert client.get(path, headers={"Host": UNKNOWN_HOST}).status_code == 200
    assert client.head(path, headers={"Host": UNKNOWN_HOST}).status_code == 200
    assert client.post(path, headers={"Host": UNKNOWN_HOST}).status_code != 200


@pytest.mark.parametrize(
    ("check", "name"), [("database", "database"), ("data_folder", "data folder"), ("free_space", "free space")]
)
def test_without_what_it_needs_it_is_not_ready_and_tells_no_cause(
    client: Client, monkeypatch: pytest.MonkeyPatch, check: str, name: str
) -> None:
    lacking = diagnosis.missing(name, "postgresql://secret-host is down", "Start it.")
    checks = tuple((lambda: lacking) if one.__name__ == check else one for one in probes.CHECKS)
    monkeypatch.setattr(probes, "CHECKS", checks)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert not answer.json()["ready"]
    assert answer.json()["checks"][name] == "missing"
    assert b"secret-host" not in answer.content


def test_a_migration_that_is_not_applied_makes_it_unready_until_it_is(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = [diagnosis.missing("migrations", "1 not applied", ""), diagnosis.ok("migrations", "all applied")]
    monkeypatch.setattr(diagnosis, "migrations", lambda: findings.pop(0))
    assert [client.get("/readyz").status_code for _ in range(3)] == [503, 200, 200]
    assert not findings  # once applied, nobody looks again


def test_without_its_broker_it_still_serves(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broker() -> diagnosis.Diagnosis:
        return diagnosis.missing("broker", "", "")

    monkeypatch.setattr(probes, "CHECKS", (diagnosis.database, broker))
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"ready": True, "checks": {"database": "ok", "broker": "missing", "migrations": "ok"}}


def test_a_flood_of_probes_asks_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []

    def database() -> diagnosis.Diagnosis:
        times.append(connection.vendor)
        return diagnosis.ok("database", "")

    monkeypatch.setattr(probes, "FRESH", 3600.0)
    monkeypatch.setattr(probes, "CHECKS", (database,))
    for _number in range(20):
        client.get("/readyz")
    assert len(times) == 1
