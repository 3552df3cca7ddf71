import pytest
from django.test import Client

from annotate.models import User
from annotate.people.accounts import MARK, PasswordKeys, password_link

pytestmark = pytest.mark.django_db
LOST = "no longer works"


@pytest.fixture
def account() -> User:
    return User.objects.create_user("nina", password="the old one is long")


@pytest.fixture
def administrator() -> User:
    return User.objects.create_user("root", is_staff=True)


def key_of(link: str) -> str:
    return link.rstrip("/").rpartition("/")[2].partition("-")[2]


@pytest.mark.parametrize("by_command", [True, False])
def test_a_password_link_works_once(account: User, administrator: User, client: Client, by_command: bool) -> None:
    link = password_link(account, by=None if by_command else administrator)
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "a new one, longer", "password2": "a new one, longer"})
    account.refresh_from_db()
    assert account.check_password("a new one, longer")
    assert LOST in Client().get(link, follow=True).content.decode()


def test_another_id_before_the_key_opens_nothing(account: User, administrator: User) -> None:
    other = User.objects.create_user("other", is_staff=True)
    key = key_of(password_link(account, by=administrator))
    plain = key_of(password_link(account, by=None))
    assert PasswordKeys().check_token(account, key)
    _id, mark, bare = key.partition(MARK)
    forged = [f"{maker}{mark}{bare}" for maker in (other.pk, 0, "x", "")] + [bare, f"{administrator.pk}{mark}{plain}"]
    assert not any(PasswordKeys().check_token(account, key) for key in forged)


def test_the_link_of_an_account_that_was_switched_off_opens_nothing(account: User, administrator: User) -> None:
    key = key_of(password_link(account, by=administrator))
    User.objects.filter(pk=account.pk).update(is_active=False)
    account.refresh_from_db()
    assert not PasswordKeys().check_token(account, key)
