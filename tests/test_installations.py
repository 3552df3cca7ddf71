"""The ground under races, faults and browser tests: real servers, isolated from each other."""

import httpx2
import psycopg
import pytest
import redis

from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.slow


def test_an_installation_serves_and_shares_its_database_with_the_console(live_installation: Installation) -> None:
    made = live_installation.python("result = User.objects.create_user(name).username", name="ada")
    answer = httpx2.get(f"{live_installation.url}/accounts/login/", timeout=60)
    assert (made, answer.status_code) == ("ada", 200)
    assert live_installation.python("result = list(User.objects.values_list('username', flat=True))") == ["ada"]


def test_two_installations_share_nothing(installations: Installations, database: str) -> None:
    with installations.migrated(database) as one, installations.migrated(database) as other:
        one.python("User.objects.create_user('ada')")
        assert other.python("result = User.objects.count()") == 0


def test_a_refused_command_raises_unless_told_otherwise(installations: Installations) -> None:
    with installations.migrated("sqlite") as installation:
        assert installation.manage("no_such_command", check=False).returncode != 0
        with pytest.raises(AssertionError, match="no_such_command"):
            installation.manage("no_such_command")


@pytest.mark.parametrize("key", [{}, {"SECRET_KEY": "another " * 9}])
def test_a_program_has_the_settings_of_its_own_environment(installations: Installations, key: dict[str, str]) -> None:
    """Forked, or, with another key, started: also where a setting is missing that others have."""
    environment = {"CELERY_BROKER_URL": "redis://127.0.0.1:9/0", "PORT": "8123", **key}
    with installations.migrated("sqlite", **environment) as installation:
        port, folder, transport, secret = installation.python(SETTINGS)
    assert (port, folder, transport) == (8123, str(installation.folder), None)
    assert secret == installation.environment["SECRET_KEY"]


SETTINGS = """
from django.conf import settings
transport = getattr(settings, "CELERY_BROKER_TRANSPORT", None)
result = [settings.PORT, str(settings.DATA_DIR), transport, settings.SECRET_KEY]
"""


@pytest.mark.postgres
def test_postgresql_answers_on_loopback(postgres_server: PostgresServer) -> None:
    with psycopg.connect(postgres_server.url("postgres")) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)


def test_redis_answers(redis_server: str) -> None:
    with redis.Redis.from_url(redis_server) as client:
        assert client.ping() is True


@pytest.mark.browser
def test_chromium_opens_a_page_in_the_asked_theme_and_language(
    sqlite_installation: Installation, browser_page: OpenPage
) -> None:
    page = browser_page(sqlite_installation, theme="dark", locale="zh-CN", width=390)
    page.goto("/accounts/login/")
    assert page.evaluate("[matchMedia('(prefers-color-scheme: dark)').matches, navigator.language, innerWidth]") == [
        True,
        "zh-CN",
        390,
    ]


@pytest.mark.browser
def test_a_person_can_be_signed_in_without_the_form(sqlite_installation: Installation, browser_page: OpenPage) -> None:
    page = browser_page(sqlite_installation, user="ada")
    page.goto("/accounts/password/change/")
    assert page.url.endswith("/accounts/password/change/")
