"""A wording tried on a few items, beside another: two small runs, and what came of them item by item."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import Count, Sum
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.kinds.base import Kind
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape, Classified, Suggested
from annotate.llm.causes import Cause
from annotate.models import Call, Endpoint, Item, Job, Project, PromptVersion, Run, User
from annotate.purposes import purposes
from annotate.purposes.base import Telling
from annotate.purposes.trying import SLUG
from annotate.services import runs
from annotate.services.errors import Refused
from annotate.services.prompts import Key
from annotate.services.prompts.pages import Wording, wording
from annotate.texts.differences import Difference, difference, split
from annotate.texts.render import pieces_html

ITEMS = 5
ENDED = (Run.State.FINISHED, Run.State.CANCELLED)


# --- beginning --------------------------------------------------------------------------------------------------------
def begin(
    *, project: Project, version: PromptVersion, before: PromptVersion, endpoint: Endpoint, budget: Decimal, by: User
) -> Run:
    """Two runs over the same items, started; gives the one with the new wording. budget: USD, for each of the two.

    Raises Refused where no run uses this prompt, no item is asked it, or nothing may be sent to the endpoint.
    """
    used = used_by(project, Key(version.scope, version.step, version.language))
    old = _planned(project, before, endpoint, budget, by, used)
    if not old.jobs.exists():
        old.delete()
        raise Refused(_("No item is asked this step in this language. Import one that is, or try another language."))
    new = _planned(project, version, endpoint, budget, by, {**used, "beside": old.pk})
    runs.start(old, by)
    runs.start(new, by)
    return new


def used_by(project: Project, key: Key) -> dict[str, Any]:
    """Options of a try: the purpose whose runs use the prompt, with what that needs. Raises Refused where none does."""
    for slug, purpose in purposes().items():
        options = purpose.tried_with(project, key.scope, key.step) if purpose.offered else None
        if options is not None:
            return {**options, "purpose": slug}
    raise Refused(_("No run uses the step “%(step)s”, so there is nothing to try it with.") % {"step": key.step})


def _planned(
    project: Project, version: PromptVersion, endpoint: Endpoint, budget: Decimal, by: User, options: dict[str, Any]
) -> Run:
    options = {**options, "version": version.pk}
    run = runs.plan(
        project=project, purpose=SLUG, endpoint=endpoint, by=by, options=options, budget=budget, limit=ITEMS
    )
    run.prompts.remove(*run.prompts.filter(step=version.step, language=version.language))
    run.prompts.add(version)
    return run


# --- looking ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Part:
    """One thing that came of an item, under both wordings; empty where that wording gave none."""

    label: str
    before: str
    after: str

    @property
    def same(self) -> bool:
        return self.before == self.after

    @property
    def either(self) -> str:
        return self.after or self.before

    @cached_property
    def _difference(self) -> Difference:
        return difference(self.before, self.after)

    @property
    def html_before(self) -> SafeString:
        return pieces_html(split(self._difference)[0])

    @property
    def html_after(self) -> SafeString:
        return pieces_html(split(self._difference)[1])


@dataclass(frozen=True)
class Side:
    """What one wording did with one item. cause: in words, empty unless it failed. asked: the step was put at all."""

    job: Job
    asked: bool
    calls: int
    cost: Decimal
    cause: str = ""


@dataclass(frozen=True)
class Row:
    item: Item
    before: Side
    after: Side
    parts: Sequence[Part]

    @property
    def compared(self) -> bool:
        """Whether both have an outcome; the parts of a single one say nothing about the other wording."""
        return Job.State.DONE == self.before.job.state == self.after.job.state

    @property
    def changed(self) -> list[Part]:
        return [part for part in self.parts if not part.same] if self.compared else []

    @property
    def same(self) -> list[Part]:
        return [part for part in self.parts if part.same] if self.compared else []

    @property
    def alone(self) -> list[Part]:
        """What came of the item where only one of the two has an outcome."""
        return [] if self.compared else list(self.parts)


@dataclass(frozen=True)
class Trial:
    """Both runs with their wordings, and the items. causes: cause in words -> jobs that failed of it, of both."""

    run: Run
    beside: Run
    key: Key
    version: Wording
    before: Wording
    rows: Sequence[Row]

    @property
    def ended(self) -> bool:
        return self.run.state in ENDED and self.beside.state in ENDED

    @property
    def open_jobs(self) -> int:
        sides = [side for row in self.rows for side in (row.before, row.after)]
        return sum(side.job.state in (Job.State.PENDING, Job.State.LEASED) for side in sides)

    @property
    def failures(self) -> list[tuple[str, int, int]]:
        """(cause in words, jobs before, jobs after)."""
        before, after = ([getattr(row, side).cause for row in self.rows] for side in ("before", "after"))
        causes = dict.fromkeys(cause for cause in [*before, *after] if cause)
        return [(cause, before.count(cause), after.count(cause)) for cause in causes]


def look(run: Run) -> Trial:
    """The trial as it stands. run: the one with the new wording."""
    beside = Run.objects.select_related("endpoint", "project").get(pk=run.options["beside"])
    jobs = {one.pk: _jobs(one) for one in (run, beside)}
    items = Item.objects.in_bulk([*jobs[run.pk], *jobs[beside.pk]])
    outcomes = {one.pk: runs.purpose_of(one).outcomes(one, list(items)) for one in (run, beside)}
    version, before = (PromptVersion.objects.select_related("project").get(pk=_version(one)) for one in (run, beside))
    ledger = _ledger([*jobs[run.pk].values(), *jobs[beside.pk].values()])
    rows = []
    for pk, item in items.items():
        old, new = (_side(jobs[one.pk][pk], version.step, ledger) for one in (beside, run))
        parts = _parts(item, run.project.kind, outcomes[beside.pk].get(pk), outcomes[run.pk].get(pk))
        rows.append(Row(item, old, new, parts))
    key = Key(version.scope, version.step, version.language)
    return Trial(run, beside, key, wording(version), wording(before), rows)


def _version(run: Run) -> int:
    return int(run.options["version"])


def _jobs(run: Run) -> dict[int, Job]:
    return {job.item_id: job for job in run.jobs.filter(item__isnull=False).order_by("pk") if job.item_id}


def _ledger(jobs: Sequence[Job]) -> dict[int, dict[str, tuple[int, Decimal]]]:
    """job -> step -> (calls, cost)."""
    found: dict[int, dict[str, tuple[int, Decimal]]] = {}
    sums = Call.objects.filter(job__in=jobs).values_list("job_id", "step").annotate(Count("pk"), Sum("cost")).order_by()
    for job, step, calls, cost in sums:
        found.setdefault(job, {})[step] = (calls, cost)
    return found


def _side(job: Job, step: str, ledger: Mapping[int, Mapping[str, tuple[int, Decimal]]]) -> Side:
    calls = ledger.get(job.pk, {})
    return Side(
        job=job,
        asked=any(name == step or name.startswith(f"{step}/") for name in calls),
        calls=sum(count for count, _cost in calls.values()),
        cost=sum((cost for _count, cost in calls.values()), Decimal(0)),
        cause=str(Cause(job.cause).label) if job.cause else "",
    )


def _parts(item: Item, kind: Kind, before: Any, after: Any) -> list[Part]:
    told_before, told_after = (dict(_told(item, kind, outcome)) for outcome in (before, after))
    labels = dict.fromkeys([*told_before, *told_after])
    parts = [Part(label, told_before.get(label, ""), told_after.get(label, "")) for label in labels]
    return [part for part in parts if part.before or part.after]


def _told(item: Item, kind: Kind, outcome: Any) -> Iterator[tuple[str, str]]:
    """An outcome as labelled texts."""
    if isinstance(outcome, Suggested):
        fields = {field.name: str(field.label) for field in kind.fields(_facts(item, kind))}
        for name, label in fields.items():
            yield label, kind.shown(name, outcome.draft.get(name))
        for place, candidate in enumerate(outcome.candidates, start=1):
            values = (kind.shown(name, value) for name, value in candidate.draft.items())
            yield f"{candidate.label} {place}", "\n".join(values)
        doubts = (Finding.stored(doubt.as_json()) for doubt in outcome.doubts)
        yield _("Doubts"), "\n".join(f"{doubt.path}: {doubt.message}".removeprefix(": ") for doubt in doubts)
    elif isinstance(outcome, Classified):
        yield _("Label"), "; ".join(outcome.label)
    elif isinstance(outcome, Telling):
        yield from outcome.told()
    elif outcome is not None:
        yield (
            _("Outcome"),
            outcome if isinstance(outcome, str) else json.dumps(outcome, ensure_ascii=False, default=str),
        )


def _facts(item: Item, kind: Kind) -> Any:
    try:
        return kind.read_facts(kind.upgrade(item.facts, item.schema))
    except BadShape:  # changed under our hands: then the fields of any item do
        return item.facts
