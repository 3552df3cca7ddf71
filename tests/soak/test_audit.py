"""The auditor finds whatever is wrong in the tables, each with the check that is there for it."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotate.chores import make_release
from annotate.models import Annotation, Batch, Call, Endpoint, Event, Item, Job, Release, Run, Slot
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.releases.files import folder, path_of
from annotate.review import decisions
from tests.soak import audit
from tests.support.reviews import SUGGESTED, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(settings: Any, tmp_path: Path) -> Case:
    """Items in several states, a release of the accepted one, and a finished run."""
    settings.DATA_DIR = tmp_path
    case = make_case()
    review = case.under_review("accepted")
    assert review.slot is not None
    assert review.slot.token is not None
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    case.under_review("in-review")
    case.item("ready")
    make_release.work(actions.plan(project=case.project, filters=ReleaseFilters(), by=case.lead).pk)
    _run(case)
    return case


def _run(case: Case) -> None:
    endpoint = Endpoint.objects.create(name="e", base_url="http://127.0.0.1:9/v1", model="m")
    columns = {"calls": 1, "cost": Decimal("0.5"), "tokens_in": 10, "tokens_out": 5, "budget": Decimal(1)}
    run = Run.objects.create(
        project=case.project, purpose="preannotate", endpoint=endpoint, state=Run.State.FINISHED, **columns
    )
    item = Item.objects.get(key="ready")
    job = Job.objects.create(run=run, subject="1", item=item, state=Job.State.DONE)
    Call.objects.create(
        job=job, step="s", attempt=1, digest="d", request={}, cause="", tokens_in=10, tokens_out=5, cost=Decimal("0.5")
    )
    Annotation.objects.create(item=item, model="m", run=run, draft=SUGGESTED, submitted_at=timezone.now())


def found() -> set[str]:
    return {sentence.partition(":")[0] for sentence in audit.violations()}


def test_nothing_is_wrong_with_what_the_services_write(case: Case) -> None:
    assert audit.violations() == []


def ruined_release(_case: Case) -> None:
    path = path_of(Release.objects.get().stored_as)
    path.write_bytes(path.read_bytes() + b"{}\n")


def second_text(_case: Case) -> None:
    slot = Slot.objects.filter(state="submitted", stage="annotate").first()
    assert slot is not None
    Annotation.objects.filter(slot=slot).update(submitted_at=None)


def submitted_in_an_open_slot(_case: Case) -> None:
    slot = Slot.objects.filter(state="submitted").first()
    assert slot is not None
    Slot.objects.filter(pk=slot.pk).update(state="void")


def own_review(_case: Case) -> None:
    for slot in Slot.objects.filter(state="submitted", stage="review"):
        Annotation.objects.filter(pk=slot.about_id).update(author=slot.holder)


def read_twice(_case: Case) -> None:
    call = Call.objects.get()
    call.pk, call.attempt = None, 2
    call.save()


BREAKS: dict[str, Callable[[Case], object]] = {
    "states_are_what_the_events_say": lambda _case: Item.objects.filter(key="ready").update(state="imported"),
    "open_work_fits_the_state": lambda _case: Slot.objects.filter(item__key="ready").delete(),
    "submitted_slots_hold_one_text_of_their_holder": second_text,
    "nothing_is_submitted_elsewhere": submitted_in_an_open_slot,
    "nobody_reviews_their_own_text": own_review,
    "runs_are_the_sums_of_their_calls": lambda _case: Run.objects.update(calls=2),
    "ended_runs_have_no_open_jobs": lambda _case: Job.objects.update(state="pending"),
    "nothing_was_asked_again_after_its_reply": read_twice,
    "done_jobs_have_one_outcome": lambda _case: Annotation.objects.filter(run__isnull=False).delete(),
    "imports_add_up": lambda case: Batch.objects.create(project=case.project, file_name="f", format="jsonl"),
    "releases_are_their_files": ruined_release,
    "no_file_is_left_over": lambda _case: (folder() / "left.jsonl").write_text(""),
    "everything_stored_can_be_read": lambda _case: Item.objects.filter(key="ready").update(facts={"bench_type": 3}),
}


@pytest.mark.parametrize("check", BREAKS)
def test_each_check_finds_what_it_is_there_for(case: Case, check: str) -> None:
    BREAKS[check](case)
    assert check in found()


def test_every_check_is_tried() -> None:
    assert set(BREAKS) == {check.__name__ for check in audit.CHECKS}


def test_a_budget_that_was_passed_is_found(case: Case) -> None:
    Run.objects.update(budget=Decimal("0.4"))
    assert "runs_are_the_sums_of_their_calls" in found()


def test_a_step_that_does_not_follow_is_found(case: Case) -> None:
    Event.objects.filter(verb="submitted").delete()
    assert "states_are_what_the_events_say" in found()
