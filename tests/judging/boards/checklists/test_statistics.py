from collections.abc import Sequence

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Annotation, Item, Project
from judging.boards.checklists import numbers
from judging.boards.checklists.numbers import QuestionStatistics, statistics
from judging.models import Judge
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
THREE = [["Does it say two?", 0.4], ["Does it name both?", 0.3], ["Does it say three?", 0.3]]
# Six answers: the first two questions go together, the third is met where they are not.
MET = [(1, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 1), (0, 0, 1), (0, 1, 1)]


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


def judged_item(project: Project, met: Sequence[Sequence[int | None]], judge: Judge | None = None) -> Item:
    item = decided_item(project, CORRECTION, checklist=THREE)
    for place, each in enumerate(met):
        verdict_on(answer_of(item, f"author {place}"), judge or a_judge(project), each)
    return item


def found(project: Project) -> dict[int, QuestionStatistics]:
    return {one.no: one for one in statistics(project, a_judge(project))}


def test_a_question_that_describes_the_wrong_outcome_comes_first(project: Project) -> None:
    judged_item(project, MET)
    worst, *_others = statistics(project, a_judge(project))
    assert (worst.no, worst.sign) == (3, "contradicts")
    assert worst.first.value == pytest.approx(-1)
    assert worst.discrimination.value is not None
    assert worst.discrimination.value < -0.5


def test_what_is_met_by_all_or_by_nobody_is_told(project: Project) -> None:
    judged_item(project, [(1, 0, met) for met in (1, 0, 1, 0, 1)])
    signs = {no: one.sign for no, one in found(project).items()}
    assert (signs[1], signs[2]) == ("always", "never")


def test_few_answers_say_nothing_against_a_question(project: Project) -> None:
    judged_item(project, MET[:4])
    assert {one.sign for one in found(project).values()} == {"few"}


def test_nothing_said_is_left_out_and_counted(project: Project) -> None:
    judged_item(project, [(1, None, 0), (0, 1, 0), (1, 1, None)])
    second = found(project)[2]
    assert (second.met.met, second.met.n, second.met.skipped) == (2, 2, 1)


def test_verdicts_that_were_not_read_or_are_outdated_count_nowhere(project: Project) -> None:
    item, judge = judged_item(project, MET), a_judge(project)
    verdict_on(answer_of(item, "unread"), judge, (), reading="unparsed")
    verdict_on(answer_of(item, "older"), judge, (1, 1, 1), case_sha="of another text")
    verdict_on(answer_of(item, "author 0", version=2), judge, (0, 0, 0))
    assert found(project)[1].met.n == 6
    assert found(project)[1].met.met == 2


def test_of_several_readings_most_decide(project: Project) -> None:
    item, judge = decided_item(project, CORRECTION, checklist=THREE), a_judge(project)
    answer = answer_of(item, "a")
    for repeat, met in enumerate([(1, 0, 1), (1, 1, 0), (0, 0, None)], start=1):
        verdict_on(answer, judge, met, repeat=repeat)
    one, two, three = (found(project)[no].met for no in (1, 2, 3))
    assert [(each.met, each.n) for each in (one, two)] == [(1, 1), (0, 1)]
    assert (three.n, three.skipped) == (0, 1)  # one reading for it, one against


def test_judges_are_held_against_each_other_on_the_same_answers(project: Project) -> None:
    item, other = judged_item(project, MET[:2]), a_judge(project, "another")
    for answer in item.answers.all():
        verdict_on(answer, other, (1, 0, 0))
    agreed = {no: (one.agreement.value, one.agreement.n) for no, one in found(project).items()}
    assert agreed == {1: (1.0, 2), 2: (0.0, 2), 3: (1.0, 2)}


def test_a_changed_checklist_has_no_statistics_until_it_is_judged_again(project: Project) -> None:
    item = judged_item(project, MET)
    assert len(found(project)) == 3
    item.base = Annotation.objects.create(item=item, model="w", draft=CORRECTION)
    item.save(update_fields=["base"])
    caches["local"].clear()
    assert found(project) == {}


def test_as_many_queries_for_many_items_and_judges(project: Project) -> None:
    counts = []
    for name in ("another", "a third"):
        judged_item(project, MET)
        judged_item(project, MET, a_judge(project, name))
        judge = a_judge(project)
        with CaptureQueriesContext(connection) as queries:
            statistics(project, judge)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12


def test_batches_of_items_give_the_same(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for _item in range(3):
        judged_item(project, MET)
    whole = statistics(project, a_judge(project))
    caches["local"].clear()
    monkeypatch.setattr(numbers, "BATCH", 1)
    assert statistics(project, a_judge(project)) == whole
    assert len(whole) == 9


def test_alternatives_of_which_one_is_enough_raise_no_alarm(project: Project) -> None:
    """The same answers as above, but one met question is enough: that the questions exclude each other is meant so."""
    questions = ["If it agrees: does it say why?", "Does it say when?", "If it does not agree: does it say why?"]
    item = decided_item(project, MAINTENANCE, checklist=questions)
    for place, each in enumerate(MET):
        verdict_on(answer_of(item, f"author {place}"), a_judge(project), each)
    signs = {no: one.sign for no, one in found(project).items()}
    assert found(project)[3].worst == pytest.approx(-1)
    assert signs[3] == "alternative"
    assert not {"contradicts", "weak"} & set(signs.values())


def test_an_alternative_that_every_answer_meets_is_still_named(project: Project) -> None:
    item = decided_item(project, MAINTENANCE)
    for place in range(6):
        verdict_on(answer_of(item, f"author {place}"), a_judge(project), (1, place % 2))
    assert found(project)[1].sign == "always"


def test_where_all_must_be_met_a_contradiction_is_an_alarm(project: Project) -> None:
    project.options = project.options | {"maintenance_rule": "all"}
    project.save(update_fields=["options"])
    item = decided_item(project, MAINTENANCE, checklist=["One?", "Two?", "Three?"])
    for place, each in enumerate(MET):
        verdict_on(answer_of(item, f"author {place}"), a_judge(project), each)
    assert found(project)[3].sign == "contradicts"
