"""What an installation in production is told before it starts (`check --deploy`)."""

import secrets

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow

PRODUCTION = {
    "DEBUG": "false",
    "HTTPS": "true",
    "SECRET_KEY": secrets.token_urlsafe(60),
    "ALLOWED_HOSTS": "touchstone.example.org",
}


def test_the_deployment_check_finds_nothing(installations: Installations) -> None:
    with installations.migrated("sqlite") as installation:
        done = installation.manage("check", "--deploy", "--fail-level", "WARNING", check=False, **PRODUCTION)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    ("weakened", "code"), [({"SECRET_KEY": "short"}, "security.W009"), ({"HTTPS": "false"}, "security.W008")]
)
def test_a_weak_set_up_is_named(installations: Installations, weakened: dict[str, str], code: str) -> None:
    with installations.migrated("sqlite") as installation:
        done = installation.manage("check", "--deploy", "--fail-level", "WARNING", check=False, **PRODUCTION | weakened)
    assert done.returncode == 1
    assert code in done.stderr


def test_production_does_not_start_without_a_key(installations: Installations) -> None:
    with installations.migrated("sqlite") as installation:
        done = installation.manage("check", check=False, **PRODUCTION | {"SECRET_KEY": ""})
    assert done.returncode != 0
    assert "SECRET_KEY is not set" in done.stderr
