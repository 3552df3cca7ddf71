"""The auditor: every invariant of the tables and files, checked over a whole installation that is at rest.

Run it inside the installation (`Installation.python`). Each check yields one sentence for each violation, with the ids
that somebody needs to look it up; nothing is yielded where all is well.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

from django.conf import settings
from django.db.models import Count, F, Q, Sum

from annotate.items import flow
from annotate.models import Annotation, Batch, Call, Event, Item, Job, Release, Run, Slot
from annotate.releases.files import path_of
from annotate.releases.verify_files import unchanged
from annotate.upkeep.schema_check import check_stored

Violations = Iterator[str]
UNFINISHED = [Slot.State.OPEN, Slot.State.HELD]
STAGES = {"ready": Slot.Stage.ANNOTATE, "reviewing": Slot.Stage.REVIEW, "adjudicating": Slot.Stage.ADJUDICATE}


def violations() -> list[str]:
    """Everything that is wrong, each with the name of its check."""
    return [f"{check.__name__}: {sentence}" for check in CHECKS for sentence in check()]


def states_are_what_the_events_say() -> Violations:
    """The state and round of an item follow from the steps of its history, one after the other."""
    states: dict[int, tuple[str, int]] = {}
    for event in Event.objects.exclude(to_state="").order_by("item_id", "id").iterator():
        known = states.get(event.item_id)
        if known and not _follows(event, *known):
            said = f"{event.verb} {event.from_state} → {event.to_state} in round {event.round}"
            yield f"item {event.item_id}: event {event.pk} {said}, after {known[0]} in round {known[1]}"
        states[event.item_id] = event.to_state, event.round
    for item in Item.objects.filter(pk__in=states).iterator():
        if states[item.pk] != (item.state, item.round):
            yield f"item {item.pk} is {item.state} in round {item.round}, its events say {states[item.pk]}"


def _follows(event: Event, state: str, turn: int) -> bool:
    step = flow.STEPS.get(event.verb)
    if step is None or event.from_state != state or state not in step.start:
        return False
    return (event.to_state, event.round) == (step.end, turn + step.turn)


def open_work_fits_the_state() -> Violations:
    """An item that waits for people has unfinished slots of that stage in its round, and of no other; others none."""
    unfinished: dict[int, set[tuple[str, int]]] = {}
    for item, stage, turn in Slot.objects.filter(state__in=UNFINISHED, own=False).values_list("item", "stage", "round"):
        unfinished.setdefault(item, set()).add((stage, turn))
    for item in Item.objects.iterator():
        stage = STAGES.get(item.state)
        wanted = {(stage, item.round)} if stage else set()
        if unfinished.get(item.pk, set()) != wanted:
            yield f"item {item.pk}, {item.state} in round {item.round}, has the slots {unfinished.get(item.pk)}"


def submitted_slots_hold_one_text_of_their_holder() -> Violations:
    all_texts = Count("annotations", filter=Q(annotations__submitted_at__isnull=False))
    own = Count("annotations", filter=Q(annotations__submitted_at__isnull=False, annotations__author=F("holder")))
    for slot in Slot.objects.filter(state=Slot.State.SUBMITTED).annotate(texts=all_texts, own_texts=own).iterator():
        if (slot.texts, slot.own_texts) != (1, 1):
            texts = slot.annotations.values_list("author__username", "outcome", "submitted_at", "saved_at")
            steps = slot.item.events.values_list("verb", "round", "actor__username", "note", "at")
            yield (
                f"slot {slot.pk} of {slot.holder} in round {slot.round} is submitted, with {slot.texts} submitted "
                f"texts: {list(map(str, texts))}; history: {list(map(str, steps))}"
            )


def nothing_is_submitted_elsewhere() -> Violations:
    texts = Annotation.objects.filter(submitted_at__isnull=False, slot__isnull=False)
    for text in texts.exclude(slot__state=Slot.State.SUBMITTED).select_related("slot"):
        yield f"annotation {text.pk} is submitted, its slot {text.slot_id} is {text.slot.state}"  # type: ignore[union-attr]


def nobody_reviews_their_own_text() -> Violations:
    reviews = Slot.objects.filter(stage=Slot.Stage.REVIEW, state=Slot.State.SUBMITTED)
    for slot in reviews.filter(about__author=F("holder")):
        yield f"slot {slot.pk}: its holder reviewed their own text"


def runs_are_the_sums_of_their_calls() -> Violations:
    for run in Run.objects.all():
        calls = Call.objects.filter(job__run=run)
        sums = calls.aggregate(n=Count("pk"), cost=Sum("cost"), tokens=Sum("tokens_in"), out=Sum("tokens_out"))
        ledger = (sums["n"], sums["cost"] or Decimal(0), sums["tokens"] or 0, sums["out"] or 0)
        if (run.calls, run.cost, run.tokens_in, run.tokens_out) != ledger:
            yield f"run {run.pk} says {run.calls} calls for {run.cost}, its ledger {ledger}"
        if run.budget is not None and run.cost > run.budget:
            yield f"run {run.pk} cost {run.cost} with a budget of {run.budget}"


def ended_runs_have_no_open_jobs() -> Violations:
    ended = Run.objects.filter(state__in=[Run.State.FINISHED, Run.State.CANCELLED])
    for run in ended.annotate(open=Count("jobs", filter=Q(jobs__state__in=["pending", "leased"]))).filter(open__gt=0):
        yield f"run {run.pk} is {run.state} with {run.open} open jobs"


def nothing_was_asked_again_after_its_reply() -> Violations:
    read = Call.objects.filter(cause="").values("job", "step").annotate(n=Count("pk")).filter(n__gt=1)
    for row in read:
        yield f"job {row['job']}, step {row['step']}: {row['n']} replies were read"


def done_jobs_have_one_outcome() -> Violations:
    outcomes = Counter(Annotation.objects.filter(run__isnull=False).values_list("run", "item"))
    done = Job.objects.filter(state=Job.State.DONE, run__purpose="preannotate", item__isnull=False)
    for run, item in done.values_list("run", "item"):
        if outcomes.pop((run, item), 0) != 1:
            yield f"run {run}: the done job of item {item} has not exactly one outcome"
    for (run, item), count in outcomes.items():
        yield f"run {run}: {count} outcomes of item {item}, whose job is not done"


def imports_add_up() -> Violations:
    for batch in Batch.objects.all():
        if batch.state not in (Batch.State.DONE, Batch.State.FAILED, Batch.State.PREVIEW):
            yield f"import {batch.pk} is still {batch.state}"
        if batch.state == Batch.State.DONE and batch.read != batch.kept + batch.duplicates + batch.rejected:
            yield f"import {batch.pk} read {batch.read}, not {batch.kept} + {batch.duplicates} + {batch.rejected}"
        if batch.state == Batch.State.DONE and batch.items.count() != batch.kept:
            yield f"import {batch.pk} kept {batch.kept}, there are {batch.items.count()} items of it"


def releases_are_their_files() -> Violations:
    for release in Release.objects.all():
        if release.state == Release.State.WAITING:
            yield f"release {release.pk} is still waiting"
        if release.state == Release.State.DONE and release.withdrawn_at is None:
            found = unchanged(path_of(release.stored_as), release.manifest)
            if not found.holds or (found.rows, found.sha256) != (release.rows, release.sha256):
                yield f"release {release.pk}: {'; '.join(found.differences) or 'its row says something else'}"


def no_file_is_left_over() -> Violations:
    folder = Path(settings.DATA_DIR) / "files" / "releases"
    named = set(Release.objects.values_list("stored_as", flat=True))
    for path in folder.iterdir() if folder.exists() else ():
        if path.name.removesuffix(".index") not in named:
            yield f"{path.name} belongs to no release"


def everything_stored_can_be_read() -> Violations:
    for fault in check_stored().faults:
        yield f"{fault['project']} {fault['key']} {fault['path']}: {fault['message']}"


CHECKS: list[Callable[[], Violations]] = [
    states_are_what_the_events_say,
    open_work_fits_the_state,
    submitted_slots_hold_one_text_of_their_holder,
    nothing_is_submitted_elsewhere,
    nobody_reviews_their_own_text,
    runs_are_the_sums_of_their_calls,
    ended_runs_have_no_open_jobs,
    nothing_was_asked_again_after_its_reply,
    done_jobs_have_one_outcome,
    imports_add_up,
    releases_are_their_files,
    no_file_is_left_over,
    everything_stored_can_be_read,
]
