import pytest
from django.test import Client

from annotate.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client: Client) -> User:
    user = User.objects.create_user("ada")
    client.force_login(user)
    return user


def person_form(**changes: str) -> dict[str, str]:
    values = {"display_name": "Ada", "email": "", "mails": "daily", "language": "zh-hans", "theme": "dark"} | changes
    return {"form": "person"} | {f"person-{name}": value for name, value in values.items()}


def test_the_page_shows_our_keys_until_one_has_own_ones(client: Client, ada: User) -> None:
    assert 'value="ArrowUp"' in client.get("/preferences/").content.decode()


def test_name_language_and_appearance_are_kept(client: Client, ada: User) -> None:
    assert client.post("/preferences/", person_form()).status_code == 302
    ada.refresh_from_db()
    assert (ada.display_name, ada.language, ada.theme) == ("Ada", "zh-hans", "dark")
    page = client.get("/preferences/").content.decode()
    assert '<html lang="zh-hans" data-theme="dark"' in page


def test_the_browsers_language_can_be_chosen_again(client: Client, ada: User) -> None:
    client.post("/preferences/", person_form(language=""))
    ada.refresh_from_db()
    assert ada.language == ""


def test_how_often_mails_come_is_chosen(client: Client, ada: User) -> None:
    assert ada.mails == "at_once"
    client.post("/preferences/", person_form(mails="weekly"))
    ada.refresh_from_db()
    assert ada.mails == "weekly"
    assert '<option value="weekly" selected>' in client.get("/preferences/").content.decode()


@pytest.mark.parametrize("bad", [{"mails": "hourly"}, {"theme": "purple"}, {"language": "tlh"}, {"email": "nobody"}])
def test_bad_values_are_refused_and_nothing_changes(client: Client, ada: User, bad: dict[str, str]) -> None:
    assert client.post("/preferences/", person_form(**bad)).status_code == 422
    ada.refresh_from_db()
    assert (ada.display_name, ada.theme) == ("", "auto")


def test_own_keys_are_kept_and_shown(client: Client, ada: User) -> None:
    assert client.post("/preferences/", {"form": "keys", "keys-keep": "y"}).status_code == 302
    ada.refresh_from_db()
    assert ada.keys == {"keep": "y"}
    assert 'value="y"' in client.get("/preferences/").content.decode()


def test_keys_that_collide_are_refused_beside_their_field(client: Client, ada: User) -> None:
    answer = client.post("/preferences/", {"form": "keys", "keys-keep": "s"})
    assert answer.status_code == 422
    assert "S is already used for “Skip, then choose a reason”." in answer.content.decode()
    ada.refresh_from_db()
    assert ada.keys == {}


def test_the_appearance_menu_works_with_and_without_an_account(client: Client) -> None:
    answer = client.post("/preferences/theme/", {"theme": "dark", "next": "/accounts/login/"})
    assert answer.headers["Location"] == "/accounts/login/"
    assert 'data-theme="dark"' in client.get("/accounts/login/").content.decode()
    user = User.objects.create_user("ada")
    client.force_login(user)
    client.post("/preferences/theme/", {"theme": "light"})
    user.refresh_from_db()
    assert user.theme == "light"


def test_the_language_button_changes_what_the_account_says(client: Client, ada: User) -> None:
    ada.language = "en"
    ada.save()
    client.post("/preferences/language/", {"language": "zh-hans", "next": "/preferences/"})
    assert '<html lang="zh-hans"' in client.get("/preferences/").content.decode()


@pytest.mark.parametrize("path", ["theme", "language"])
@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_nobody_is_led_elsewhere(client: Client, ada: User, path: str, elsewhere: str) -> None:
    answer = client.post(f"/preferences/{path}/", {"theme": "dark", "language": "en", "next": elsewhere})
    assert answer.headers["Location"] == "/"


def test_unknown_choices_change_nothing(client: Client, ada: User) -> None:
    client.post("/preferences/theme/", {"theme": "purple"})
    client.post("/preferences/language/", {"language": "tlh"})
    ada.refresh_from_db()
    assert (ada.theme, ada.language) == ("auto", "")
