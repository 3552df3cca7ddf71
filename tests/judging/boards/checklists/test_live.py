from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Project
from judging.boards.checklists.live_scores import LiveScores, live_scores
from judging.boards.checklists.numbers import read_questions
from judging.models import Judge
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
TWO, PHOBOS = CORRECTION["checklist"][0][0], CORRECTION["checklist"][1][0]


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def item(project: Project) -> Item:
    return judged(decided_item(project, CORRECTION))


def judged(item: Item) -> Item:
    for author, met in (("a", (1, 1)), ("b", (1, 0)), ("c", (0, 0))):
        verdict_on(answer_of(item, author, text=f"what {author} says"), a_judge(item.project), met)
    return item


def live(item: Item, checklist: list[Any], draft: Any = CORRECTION, **changes: Any) -> LiveScores:
    found = live_scores(item, draft | {"checklist": checklist} | changes)
    assert found is not None
    return found


def scores(found: LiveScores) -> list[tuple[float, float]]:
    return sorted((round(one.low, 6), round(one.high, 6)) for one in found.answers)


def test_the_checklist_as_it_was_judged_gives_the_scores_of_the_leaderboard(item: Item) -> None:
    assert scores(live(item, CORRECTION["checklist"])) == [(0, 0), (0.6, 0.6), (1, 1)]


def test_criteria_that_a_judge_numbered_itself_are_no_questions(project: Project, item: Item) -> None:
    other = Judge.objects.create(project=project, name="judge-b", strategy="branching-single")
    verdict_on(answer_of(item, "d"), other, (5, 1))
    assert read_questions([item.pk], [other]).said == {}
    assert read_questions([item.pk], [a_judge(project), other]).said.keys() == {a_judge(project).pk}


def test_other_weights_change_the_scores_at_once(item: Item) -> None:
    assert scores(live(item, [[TWO, 0.1], [PHOBOS, 0.9]])) == [(0, 0), (0.1, 0.1), (1, 1)]


def test_order_and_removal_are_followed_by_the_text(item: Item) -> None:
    assert scores(live(item, [[PHOBOS, 0.5], [TWO, 0.5]])) == [(0, 0), (0.5, 0.5), (1, 1)]
    assert scores(live(item, [[PHOBOS, 1.0]])) == [(0, 0), (0, 0), (1, 1)]


def test_a_new_question_is_not_judged_yet_and_opens_a_span(item: Item) -> None:
    found = live(item, [[TWO, 0.6], ["Is the tone friendly towards children?", 0.4]])
    assert scores(found) == [(0, 0.4), (0.6, 1.0), (0.6, 1.0)]
    assert found.unjudged == 1
    assert found.lines is not None
    assert found.lines[1].met is None


def test_a_slightly_reworded_question_is_still_known_and_marked(item: Item) -> None:
    found = live(item, [["Does it say that the planet Mars has two moons?", 0.6], [PHOBOS, 0.4]])
    assert scores(found) == [(0, 0), (0.6, 0.6), (1, 1)]
    assert found.lines is not None
    assert [line.reworded for line in found.lines] == [True, False]


def test_the_rule_of_the_item_holds(project: Project) -> None:
    item = judged(decided_item(project, MAINTENANCE))
    questions = MAINTENANCE["checklist"]
    assert scores(live(item, questions, MAINTENANCE)) == [(0, 0), (1, 1), (1, 1)]  # any question met
    assert scores(live(item, questions[1:], MAINTENANCE)) == [(0, 0), (0, 0), (1, 1)]


def test_a_half_typed_weight_is_no_checklist_yet(item: Item) -> None:
    found = live(item, [[TWO, "0.x"], [PHOBOS, 0.4]])
    assert (found.lines, found.answers) == (None, [])


def test_another_feedback_is_told(item: Item) -> None:
    assert not live(item, CORRECTION["checklist"]).moved
    assert live(item, CORRECTION["checklist"], feedback="Something else.").moved


def test_the_order_of_answers_says_nothing_about_authors_and_stays(project: Project) -> None:
    def order(item: Item) -> str:
        texts = (live_scores(item, CORRECTION, number) for number in (1, 2, 3))
        return "".join(found.text[5] for found in texts if found)

    orders = [order(judged(decided_item(project, CORRECTION))) for _number in range(8)]
    assert len(set(orders)) > 1
    assert orders[0] == order(Item.objects.select_related("base", "project").earliest("pk"))


@pytest.mark.parametrize("chosen", [-1, 0, 99])
def test_a_number_that_is_no_answer_is_the_nearest(item: Item, chosen: int) -> None:
    found = live_scores(item, CORRECTION, chosen)
    assert found is not None
    assert found.chosen == (3 if chosen == 99 else 1)


def test_without_verdicts_there_is_nothing(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    answer_of(item, "a")
    assert live_scores(item, CORRECTION) is None


def test_it_takes_nine_queries_at_most(item: Item) -> None:
    fresh = Item.objects.select_related("base", "project").get(pk=item.pk)
    with CaptureQueriesContext(connection) as queries:
        live_scores(fresh, CORRECTION)
    assert len(queries) <= 9
