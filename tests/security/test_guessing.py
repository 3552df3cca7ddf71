"""Guessing passwords and codes, and finding out who has an account."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from axes.models import AccessAttempt
from django.core import mail
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.models import User

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery staple"
SIGN_IN = "/accounts/login/"
GUESSES = 20


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", email="ada@example.org", password=PASSWORD)


def guess(client: Client, login: str, password: str = "wrong") -> HttpResponse:
    return client.post(SIGN_IN, {"login": login, "password": password})


def guesses(login: str, count: int = GUESSES) -> list[HttpResponse]:
    client = Client()
    return [guess(client, login) for _ in range(count)]


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def seen(answer: HttpResponse, name: str = "") -> tuple[int, dict[str, str], str]:
    """All that a visitor can compare: what differs at every request, and the name they typed, left out."""
    text = re.sub(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": )"[^"]+"', "token", answer.content.decode())
    differ = ("Content-Length", "Expires", "X-Request-ID")
    headers = {key: value for key, value in answer.headers.items() if key not in differ}
    return answer.status_code, headers, text.replace(name, "somebody") if name else text


def test_twenty_bad_passwords_lock_the_account_from_here() -> None:
    statuses = [answer.status_code for answer in guesses("ada")]
    assert statuses[0] == 200
    assert statuses[-1] == 429


def test_while_locked_the_right_password_does_not_help() -> None:
    guesses("ada")
    client = Client()
    assert guess(client, "ada", PASSWORD).status_code == 429
    assert not signed_in(client)


def test_an_unknown_name_gets_the_same_answers_as_a_known_one() -> None:
    known = [seen(answer, "ada") for answer in guesses("ada")]
    unknown = [seen(answer, "eve") for answer in guesses("eve")]
    assert unknown == known


def test_somebody_without_a_password_gets_the_same_answers_as_somebody_unknown() -> None:
    User.objects.create_user("kim")
    assert [seen(answer, "kim") for answer in guesses("kim")] == [seen(answer, "eve") for answer in guesses("eve")]


def test_a_switched_off_account_is_not_told_apart_by_wrong_passwords() -> None:
    User.objects.create_user("zoe", password=PASSWORD, is_active=False)
    assert [seen(answer, "zoe") for answer in guesses("zoe")] == [seen(answer, "eve") for answer in guesses("eve")]


@pytest.mark.parametrize("variant", ["ADA", " ada ", "Ada", "\tada", "ａda"])
def test_another_spelling_of_the_name_gives_no_further_guesses(variant: str) -> None:
    guesses("ada")
    client = Client()
    guess(client, variant, PASSWORD)
    assert not signed_in(client)


def test_the_lock_ends_after_the_cool_off() -> None:
    guesses("ada")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    client = Client()
    assert guess(client, "ada", PASSWORD).status_code == 302
    assert signed_in(client)


def test_a_lock_holds_until_then() -> None:
    guesses("ada")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=14))
    client = Client()
    guess(client, "ada", PASSWORD)
    assert not signed_in(client)


def test_a_colleague_at_the_same_address_is_not_locked_out() -> None:
    User.objects.create_user("ben", password=PASSWORD)
    guesses("ada")
    client = Client()
    guess(client, "ben", PASSWORD)
    assert signed_in(client)


def test_the_owner_elsewhere_is_not_locked_out() -> None:
    guesses("ada")
    client = Client(REMOTE_ADDR="203.0.113.9")
    guess(client, "ada", PASSWORD)
    assert signed_in(client)


def test_an_address_that_the_visitor_claims_gives_no_further_guesses() -> None:
    client = Client()
    last = [
        client.post(SIGN_IN, {"login": "ada", "password": "wrong"}, headers={"x-forwarded-for": f"198.51.100.{number}"})
        for number in range(GUESSES)
    ][-1]
    assert last.status_code == 429


def test_nothing_typed_as_a_password_is_stored() -> None:
    client = Client()
    guess(client, "ada", "a-secret-typed-in-haste")
    assert AccessAttempt.objects.count() == 1
    assert "a-secret-typed-in-haste" not in str(list(AccessAttempt.objects.values()))


def test_a_reset_is_answered_alike_whether_the_address_is_known_or_not() -> None:
    known, unknown = (
        Client().post("/accounts/password/reset/", {"email": address}, follow=True)
        for address in ("ada@example.org", "eve@example.org")
    )
    assert seen(known) == seen(unknown)
    assert known.redirect_chain == unknown.redirect_chain


def test_only_the_known_address_gets_a_reset_link_and_nobody_learns_of_accounts_by_mail() -> None:
    for address in ("ada@example.org", "eve@example.org"):
        Client().post("/accounts/password/reset/", {"email": address})
    links = {message.to[0]: re.findall(r"/accounts/password/reset/key/\S+", message.body) for message in mail.outbox}
    assert len(links["ada@example.org"]) == 1
    assert not links.get("eve@example.org")


def test_a_reset_link_works_once() -> None:
    Client().post("/accounts/password/reset/", {"email": "ada@example.org"})
    link = re.findall(r"/accounts/password/reset/key/\S+", str(mail.outbox[0].body))[0]
    client = Client()
    form = client.get(link, follow=True)
    new = {"password1": "another long password", "password2": "another long password"}
    client.post(form.redirect_chain[-1][0], new)
    assert User.objects.get(username="ada").check_password("another long password")
    assert "no longer works" in Client().get(link, follow=True).content.decode()


@pytest.mark.parametrize("password", ["short", "password123", "1234567890", "ada@example.org"])
def test_a_password_that_is_guessed_first_is_refused(password: str) -> None:
    client = signed_in_client()
    answer = client.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": password, "password2": password}
    )
    assert answer.status_code == 200
    assert User.objects.get(username="ada").check_password(PASSWORD)


# --- the second step ----------------------------------------------------------------------------------------------


def signed_in_client() -> Client:
    client = Client()
    guess(client, "ada", PASSWORD)
    assert signed_in(client)
    return client


def code_for(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def switch_on() -> str:
    """Set up the second step as a person does; gives the secret."""
    client = signed_in_client()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page: Any = client.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    client.post(reverse("mfa_activate_totp"), {"code": code_for(secret)})
    return str(secret)


def test_the_second_step_can_be_switched_on_and_then_a_password_alone_opens_nothing() -> None:
    switch_on()
    assert Authenticator.objects.filter(user__username="ada", type="totp").exists()
    client = Client()
    answer = guess(client, "ada", PASSWORD)
    assert answer.headers["Location"] == reverse("mfa_authenticate")
    assert not signed_in(client)
    assert client.get("/").status_code == 302


def test_the_code_opens_it() -> None:
    secret = switch_on()
    cache.clear()  # the code of this half minute was used up while switching on
    client = Client()
    guess(client, "ada", PASSWORD)
    client.post(reverse("mfa_authenticate"), {"code": code_for(secret)})
    assert signed_in(client)


def test_a_stolen_session_alone_switches_nothing_on_or_off() -> None:
    client = signed_in_client()
    answer = client.get(reverse("mfa_activate_totp"))
    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))


def test_codes_cannot_be_guessed_without_end() -> None:
    secret = switch_on()
    cache.clear()
    client = Client()
    guess(client, "ada", PASSWORD)
    for number in range(GUESSES):
        client.post(reverse("mfa_authenticate"), {"code": f"{number:06}"})
    client.post(reverse("mfa_authenticate"), {"code": code_for(secret)})
    assert not signed_in(client)


def test_the_secret_of_the_second_step_is_shown_to_its_owner_only_while_it_is_set_up() -> None:
    secret = switch_on()
    client = signed_in_client_with_code(secret)
    pages = [client.get(reverse(name), follow=True).content.decode() for name in ("mfa_index", "mfa_activate_totp")]
    assert all(secret not in page for page in pages)


def signed_in_client_with_code(secret: str) -> Client:
    cache.clear()
    client = Client()
    guess(client, "ada", PASSWORD)
    client.post(reverse("mfa_authenticate"), {"code": code_for(secret)})
    return client
