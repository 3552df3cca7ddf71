"""The pages of a project of perturbations: axe in four appearances, and texts that try to act, in every field."""

from collections.abc import Iterator

import pytest

from tests.browser.test_accessibility import UNFOLD
from tests.browser.test_accessibility import complaints as faults_on
from tests.browser.test_injection import REPORTING, Visit
from tests.security.world_perturbed import PAGES
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BUILD = """
from tests.browser.payloads import Attacks
from tests.security.world import plain
from tests.security.world_perturbed import build
Project.objects.all().delete()
Endpoint.objects.all().delete()
User.objects.all().delete()
result = build(plain if turn is None else Attacks(turn))
"""
WHO = {"desk": "annotator", "adjudication": "reviewer"}
TURNS = (0, 5)


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite", DJANGO_SETTINGS_MODULE=REPORTING) as installation:
        yield installation


@pytest.fixture(scope="module")
def paths(installation: Installation) -> dict[str, str]:
    return installation.python(BUILD, turn=None)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_everybody(
    installation: Installation, paths: dict[str, str], browser_page: OpenPage, name: str
) -> None:
    page = browser_page(installation, user=WHO.get(name, "lead"), reduced_motion="reduce")
    answer = page.goto(paths[name])
    assert answer is not None
    assert (answer.status, page.url) == (200, installation.url + paths[name])
    page.evaluate(UNFOLD)
    assert faults_on(page) == []


@pytest.mark.parametrize("turn", TURNS)
def test_no_text_acts(installation: Installation, browser_page: OpenPage, turn: int) -> None:
    attacked = installation.python(BUILD, turn=turn)
    heard, visits = [], dict[str, Visit]()
    for name, path in attacked.items():
        user = WHO.get(name, "lead")
        if user not in visits:
            visits[user] = Visit(browser_page(installation, user=user), installation.url)
        heard += visits[user].complaints(path)
    assert heard == []
