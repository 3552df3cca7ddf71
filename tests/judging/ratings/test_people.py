from collections import Counter
from typing import Any

import pytest
from django.utils import timezone

from annotate.items.slots import deal
from annotate.models import Annotation, Item, Member, Project
from judging.models import Answer, Ballot
from judging.ratings.raters import of_people
from judging.ratings.units import CHECKLIST, PREFERENCE, SCORE, AnswerUnit, PairUnit, Rating
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn, prefers, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Project:
    return answered_project(items=1)


def member_of(project: Project) -> Member:
    return make_member(project)


def read(project: Project, what: str, **more: Any) -> list[Rating]:
    return list(of_people(project, what, **more))


def test_a_checklist_vote_is_one_rating_for_each_question(source: Project) -> None:
    member = member_of(drawn(source, "checklist_vote", authors=["Beryl"], overlap=1).project)
    said = vote(member, {"votes": ["yes", "cannot_tell"], "reasons": ["", ""], "recognised": False})
    answer = Answer.objects.get(author__name="Beryl")
    ratings = read(source, CHECKLIST)
    assert [(one.unit, one.value, one.axis) for one in ratings] == [
        (AnswerUnit(answer.pk, "1"), 1.0, "1"),
        (AnswerUnit(answer.pk, "2"), None, "2"),
    ]
    assert {(one.rater.sort, one.rater.name, one.rater.pk) for one in ratings} == {
        ("person", member.user.username, member.user_id)
    }
    assert {(one.item, one.source) for one in ratings} == {(answer.item_id, said.pk)}


def test_a_score_of_the_only_criterion_is_of_the_answer_itself(source: Project) -> None:
    member = member_of(drawn(source, "score_vote", authors=["Beryl"], overlap=1).project)
    vote(member, {"scores": {"Overall quality": 4}, "cannot_tell": [], "reason": "", "recognised": False})
    answer = Answer.objects.get(author__name="Beryl")
    assert [(one.unit, one.value) for one in read(source, SCORE)] == [(AnswerUnit(answer.pk), 4.0)]
    assert read(source, PREFERENCE) == []


@pytest.mark.parametrize("turned", [False, True])
def test_a_preference_is_told_in_the_order_of_its_unit(source: Project, turned: bool) -> None:
    member = member_of(drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project)
    ballot = Ballot.objects.get()
    assert ballot.second_id is not None
    small, large = sorted((ballot.first_id, ballot.second_id))
    Ballot.objects.update(first=large if turned else small, second=small if turned else large)
    vote(member, prefers("first"))
    [rating] = read(source, PREFERENCE)
    assert (rating.unit, rating.value) == (PairUnit(small, large), "second" if turned else "first")
    assert rating.swapped == (turned != bool(deal(ballot.item_id, member.user_id) % 2))


@pytest.mark.parametrize(("choice", "value"), [("tie", "tie"), ("both_bad", "both_bad"), ("cannot_tell", None)])
def test_what_prefers_neither_has_no_order(source: Project, choice: str, value: str | None) -> None:
    vote(member_of(drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project), prefers(choice))
    assert [one.value for one in read(source, PREFERENCE)] == [value]


def test_drafts_and_unfinished_votes_are_no_ratings(source: Project) -> None:
    project = drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project
    Annotation.objects.create(item=project.items.get(), author=member_of(project).user, draft=prefers("first"))
    assert read(source, PREFERENCE) == []


def test_raters_of_a_file_are_told_from_accounts_of_the_same_name(source: Project) -> None:
    project = drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project
    member = member_of(project)
    vote(member, prefers("tie"))
    for rater in (member.user.username, "expert_3"):
        Annotation.objects.create(
            item=project.items.get(), rater=rater, draft=prefers("first"), submitted_at=timezone.now()
        )
    names = [one.rater.name for one in read(source, PREFERENCE)]
    assert names == [member.user.username, f"{member.user.username} (file)", "expert_3"]


def test_the_last_of_a_raters_votes_counts(source: Project) -> None:
    project = drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project
    for choice in ("first", "tie"):
        Annotation.objects.create(
            item=project.items.get(), rater="expert", draft=prefers(choice), submitted_at=timezone.now()
        )
    assert [one.value for one in read(source, PREFERENCE)] == ["tie"]


def test_votes_about_older_answers_and_unreadable_ones_are_counted_apart(source: Project) -> None:
    project = drawn(source, "score_vote", overlap=1).project
    first, second, _third = project.items.order_by("pk")
    for item, draft in (
        (first, {"odd": 1}),
        (second, {"scores": {}, "cannot_tell": [], "reason": "", "recognised": False}),
    ):
        Annotation.objects.create(item=item, rater="r", draft=draft, submitted_at=timezone.now())
    old = Ballot.objects.get(item=second).first
    Answer.objects.create(item=old.item, author=old.author, version=2, text="Another text.")
    left_out: Counter[str] = Counter()
    assert read(source, SCORE, left_out=left_out) == []
    assert left_out == {"unreadable": 1, "outdated": 1}


def test_gold_and_calibration_items_are_no_ratings(source: Project) -> None:
    project = drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project
    vote(member_of(project), prefers("tie"))
    Item.objects.filter(project=project).update(purpose="gold")
    assert read(source, PREFERENCE) == []


def test_ratings_of_other_projects_are_not_read(source: Project) -> None:
    vote(member_of(drawn(source, authors=["Opal-9B", "Beryl"], overlap=1).project), prefers("tie"))
    assert read(make_project(), PREFERENCE) == []


def test_many_votes_take_as_many_queries_as_few(source: Project, django_assert_num_queries: Any) -> None:
    project = drawn(source, overlap=1).project
    for item in project.items.all():
        Annotation.objects.create(item=item, rater="r", draft=prefers("tie"), submitted_at=timezone.now())
    with django_assert_num_queries(2):
        assert len(read(source, PREFERENCE)) == 3
