"""People's votes beside the verdicts of a prompt that is tried: their text, and whether a verdict agrees with them."""

from pathlib import Path

import pytest

from annotate.models import Item
from judging.models import Answer
from judging.ratings.trials import PeoplesVotes, peoples_votes
from judging.ratings.units import AnswerUnit
from judging.strategies.orders import OrderJudgement, OrderJudgements
from judging.strategies.strategy import Opinion, OpinionPart
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project
from tests.support.voted import bring, on_an_answer, preference_project


def votes(**questions: list[bool]) -> PeoplesVotes:
    people = PeoplesVotes()
    people.questions.update({name.removeprefix("q"): met for name, met in questions.items()})
    return people


def verdict(**met: bool | None) -> OrderJudgements:
    pieces = [
        OpinionPart(name.removeprefix("q"), score_first=None if is_met is None else float(is_met))
        for name, is_met in met.items()
    ]
    return OrderJudgements([OrderJudgement(Opinion(pieces=pieces), swapped=False, repeat=1)])


def test_votes_on_questions_are_in_the_order_of_their_numbers_with_the_size_of_the_majority() -> None:
    people = votes(q10=[True], q2=[True, False, False], q1=[True, True, False])
    assert people.text == "1. Yes (2 of 3); 2. No (2 of 3); 10. Yes (1 of 1)"


def test_scores_are_means_of_so_many_votes() -> None:
    people = PeoplesVotes()
    people.scores.update({"Clarity": [4.0, 5.0], "Truth": [2.0]})
    assert people.text == "Clarity 4.5 (mean of 2); Truth 2 (mean of 1)"


@pytest.mark.parametrize(
    ("met", "agrees"),
    [
        ({"q1": True, "q2": False}, True),
        ({"q1": True, "q2": True}, False),
        ({"q1": True, "q2": None}, True),
        ({"q1": None, "q2": None}, None),
        ({"q3": True}, None),
    ],
)
def test_a_verdict_agrees_if_it_is_the_majoritys_on_every_question_that_both_answer(
    met: dict[str, bool | None], agrees: bool | None
) -> None:
    """People: 1 is met (2 of 3), 2 is not (a tie is no majority)."""
    assert votes(q1=[True, True, False], q2=[True, False]).agrees(verdict(**met)) is agrees


@pytest.mark.django_db
def test_votes_on_answers_belong_to_the_answer_they_are_about(tmp_path: Path) -> None:
    project = preference_project(kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    bring(
        project,
        tmp_path,
        on_an_answer(),
        on_an_answer(rater="ben", scores={"Clarity": 2, "Truth": 4}),
        on_an_answer("q2"),
    )
    answer = Answer.objects.get(item__key="q1")
    people = peoples_votes(project, [str(AnswerUnit(answer.pk))])
    assert {subject: dict(found.scores) for subject, found in people.items()} == {
        str(AnswerUnit(answer.pk)): {"Clarity": [4.0, 2.0], "Truth": [2.0, 4.0]}
    }


@pytest.mark.django_db
def test_answers_that_nobody_voted_on_have_no_votes() -> None:
    project = make_project()
    answer = answer_of(decided_item(project, CORRECTION), "A", text="It names two moons.")
    assert Item.objects.count() == 1
    assert peoples_votes(project, [str(AnswerUnit(answer.pk))]) == {}
