from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from annotate.engine import endpoints
from annotate.engine.endpoints import HIDDEN, BadEndpoint, key_is_set, without_key
from annotate.engine.pages import ADVICE, advice
from annotate.errors import Refused
from annotate.kinds.protocol import Cause
from annotate.models import Endpoint, User
from annotate.runs.plan import plan_run
from tests.support.endpoints import KEY, KEY_NAME, make_endpoint
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
HERE = "http://127.0.0.1:8001/v1"


@pytest.fixture
def admin() -> User:
    return User.objects.create_user("admin", is_staff=True)


@pytest.fixture(autouse=True)
def _no_origins(settings: Any) -> None:
    settings.MODEL_ORIGINS = []


def faults(**columns: Any) -> dict[str, list[str]]:
    given = {"name": "small", "base_url": HERE, "model": "m", "by": None} | columns
    with pytest.raises(BadEndpoint) as bad:
        endpoints.create(**given)
    return bad.value.errors


# --- approval ---------------------------------------------------------------------------------------------------------
def test_the_command_approves_also_this_machine() -> None:
    made = endpoints.create(name="small", base_url=HERE, model="m", by=None)
    assert (made.approved, made.base_url) == (True, HERE)


def test_in_the_browser_an_origin_that_nobody_approved_is_refused(admin: User) -> None:
    (said,) = faults(by=admin)["base_url"]
    assert "http://127.0.0.1:8001 is not approved" in said
    assert "MODEL_ORIGINS" in said
    assert not Endpoint.objects.exists()


def test_in_the_browser_the_setting_and_the_command_approve(admin: User, settings: Any) -> None:
    settings.MODEL_ORIGINS = ["https://models.example.org"]
    first = endpoints.create(name="a", base_url="https://models.example.org/v1", model="m", by=admin)
    make_endpoint("by-command", base_url=HERE)
    second = endpoints.create(name="b", base_url="http://127.0.0.1:8001/other", model="m", by=admin)
    assert (first.approved, second.approved, second.created_by) == (False, False, admin)


@pytest.mark.parametrize(
    "near",
    [
        *(
            "http://127.0.0.1:8002/v1",
            "https://127.0.0.1:8001/v1",
            "http://127.0.0.2:8001/v1",
            "http://localhost:8001/",
        ),
        *("http://127.0.0.1:8001.evil.example/v1", "http://127.0.0.1/v1", "http://[::ffff:127.0.0.1]:8001/v1"),
    ],
)
def test_what_is_only_near_an_approved_origin_is_refused(admin: User, settings: Any, near: str) -> None:
    settings.MODEL_ORIGINS = ["http://127.0.0.1:8001"]
    assert "base_url" in faults(by=admin, base_url=near)


def test_what_was_made_in_the_browser_approves_nothing(admin: User, settings: Any) -> None:
    settings.MODEL_ORIGINS = ["http://127.0.0.1:8001"]
    made = endpoints.create(name="a", base_url=HERE, model="m", by=admin)
    settings.MODEL_ORIGINS = []
    assert endpoints.allowed_origins() == set()
    with pytest.raises(Refused, match="not approved"):
        endpoints.refuse_unless_callable(made)


def test_an_approval_ends_when_its_endpoint_is_retired() -> None:
    made = make_endpoint(base_url=HERE)
    assert endpoints.allowed_origins() == {"http://127.0.0.1:8001"}
    endpoints.retire(made)
    assert endpoints.allowed_origins() == set()


def test_a_change_in_the_browser_keeps_the_approval_only_with_the_origin(admin: User, settings: Any) -> None:
    settings.MODEL_ORIGINS = ["https://models.example.org"]
    made = make_endpoint(base_url=HERE)
    assert endpoints.change(made, by=admin, model="other", base_url="http://127.0.0.1:8001/v2").approved
    assert not endpoints.change(made, by=admin, base_url="https://models.example.org/v1").approved
    with pytest.raises(BadEndpoint, match="not approved"):
        endpoints.change(Endpoint.objects.get(), by=admin, base_url="http://10.0.0.9/v1")
    assert Endpoint.objects.get().base_url == "https://models.example.org/v1"


def test_even_the_command_makes_no_metadata_address() -> None:
    assert "link-local, metadata or reserved" in faults(base_url="http://169.254.169.254/v1")["base_url"][0]


def test_an_unreadable_setting_allows_nothing(settings: Any) -> None:
    settings.MODEL_ORIGINS = ["http://0177.0.0.1", "https://fine.example"]
    assert endpoints.allowed_origins() == {"https://fine.example:443"}


# --- values -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("name", "not a name"), ("name", ""), ("name", "x" * 61), ("model", " "), ("price_in", -1)),
        *(("max_in_flight", 0), ("requests_a_minute", 0), ("deadline", 0), ("deadline", 3601), ("attempts", 21)),
        *(("key_env", "small_letters"), ("key_env", "9KEY"), ("key_env", "A KEY"), ("key_env", "SECRET_KEY")),
        *(("key_env", "DATABASE_URL"), ("context_length", 0), ("tokens_a_minute", 0)),
    ],
)
def test_a_wrong_value_is_told_at_its_column(column: str, value: Any) -> None:
    assert list(faults(**{column: value})) == [column]


def test_every_fault_is_told_at_once() -> None:
    assert set(faults(base_url="x", key_env="sk-1", attempts=0)) == {"base_url", "key_env", "attempts"}


def test_a_name_is_taken_once() -> None:
    make_endpoint("small")
    assert "name" in faults()


def test_a_pasted_key_is_neither_stored_nor_repeated() -> None:
    assert KEY not in str(faults(key_env=KEY))
    made = make_endpoint("other")
    with pytest.raises(BadEndpoint):
        endpoints.change(made, by=None, key_env=KEY)
    assert made.key_env == ""
    assert Endpoint.objects.get().key_env == ""


def test_the_command_brings_back_what_was_retired() -> None:
    made = make_endpoint(retired_at=timezone.now() - timedelta(days=1))
    endpoints.change(made, by=None, model="new")
    assert (Endpoint.objects.get().retired_at, Endpoint.objects.get().model) == (None, "new")


def test_a_retired_one_is_neither_chosen_nor_called() -> None:
    made = make_endpoint()
    endpoints.retire(made)
    made.refresh_from_db()
    assert not endpoints.to_choose_from().exists()
    with pytest.raises(Refused, match="retired"):
        endpoints.refuse_unless_callable(made)
    endpoints.bring_back(made)
    assert endpoints.to_choose_from().get() == made


def test_what_nobody_approves_any_more_is_not_brought_back() -> None:
    made = make_endpoint(approved=False, retired_at=timezone.now())
    with pytest.raises(Refused, match="not approved"):
        endpoints.bring_back(made)


@pytest.mark.parametrize("columns", [{"approved": False}, {"retired_at": timezone.now()}])
def test_no_run_is_planned_where_nothing_may_be_sent(columns: dict[str, Any]) -> None:
    project = make_project()
    with pytest.raises(Refused):
        plan_run(project=project, purpose="preannotate", endpoint=make_endpoint(**columns), by=None)
    assert not project.runs.exists()


# --- keys and hints ---------------------------------------------------------------------------------------------------
def test_a_key_is_set_or_not_and_blank_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_NAME, raising=False)
    made = make_endpoint(key_env=KEY_NAME)
    assert not key_is_set(made)
    monkeypatch.setenv(KEY_NAME, "  ")
    assert not key_is_set(made)
    monkeypatch.setenv(KEY_NAME, KEY)
    assert key_is_set(made)
    assert key_is_set(make_endpoint("other"))


def test_a_service_that_repeats_the_key_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, f"{KEY}\n")
    made = make_endpoint(key_env=KEY_NAME)
    assert without_key(f"Incorrect key: {KEY}.", made) == f"Incorrect key: {HIDDEN}."
    assert without_key("nothing of it", make_endpoint("other")) == "nothing of it"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"key_env": "A_KEY_THAT_IS_NOT_SET", "price_in": 1}, "not set"),
        ({}, "no budget can stop"),
        ({"base_url": "http://10.0.0.5/v1", "key_env": KEY_NAME, "price_in": 1}, "unencrypted"),
    ],
)
def test_hints_say_what_to_look_at(monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any], said: str) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    (hint,) = endpoints.hints(make_endpoint(**columns))
    assert said in hint


@pytest.mark.parametrize(
    "columns",
    [
        {"price_in": 1},
        {"simulated": True},
        {"price_out": 1, "key_env": KEY_NAME},
        {"price_out": 1, "key_env": KEY_NAME, "base_url": "https://models.example.org/v1"},
    ],
)
def test_what_is_in_order_has_no_hint(monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any]) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    assert endpoints.hints(make_endpoint(**columns)) == []


# --- advice -----------------------------------------------------------------------------------------------------------
def test_there_is_advice_for_every_cause() -> None:
    assert set(ADVICE) == set(Cause)


@pytest.mark.parametrize("cause", Cause.values)
def test_advice_is_filled_in(cause: str) -> None:
    told = advice(cause, make_endpoint(key_env=KEY_NAME))
    assert told.endswith(".")
    assert "%(" not in told


def test_what_is_no_cause_has_no_advice() -> None:
    assert advice("", make_endpoint()) == ""


class TestTheSimulatedModel:
    """An endpoint may name it instead of its address."""

    def test_it_is_marked_at_once_and_keeps_the_name(self) -> None:
        endpoint = endpoints.create(by=None, name="sim", base_url=" simulated ", model="m")
        assert (endpoint.base_url, endpoint.simulated, endpoint.approved) == ("simulated", True, True)
        endpoints.refuse_unless_callable(endpoint)
        assert not endpoints.hints(endpoint)

    def test_in_the_browser_it_needs_an_endpoint_that_the_command_has_approved(self, admin: User) -> None:
        with pytest.raises(BadEndpoint, match="not approved"):
            endpoints.create(by=admin, name="sim", base_url="simulated", model="m")
        endpoints.create(by=None, name="first", base_url="simulated", model="m")
        assert endpoints.create(by=admin, name="sim", base_url="simulated", model="m").simulated

    def test_where_it_is_missing_the_advice_says_how_to_start_it(self) -> None:
        endpoint = endpoints.create(by=None, name="sim", base_url="simulated", model="m")
        assert "make run" in advice(Cause.CONNECTION, endpoint)


# --- extra bodies -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("columns", "column", "message"),
    [
        ({"extra_allowed": "top_k"}, "extra_allowed", "parameter names separated by commas"),
        ({"extra_allowed": ["top_k", ""]}, "extra_allowed", "parameter names separated by commas"),
        ({"extra_body": ["top_k"]}, "extra_body", "must be a JSON object"),
        ({"extra_allowed": ["a"], "extra_body": {"a": "x" * 5000}}, "extra_body", "is longer than"),
    ],
)
def test_an_extra_body_of_another_shape_is_refused(columns: dict[str, Any], column: str, message: str) -> None:
    assert any(message in text for text in faults(**columns)[column])
    assert not Endpoint.objects.exists()


def test_of_two_who_create_one_name_at_the_same_time_the_second_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(*_arguments: Any, **_options: Any) -> None:
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr(Endpoint, "save", taken)
    assert faults()["name"] == ["Someone has just created an endpoint with this name."]
