from dataclasses import fields
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.items import actions, queue
from annotate.items import queries as item_lists
from annotate.items.queries import COLUMNS, SELECTS, ItemFilters, matching
from annotate.models import Annotation, Batch, Comment, Event, Item, Project, Skip, Slot
from annotate.review import decisions
from annotate.review.decisions import Reason
from tests.support.people import make_project
from tests.support.reviews import Case, make_case
from tests.support.runs import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def keys(case: Case, **given: Any) -> list[str]:
    return list(matching(case.project, ItemFilters(**given)).order_by("pk").values_list("key", flat=True))


def test_every_filter_has_a_meaning() -> None:
    assert {field.name for field in fields(ItemFilters)} == {
        *COLUMNS,
        *SELECTS,
        *("q", "event", "since", "until", "metadata", "value"),
    }


def test_without_filters_everything_of_this_project_is_listed(case: Case) -> None:
    case.item("mine")
    Project.objects.create(slug="other", name="Other", kind_slug="feedback").items.create(
        key="theirs", facts={}, content_hash="x"
    )
    assert keys(case) == ["mine"]


@pytest.mark.parametrize(
    ("filters", "columns"),
    [
        ({"state": "dropped"}, {"state": "dropped", "drop_reason": "other"}),
        ({"group": "Coding"}, {"group": "Coding"}),
        ({"language": "zh"}, {"language": "zh"}),
        ({"purpose": "gold"}, {"purpose": "gold"}),
        ({"priority": 0}, {"priority": 0}),
        ({"priority": -2}, {"priority": -2}),
        ({"drop_reason": "duplicate"}, {"state": "dropped", "drop_reason": "duplicate"}),
    ],
)
def test_columns_are_compared(case: Case, filters: dict[str, Any], columns: dict[str, Any]) -> None:
    usual = {"group": "Reasoning", "language": "fr", "priority": 9, "facts": {}}
    for key, own in (("hit", columns), ("miss", {})):
        Item.objects.create(**{"project": case.project, "key": key, "content_hash": key} | usual | own)
    assert keys(case, **filters) == ["hit"]


def test_the_values_of_a_column_are_in_order_and_there_once(case: Case) -> None:
    other = Project.objects.create(slug="other", name="Other", kind_slug="feedback")
    languages = [("en", "work"), ("zh", "work"), ("en", "gold"), ("", "work"), ("fr", "gold"), ("zh", "work")]
    for number, (language, purpose) in enumerate(languages):
        for project, value in ((case.project, language), (other, f"{language}-x")):
            project.items.create(key=f"{number}", facts={}, content_hash="x", language=value, purpose=purpose)
    values = item_lists.distinct_values
    assert values(case.project, "language") == ["", "en", "fr", "zh"]
    assert values(case.project, "language", purpose="work") == ["", "en", "zh"]
    assert values(case.project, "language", most=2) == ["", "en"]
    assert values(case.project, "language", purpose="attention") == []


def test_search_looks_into_key_and_title(case: Case) -> None:
    case.item("alpha-1")
    case.item("beta-1")
    Item.objects.filter(key="beta-1").update(title="About ALPHA rays")
    case.item("gamma-1")
    assert keys(case, q="alpha") == ["alpha-1", "beta-1"]


def test_percent_signs_are_searched_as_they_are(case: Case) -> None:
    case.item("100%")
    case.item("1000")
    assert keys(case, q="0%") == ["100%"]


def test_items_of_one_import(case: Case) -> None:
    batch = Batch.objects.create(project=case.project, file_name="a.jsonl", format="jsonl")
    case.item("in")
    case.item("out")
    Item.objects.filter(key="in").update(batch=batch)
    assert keys(case, batch=batch.pk) == ["in"]


def test_items_with_a_suggestion_of_one_run(case: Case) -> None:
    run, other = make_run(case.project), make_run(make_project())
    for key, author in (("suggested", run), ("elsewhere", other)):
        Annotation.objects.create(item=case.item(key), model="drafter-a", draft={}, run=author)
    case.item("plain")
    assert keys(case, run=run.pk) == ["suggested"]
    assert keys(case, run=other.pk) == []


def test_by_whom_items_are_held_assigned_and_done(case: Case) -> None:
    held, kept, done, free = (case.item(key) for key in ("held", "kept", "done", "free"))
    queue.claim(case.open_slot(held, "annotate").pk, case.member(case.annotator))
    actions.assign(kept, to=case.member(case.annotator), by=case.lead)
    case.written(done)
    me, other = str(case.annotator.pk), str(case.viewer.pk)
    assert keys(case, held=me) == keys(case, held="anyone") == ["held"]
    assert keys(case, assigned=me) == keys(case, assigned="anyone") == ["kept"]
    assert keys(case, by=me) == ["done"]
    assert keys(case, held=other) == keys(case, assigned=other) == keys(case, by=other) == []
    assert free.key not in keys(case, held="anyone")


def test_what_is_held_too_long(case: Case) -> None:
    late, fine = case.item("late"), case.item("fine")
    for item in (late, fine):
        queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
    Slot.objects.filter(item=late).update(lease_until=timezone.now() - timedelta(minutes=1))
    assert keys(case, held="overdue") == ["late"]


def test_what_was_reviewed_and_sent_back(case: Case) -> None:
    back, right = case.under_review("back"), case.under_review("right")
    decisions.send_back(review=back, token=back.slot.token, by=case.reviewer, reasons=[Reason("feedback", "no")])
    decisions.accept(review=right, token=right.slot.token, by=case.reviewer)
    me = str(case.annotator.pk)
    assert keys(case, reviewed=me) == ["back", "right"]
    assert keys(case, returned=me) == keys(case, returned="anyone") == ["back"]
    assert keys(case, returned=str(case.reviewer.pk)) == []


def test_skipped_commented_and_left(case: Case) -> None:
    skipped, talked, left, _plain = (case.item(key) for key in ("skipped", "talked", "left", "plain"))
    Skip.objects.create(item=skipped, person=case.annotator, reason="broken")
    Comment.objects.create(item=talked, author=case.lead, text="?")
    annotation = case.written(left)
    assert keys(case, drafts="left") == []
    type(annotation).objects.filter(pk=annotation.pk).update(submitted_at=None, outcome="")
    assert keys(case, drafts="left") == ["left"]
    assert keys(case, skipped="broken") == keys(case, skipped="any") == ["skipped"]
    assert keys(case, skipped="unsafe") == []
    assert keys(case, comments="open") == ["talked"]


def test_recorded_time(case: Case) -> None:
    case.written(case.item("timed"))
    case.item("untimed")
    case.project.items.get(key="timed").annotations.filter(author=case.annotator).update(active_seconds=9)
    assert keys(case, minutes="counted") == ["timed"]
    assert keys(case, minutes="none") == ["untimed"]


def test_what_happened_between_two_days_both_included(case: Case) -> None:
    today = timezone.localdate()
    for key, back in (("old", 3), ("first", 2), ("last", 1), ("new", 0)):
        Event.objects.create(
            item=case.item(key),
            project=case.project,
            verb="accepted",
            at=item_lists.day_begins(today - timedelta(days=back)) + timedelta(hours=23, minutes=59),
        )
    since, until = today - timedelta(days=2), today - timedelta(days=1)
    assert keys(case, event="accepted", since=since, until=until) == ["first", "last"]
    assert keys(case, event="accepted") == ["old", "first", "last", "new"]
    assert keys(case, event="dropped") == []


def test_counting_stops_early(case: Case) -> None:
    for n in range(4):
        case.item(f"k-{n}")
    assert item_lists.count_up_to(Item.objects.all(), 2) == 3
    assert item_lists.count_up_to(Item.objects.all(), 9) == 4
