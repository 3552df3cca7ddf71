from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.errors import Refused
from annotate.guidelines.sections import problems
from annotate.models import AuditEntry, AuditHead, Event, Item, Project, Slot
from judging.models import Answer, Author, Ballot, Study
from judging.studies.draw import draw
from judging.studies.plans import plan
from tests.support.judged import CORRECTION, decided_item
from tests.support.people import make_item, make_member, make_project
from tests.support.studies import AUTHORS, answered_project, drawn, wish

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Project:
    return answered_project()


def told(study: Study) -> list[Any]:
    """All of a study that people can see, in the order in which they get it."""
    return list(study.project.items.order_by("pk").values_list("key", "title", "group", "facts", "content_hash"))


def test_pairs_of_all_authors_are_drawn_with_their_slots_and_ballots(source: Project) -> None:
    study = drawn(source, items=4, overlap=3)
    assert study.counts["items"] == 4
    assert study.counts["votes"] == study.project.items.count() == 4 * 3
    assert Slot.objects.filter(project=study.project, state="open").count() == 4 * 3 * 3
    pairs = Counter(frozenset((one.first.author.name, one.second.author.name)) for one in study.ballots.all())  # type: ignore[union-attr]
    assert pairs == {frozenset(pair): 4 for pair in combinations(AUTHORS, 2)}


def test_a_ballot_names_the_answers_whose_texts_stand_in_the_facts(source: Project) -> None:
    study = drawn(source)
    for ballot in study.ballots.select_related("item", "first", "second"):
        assert ballot.second is not None
        facts = ballot.item.facts
        assert (facts["first"], facts["second"]) == (ballot.first.text, ballot.second.text)
        assert ballot.first.item_id == ballot.second.item_id


@pytest.mark.parametrize("kind", ["checklist_vote", "score_vote"])
def test_single_answers_are_drawn_one_by_one(source: Project, kind: str) -> None:
    study = drawn(source, kind, items=2)
    assert (study.counts["votes"], study.counts["answers"]) == (6, 6)
    assert {ballot.second_id for ballot in study.ballots.all()} == {None}
    if kind == "checklist_vote":
        questions = [question for question, _weight in CORRECTION["checklist"]]
        assert all(item.facts["questions"] == questions for item in study.project.items.all())


def test_each_group_gives_its_share(source: Project) -> None:
    # Two of six are Reasoning: of three drawn, one.
    assert plan(wish(source, items=3)).strata == {"Coding": (4, 2), "Reasoning": (2, 1)}
    assert plan(wish(source, items=3, by="task")).strata == {"Coding": (6, 3)}


def test_a_division_that_no_item_has_is_a_slip(source: Project) -> None:
    with pytest.raises(Refused, match=r"No item is grouped by “tsk”. Stratify by one of: group, .*task"):
        plan(wish(source, by="tsk"))


def test_the_same_seed_draws_the_same_and_another_one_does_not(source: Project) -> None:
    once, again, other = drawn(source, into="a"), drawn(source, into="b"), drawn(source, into="c", seed=8)
    assert told(once) == told(again)
    assert told(once) != told(other)


DESIGNS: list[dict[str, Any]] = [
    {"items": 3},
    {"design": "balanced", "budget": 20, "repeats": 0.2},
    {"design": "random", "budget": 20},
    {"design": "adaptive", "budget": 20},
]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.get("design", "all"))
def test_renaming_the_models_changes_nothing_that_people_see(source: Project, design: dict[str, Any]) -> None:
    before = told(drawn(source, into="a", **design))
    names = dict(zip(AUTHORS, ("Zircon", "Agate", "Moss"), strict=True))
    for old, new in names.items():
        Author.objects.filter(name=old).update(name=new)
    assert told(drawn(source, into="b", authors=list(names.values()), **design)) == before


def test_what_is_left_out_is_counted_by_its_reason(source: Project) -> None:
    first, second, third, *_rest = source.items.order_by("pk")
    Answer.objects.filter(item=first, author__name="Beryl").delete()
    Answer.objects.filter(item=second, author__name="Beryl").update(text="  ")
    Item.objects.filter(pk=third.pk).update(facts={"broken": True})
    found = plan(wish(source, items=2))
    assert found.left_out == {"unreadable": 1, "unanswered": 2, "not_drawn": 1}
    assert found.items + sum(found.left_out.values()) == source.items.count()


def test_what_was_drawn_into_a_project_is_not_drawn_into_it_again(source: Project) -> None:
    target = drawn(source, items=4).project
    found = plan(wish(source, target=target))
    assert (found.items, found.left_out) == (2, {"drawn_before": 4})
    drawn(source)
    with pytest.raises(Refused, match="Nothing to draw"):
        drawn(source)
    assert Ballot.objects.count() == 6 * 3


def test_only_the_newest_version_of_an_answer_is_shown(source: Project) -> None:
    old = Answer.objects.filter(author__name="Beryl").order_by("pk")[0]
    Answer.objects.create(item=old.item, author=old.author, version=2, text="Two.")
    shown = {ballot.first_id for ballot in drawn(source, "score_vote").ballots.all()}
    assert old.pk not in shown


def test_the_group_and_language_of_an_item_stay_and_nothing_else_of_it(source: Project) -> None:
    study = drawn(source)
    keys = set(source.items.values_list("key", flat=True))
    for item in study.project.items.all():
        assert (item.language, item.group in ("Coding", "Reasoning")) == ("en", True)
        assert item.parent_id is None
        assert item.key not in keys
    assert set(Event.objects.filter(project=study.project).values_list("note", flat=True)) == {""}


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("feedback", {}, "is not a kind for votes"),
        ("preference", {"authors": ["Opal-9B"]}, "at least 2"),
        ("preference", {"authors": ["Opal-9B", "Nobody"]}, "Nobody"),
        ("preference", {"items": 0}, "at least one item"),
    ],
)
def test_what_cannot_be_drawn_is_refused(source: Project, kind: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        plan(wish(source, kind, **changes))


def test_a_source_that_nobody_answers_is_refused() -> None:
    with pytest.raises(Refused, match="take no answers"):
        plan(wish(make_project(kind_slug="prompt")))


def test_a_project_of_another_kind_or_overlap_is_left_alone(source: Project) -> None:
    make_project(slug="other", kind_slug="feedback")
    make_project(slug="alone", kind_slug="preference", overlap=1, reviews=0)
    planned = plan(wish(source, overlap=2))
    for into, said in (("other", "of kind feedback"), ("alone", "voters per item: 1, reviews: 0")):
        with pytest.raises(Refused, match=said):
            draw(planned, into=into, by=None)
    assert not Study.objects.exists()


def test_options_of_a_project_that_is_made_are_checked(source: Project) -> None:
    planned = plan(wish(source, "score_vote"))
    with pytest.raises(Refused, match="scale"):
        draw(planned, into="new", by=None, options={"scale": 7})
    made = draw(planned, into="new", by=None, options={"scale": 10, "criteria": ["Clarity"]}).project
    assert made.kind_options.criteria == ["Clarity"]


def test_items_that_are_not_decided_are_no_part_of_it(source: Project) -> None:
    make_item(source)
    found = plan(wish(source))
    assert found.items == 6


def test_a_larger_draw_takes_no_more_statements(source: Project) -> None:
    def statements(planned: Any, into: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            draw(planned, into=into, by=None)
        return len(asked)

    AuditHead.objects.create()
    assert statements(plan(wish(source, items=1)), "one") == statements(plan(wish(source)), "all")


def test_an_item_with_an_empty_checklist_has_nothing_to_vote_on(source: Project) -> None:
    item = decided_item(source, CORRECTION)
    for author in Author.objects.filter(project=source):
        Answer.objects.create(item=item, author=author, text="Two.")
    draft = {**CORRECTION, "checklist": []}
    assert item.base is not None
    item.base.draft = draft
    item.base.save()
    assert plan(wish(source, "checklist_vote")).left_out == {"nothing_to_ask": 1}
    assert plan(wish(source, "score_vote")).left_out == {}


# --- who leads it, and what voters are told -------------------------------------------------------------------------
def test_without_a_drawer_the_leads_of_the_source_lead_the_votes(source: Project) -> None:
    leads = [make_member(source, "lead").user, make_member(source, "lead").user]
    make_member(source, "annotator")
    gone = make_member(source, "lead").user
    gone.is_active = False
    gone.save()
    study = draw(plan(wish(source)), into="votes", by=None)
    assert {(member.user, member.role) for member in study.project.members.all()} == {(lead, "lead") for lead in leads}


def test_who_draws_leads_the_votes_alone(source: Project) -> None:
    lead, _other = make_member(source, "lead").user, make_member(source, "lead")
    study = draw(plan(wish(source)), into="votes", by=lead)
    assert [member.user for member in study.project.members.all()] == [lead]


def test_a_project_that_is_there_keeps_its_people_and_its_guidelines(source: Project) -> None:
    make_member(source, "lead")
    make_project(slug="votes", kind_slug="preference", overlap=1, reviews=0)
    study = draw(plan(wish(source)), into="votes", by=None)
    assert not study.project.members.exists()
    assert study.project.guideline is None


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("preference", ["better for the person who asked", "Equal", "Both bad", "Cannot tell"]),
        ("checklist_vote", ["each question on its own", "Cannot tell"]),
        ("score_vote", ["each criterion on its own", "Cannot tell"]),
    ],
)
def test_a_project_of_votes_begins_with_guidelines_for_its_voters(source: Project, kind: str, parts: list[str]) -> None:
    project = drawn(source, kind, items=2).project
    assert project.guideline is not None
    text = project.guideline.text
    assert [part for part in parts if part not in text] == []
    assert problems(project, text) == []
    assert not any(name in text for name in AUTHORS)


def test_a_drawn_study_leaves_an_entry_in_the_audit_trail(source: Project) -> None:
    study = drawn(source, items=2)
    entry = AuditEntry.objects.get(verb="study.drawn")
    assert (entry.project_id, entry.subject_kind, entry.subject_key) == (source.pk, "study", study.name)
    assert entry.values_after["project"] == study.project.slug
