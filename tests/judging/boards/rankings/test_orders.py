"""Which answer stood first is a figure only where somebody knows it."""

from pathlib import Path

import pytest
from django.core.cache import caches

from annotate.models import Project
from judging.boards.trust.numbers import trust
from judging.models import Judge
from judging.ratings.preferences import battles_of, sides
from lib.stats.figures import ORDER_UNKNOWN
from lib.stats.ranking.report import left_side
from tests.judging.formats.test_votes import MTBENCH
from tests.support.files import command
from tests.support.trusted import material_of
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


def mtbench_rows() -> list[dict[str, object]]:
    rows = [MTBENCH | {"question_id": 81 + number, "judge": f"expert_{who}"} for number in range(4) for who in (1, 2)]
    return [*rows, *(MTBENCH | {"question_id": 81 + number, "judge": "gpt4_pair"} for number in range(4))]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = preference_project()
    bring(project, tmp_path, *mtbench_rows(), format="mtbench")
    return project


def test_pairs_in_the_order_of_a_digest_say_nothing_about_places(project: Project) -> None:
    people, judge = sides(project)
    for side in (people, judge):
        found = battles_of(side)
        assert found.n == found.unordered > 0
        assert (left_side(found).value, left_side(found).note) == (None, ORDER_UNKNOWN)


def test_the_card_of_position_says_why_it_is_left_out(project: Project) -> None:
    found = trust(project, material_of(project, "preference"), Judge.objects.get())
    (card,) = [card for card in found.cards if card.named == "position"]
    assert (card.effect.value, card.effect.note, card.units) == (None, ORDER_UNKNOWN, ())


def test_the_report_says_why(project: Project) -> None:
    code, told, _err = command("report", "votes", "ranking")
    assert code == 0
    assert told["position"]["first"] == {"value": None, "low": None, "high": None, "n": 0, "note": ORDER_UNKNOWN}


def test_files_that_know_the_order_keep_the_figure(tmp_path: Path) -> None:
    project = preference_project()
    bring(project, tmp_path, on_a_pair("q1"), on_a_pair("q2", "second"), *by_judge("q1"))
    people, judge = (battles_of(side) for side in sides(project))
    assert (left_side(people).value, left_side(people).note) == (0.5, "")
    assert judge.unordered == 0


def test_a_judge_that_saw_both_orders_keeps_its_figure_even_there(tmp_path: Path) -> None:
    project, key = preference_project(), "mtbench-81-1-0123456789ab"
    bring(project, tmp_path, on_a_pair(key), *by_judge(key, "first", "second"))
    people, judge = (battles_of(side) for side in sides(project))
    assert (people.unordered, judge.unordered) == (1, 0)
    found = trust(project, material_of(project, "preference"), Judge.objects.get())
    (card,) = [card for card in found.cards if card.named == "position"]
    assert card.effect.value == 1
