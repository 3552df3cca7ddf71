from decimal import Decimal
from typing import Any

import pytest

from annotate.items import drafts, queue
from annotate.models import Item, Member, Project
from annotate.project import settings_effects
from annotate.project.actions import change_settings
from annotate.project.settings_effects import effects
from tests.support.guidelines import accepted
from tests.support.people import make_item, make_project
from tests.support.reviews import WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db
TASKS = {"Reasoning": ["IQ Questions"], "Coding": ["Code Generation"]}


@pytest.fixture
def case() -> Case:
    return make_case(options={"tasks": TASKS})


def told(project: Project, **values: Any) -> list[str]:
    return [f"{effect.text} {effect.listed}".strip() for effect in effects(Project.objects.get(pk=project.pk), values)]


def test_what_is_not_changed_has_no_effect(case: Case) -> None:
    assert told(case.project, reviews=1, name="Feedback") == []


def test_a_name_changes_nothing_for_stored_work(case: Case) -> None:
    assert told(case.project, name="Other") == ["Nothing changes for stored work: nothing is submitted yet."]


def test_the_way_of_each_item_that_waits_is_counted(case: Case) -> None:
    case.item("a")
    case.item("b")
    case.written(case.item("c"))
    assert told(case.project, reviews=2) == [
        "2 items to be written: two independent reviews (instead of: one review).",
        "1 item under review stays there.",
        "1 submitted text stays as it is.",
    ]
    assert told(case.project, reviews=0)[0] == (
        "2 items to be written: accepted without a review (instead of: one review)."
    )


def test_a_share_of_second_reviews_counts_the_items_that_will_be_drawn() -> None:
    """The draw is by key, so that what is announced is what happens."""
    case = make_case(reviews=2)
    for number in range(20):
        case.item(f"k-{number}")
    [effect, _rest] = effects(case.project, {"second_share": Decimal("0.5")})
    change_settings(case.project, second_share=Decimal("0.5"))
    reviews = []
    for item in list(Item.objects.order_by("pk")):
        case.written(item)
        reviews.append(item.slots.filter(stage="review").count())
    assert effect.n == reviews.count(1)
    assert 0 < effect.n < 20


def test_items_in_the_queue_keep_their_places_and_later_ones_get_more() -> None:
    project = make_project(reviews=0)
    make_item(project)
    Item.objects.create(project=project, key="later", title="l", facts={}, content_hash="l")
    assert told(project, overlap=3)[0] == (
        "1 item to be written: 3 people write, and are compared (instead of: accepted without a review)."
    )
    assert Item.objects.filter(state="ready").count() == 1


def test_votes_are_counted_as_votes() -> None:
    project = make_project(kind_slug="preference", reviews=0)
    for key, state in (("later", "imported"), ("done", "accepted")):
        Item.objects.create(project=project, key=key, title=key, facts={}, content_hash=key, state=state)
    assert told(project, overlap=3)[:2] == [
        "1 item to be voted on: 3 votes (instead of: 1 vote).",
        "1 item has all its votes and gets no further one.",
    ]


def test_leases_suggestions_and_licences_say_from_when_they_count(case: Case) -> None:
    queue.claim(case.open_slot(case.item("a"), "annotate").pk, case.member(case.annotator))
    case.item("b")
    assert told(case.project, lease_minutes=5)[0] == "1 item in progress gets the new time when it is next saved."
    assert told(case.project, blind_share=Decimal("0.5"))[0].startswith("1 item in the queue keeps what was drawn")
    assert told(case.project, waits_for_suggestion=True)[0] == "2 items stay in the queue."


def test_texts_that_the_new_labels_refuse_are_counted_by_where_they_are(case: Case) -> None:
    """The same label is in a draft, in a text under review and in an accepted item; another text has another label."""
    accepted(case, "accepted")
    case.written(case.item("submitted"))
    slot = queue.claim(case.open_slot(case.item("draft"), "annotate").pk, case.member(case.annotator))
    assert slot is not None
    drafts.open_draft(slot, author=case.annotator, item=slot.item, project=case.project)
    case.written(case.item("other"), {**WRITTEN, "task_type": "Coding", "sub_task_type": "Code Generation"})
    assert told(case.project, options={"tasks": {"Coding": ["Code Generation"]}}) == [
        "Tasks: models use it from the next run on.",
        "1 draft in progress can be submitted only after a correction.",
        "1 text under review can be accepted only after a correction.",
        "1 accepted item stays accepted, but would be refused under these rules.",
        "3 submitted texts stay as they are.",
    ]
    longer = {"tasks": {**TASKS, "Writing": ["Poems"]}}
    assert told(case.project, options=longer)[1:] == ["3 submitted texts stay as they are."]


def test_groups_that_are_gone_are_named_with_their_people(case: Case) -> None:
    item = case.item("a")
    Item.objects.filter(pk=item.pk).update(group="Coding")
    Member.objects.filter(user=case.annotator).update(groups=["Coding"])
    said = told(case.project, options={"tasks": {"Reasoning": ["IQ Questions"]}})
    assert "1 undecided item is in a group that is no longer there: Coding" in said
    assert "1 person is limited to a group that is no longer there: annotator" in said


def test_the_number_of_queries_does_not_grow(django_assert_max_num_queries: Any) -> None:
    case = make_case(options={"tasks": TASKS})
    for number in range(6):
        accepted(case, f"k-{number}")
    values = {"options": {"tasks": {"Coding": ["Code Generation"]}}, "reviews": 2}
    project = Project.objects.get(pk=case.project.pk)
    with django_assert_max_num_queries(10):
        assert effects(project, values)


def test_of_many_items_and_texts_a_part_is_counted_and_that_is_said(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("a", "b", "c"):
        case.item(key)
    monkeypatch.setattr(settings_effects, "KEYS_READ", 2)
    assert told(case.project, reviews=2)[:2] == [
        "2 items to be written: two independent reviews (instead of: one review).",
        "Counted over the first 2 of 3 items to be written.",
    ]


def test_releases_keep_the_licence_that_they_were_made_with(case: Case) -> None:
    case.project.releases.create(version=1, stored_as="v1", licence="CC0-1.0")
    assert told(case.project, licence="CC-BY-4.0")[0] == "1 release keeps its licence."


def test_items_that_wait_for_a_model_go_on_waiting() -> None:
    project = make_project(waits_for_suggestion=True)
    Item.objects.create(project=project, key="a", title="a", facts={}, content_hash="a")
    assert told(project, waits_for_suggestion=False)[0] == (
        "1 item goes on waiting for a model, until you put it into the queue."
    )


def test_texts_that_cannot_be_read_are_none_that_would_be_refused(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case.written(case.item("a"))
    case.written(case.item("b"))
    other = {"tasks": {"Coding": ["Code Generation"]}}
    assert "2 texts under review can be accepted only after a correction." in told(case.project, options=other)
    monkeypatch.setattr(settings_effects, "TEXTS_READ", 1)
    assert told(case.project, options=other)[1:3] == [
        "1 text under review can be accepted only after a correction.",
        "Counted over the newest 1 of 2 texts.",
    ]
    Item.objects.update(facts={"user_query": 7})
    assert not any("after a correction" in text for text in told(case.project, options=other))
