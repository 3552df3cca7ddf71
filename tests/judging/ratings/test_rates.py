import pytest

from annotate.models import Item
from judging.models import Answer
from judging.ratings.consistency import consistency_rates
from judging.ratings.raters import ProjectRatings, ratings
from judging.ratings.units import CHECKLIST, AnswerUnit, Rater, Rating
from tests.support.files import command
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn, vote

pytestmark = pytest.mark.django_db


def voted(answer: int, item: Item, rater: str, *met: bool | None) -> list[Rating]:
    person = Rater("person", rater)
    values = [None if each is None else float(each) for each in met]
    return [
        Rating(AnswerUnit(answer, str(place)), person, value, item=item.pk, axis=str(place))
        for place, value in enumerate(values, 1)
    ]


def test_the_judge_is_held_against_most_people_for_each_author() -> None:
    """model-a: 3 of 4 questions alike, one answer of two wholly; model-b: 1 of 1 (people are split on the other)."""
    project = make_project()
    items = [decided_item(project, CORRECTION) for _no in range(3)]
    one, two = answer_of(items[0], "model-a"), answer_of(items[1], "model-a")
    three = answer_of(items[2], "model-b")
    for answer, met in ((one, [1, 0]), (two, [1, 1]), (three, [0, 0])):
        verdict_on(answer, a_judge(project), met)
    verdict_on(answer_of(decided_item(project, CORRECTION), "model-c"), a_judge(project), [1, 1])  # not in the study
    people = [
        *voted(one.pk, items[0], "anna", True, False),
        *voted(one.pk, items[0], "bo", True, None),
        *voted(two.pk, items[1], "anna", True, False),
        *voted(two.pk, items[1], "bo", True, False),
        *voted(three.pk, items[2], "anna", False, True),
        *voted(three.pk, items[2], "bo", False, False),
    ]
    [found] = consistency_rates(project, given=ProjectRatings([*people, *ratings(project, CHECKLIST)]))
    assert found.judge.name == "judge-m"
    assert list(found.rate.authors) == ["model-a", "model-b"]
    assert (found.rate.authors["model-a"].per_question, found.rate.authors["model-a"].per_sample) == (0.75, 0.5)
    assert (found.rate.per_question, found.rate.per_sample) == (0.875, 0.75)
    assert (found.split, found.rate.skipped) == (1, 1)


def test_without_votes_there_is_no_rate() -> None:
    project = make_project()
    verdict_on(answer_of(decided_item(project, CORRECTION), "model-a"), a_judge(project), [1, 1])
    assert consistency_rates(project) == []


def test_people_who_vote_blindly_meet_the_judge_on_the_same_questions() -> None:
    """Two questions of one answer of Beryl's: people say yes and no, the judge both yes; the report says 50 %."""
    source = answered_project(items=1)
    answer = Answer.objects.get(author__name="Beryl")
    verdict_on(answer, a_judge(source), [1, 1])
    member = make_member(drawn(source, "checklist_vote", authors=["Beryl"], overlap=1).project)
    vote(member, {"votes": ["yes", "no"], "reasons": ["", ""], "recognised": False})
    told = command("report", source.slug, "consistency")[1]
    [row] = told["checklists"]
    assert (told["rows"], row["judge"], row["per_question"], row["per_sample"]) == ([], "judge-m", 50.0, 0.0)
    assert row["authors"] == [
        {"author": "Beryl", "questions": 2, "per_question": 50.0, "samples": 1, "per_sample": 0.0}
    ]
    agreement = command("report", source.slug, "agreement")[1]
    assert [(row["units"], row["coefficients"]["percent"]["value"]) for row in agreement["rows"]] == [(2, 0.5)]
