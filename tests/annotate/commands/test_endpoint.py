import json
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import AuditEntry, Endpoint
from tests.support.endpoints import KEY, KEY_NAME, make_endpoint

pytestmark = pytest.mark.django_db
HERE = ("--base-url", "http://127.0.0.1:8001/v1")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("endpoint", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def refused(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as error:
        call_command("endpoint", *arguments)
    return error.value


def test_it_makes_one_with_all_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(
        capsys,
        *("small", *HERE, "--model", "m-1", "--max-in-flight", "4", "--price-in", "0.15", "--price-out", "0.6"),
        *("--deadline", "30", "--attempts", "2", "--no-json-schema", "--requests-a-minute", "60"),
        *("--tokens-a-minute", "9000", "--context-length", "32000", "--key-env", "A_KEY_THAT_IS_NOT_SET"),
    )
    made = Endpoint.objects.get()
    assert (made.model, made.max_in_flight, made.price_in, made.price_out) == (
        "m-1",
        4,
        Decimal("0.15"),
        Decimal("0.6"),
    )
    assert (made.deadline, made.attempts, made.strict_json, made.requests_a_minute) == (30, 2, False, 60)
    assert (made.tokens_a_minute, made.context_length, made.approved) == (9000, 32000, True)
    assert (said["endpoint"], said["created"], said["price_in"], said["key_set"]) == ("small", True, 0.15, False)


def test_run_again_it_changes_what_is_given_and_keeps_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    make_endpoint("small", requests_a_minute=60, key_env=KEY_NAME, max_in_flight=7)
    said = told(capsys, "small", "--model", "other", "--requests-a-minute", "0", "--key-env", "")
    made = Endpoint.objects.get()
    assert (made.model, made.requests_a_minute, made.key_env, made.max_in_flight) == ("other", None, "", 7)
    assert said["created"] is False


def test_json_schema_can_be_switched_on_again() -> None:
    make_endpoint("small", strict_json=False)
    call_command("endpoint", "small", "--json-schema")
    assert Endpoint.objects.get().strict_json


def test_an_endpoint_takes_images_where_it_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    made = make_endpoint("small")
    assert told(capsys, "small", "--takes-images")["takes_images"] is True
    assert json.loads(AuditEntry.objects.get(verb="endpoint.changed").after) == {"takes_images": True}
    assert told(capsys, "small", "--model", "other")["takes_images"] is True
    call_command("endpoint", "small", "--no-takes-images")
    made.refresh_from_db()
    assert not made.takes_images


@pytest.mark.parametrize("missing", [(), ("--model", "m"), HERE])
def test_a_new_one_needs_an_address_and_a_model(missing: tuple[str, ...]) -> None:
    error = refused("small", *missing)
    assert (error.returncode, "There is no endpoint 'small' yet" in str(error)) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("--base-url", "http://u:p@h/v1", "--model", "m"), "--base-url:"),
        (("--base-url", "http://[fe80::1]/v1", "--model", "m"), "--base-url:"),
        ((*HERE, "--model", "m", "--price-in", "-1"), "--price-in:"),
        ((*HERE, "--model", "m", "--attempts", "0"), "--attempts:"),
        ((*HERE, "--model", "m", "--max-in-flight", "0"), "--max-in-flight:"),
        ((*HERE, "--model", "m", "--key-env", KEY), "--key-env:"),
        ((*HERE, "--model", ""), "--model:"),
    ],
)
def test_a_wrong_value_is_refused_by_its_option(arguments: tuple[str, ...], option: str) -> None:
    error = refused("small", *arguments)
    assert (error.returncode, str(error).startswith(option)) == (1, True)
    assert KEY not in str(error)
    assert not Endpoint.objects.exists()


def test_a_wrong_name_is_refused() -> None:
    assert str(refused("not a name", *HERE, "--model", "m")).startswith("NAME: Use letters, digits")


@pytest.mark.parametrize("amount", ["x", "nan", "inf", ""])
def test_an_amount_is_a_number(amount: str) -> None:
    assert "is not an amount of USD" in str(refused("small", *HERE, "--model", "m", f"--price-in={amount}"))


def test_it_retires_and_brings_back(capsys: pytest.CaptureFixture[str]) -> None:
    make_endpoint("small")
    assert told(capsys, "small", "--retire") == {"endpoint": "small", "retired": True}
    assert Endpoint.objects.get().retired_at
    assert told(capsys, "small")["retired"] is False
    assert Endpoint.objects.get().retired_at is None


def test_what_is_not_there_is_not_retired() -> None:
    make_endpoint("small")
    error = refused("large", "--retire")
    assert (error.returncode, "Endpoints: small." in str(error)) == (1, True)


def test_the_key_is_not_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    assert told(capsys, "small", *HERE, "--model", "m", "--key-env", KEY_NAME)["key_set"] is True
    call_command("endpoint", "small")
    printed = capsys.readouterr()
    assert KEY not in printed.out + printed.err
    assert "small: m at http://127.0.0.1:8001/v1" in printed.out
