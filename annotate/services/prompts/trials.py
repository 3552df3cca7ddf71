"""A wording tried on a few items, beside another: two small runs, and what came of them item by item."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import Count, Sum
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.kinds.base import Kind
from annotate.kinds.causes import Cause
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape, Classified, Suggested
from annotate.models import Call, Endpoint, Item, Job, Project, PromptVersion, Run, User
from annotate.purposes import purposes, trying
from annotate.purposes.base import Deciding, PeopleSaid, Telling
from annotate.purposes.trying import SLUG, work_of
from annotate.services import runs
from annotate.services.errors import Refused
from annotate.services.prompts import Key
from annotate.services.prompts.pages import Wording, wording
from lib.texts.differences import Difference, difference, split
from lib.texts.render import pieces_html

ITEMS = 5
ENDED = (Run.State.FINISHED, Run.State.CANCELLED)


# --- beginning --------------------------------------------------------------------------------------------------------
def begin(
    *,
    project: Project,
    version: PromptVersion,
    before: PromptVersion,
    endpoint: Endpoint,
    budget: Decimal,
    by: User,
    keys: Sequence[str] = (),
) -> Run:
    """Two runs over the same items, started; gives the one with the new wording. budget: USD, for each of the two.

    keys: of the items to try it with, a job of each; without them five, mixed. Raises Refused where no run uses this
    prompt, no item or not each of these is asked it, or nothing may be sent to the endpoint.
    """
    used = used_by(project, Key(version.scope, version.step, version.language))
    if keys:
        used = {**used, "keys": list(keys)}
    old = _planned(project, before, endpoint, budget, by, used)
    objection = _objection(old, keys)
    if objection:
        old.delete()
        raise Refused(objection)
    new = _planned(project, version, endpoint, budget, by, {**used, "beside": old.pk})
    runs.start(old, by)
    runs.start(new, by)
    return new


def _objection(run: Run, keys: Sequence[str]) -> str:
    """Why the wording cannot be tried on what was asked for; empty where it can."""
    job_keys = set(run.jobs.values_list("item__key", flat=True))
    missing = [key for key in keys if key not in job_keys]
    if missing and job_keys:
        return _("These items cannot be tried with: %(keys)s. Leave them out.") % {"keys": ", ".join(missing)}
    if not job_keys:
        why = work_of(run).why_nothing(run)
        none = _("No item is asked this step in this language. Import one that is, or try another language.")
        return " ".join(map(str, why)) or none
    return ""


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
    limit = len(options.get("keys", ())) or ITEMS
    run = runs.plan(
        project=project, purpose=SLUG, endpoint=endpoint, by=by, options=options, budget=budget, limit=limit
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
    """What one wording did with one item.

    cause: in words, empty unless it failed. asked: the step was put at all. verdict: of a judge, in a few words.
    agrees: with what people said, None where the two cannot be compared.
    """

    job: Job
    asked: bool
    calls: int
    cost: Decimal
    cause: str = ""
    verdict: str = ""
    agrees: bool | None = None


@dataclass(frozen=True)
class Row:
    """One job under both wordings. subject: which of the item's, where it has several; people: what they said."""

    item: Item
    before: Side
    after: Side
    parts: Sequence[Part]
    subject: str = ""
    people: str = ""

    @property
    def flipped(self) -> bool:
        """Whether the two wordings come to other verdicts."""
        return self.compared and self.before.verdict != self.after.verdict

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


def _has_ended(run: Run) -> bool:
    """Also where it paused by itself, for nobody resumes a trial."""
    return run.state in ENDED or runs.why_halted(run) is not None


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
        return _has_ended(self.run) and _has_ended(self.beside)

    @property
    def open_jobs(self) -> int:
        sides = [side for row in self.rows for side in (row.before, row.after)]
        return sum(side.job.state in (Job.State.PENDING, Job.State.LEASED) for side in sides)

    @property
    def failures(self) -> list[tuple[str, int, int]]:
        """(cause in words, jobs before, jobs after)."""
        causes_before, causes_after = ([getattr(row, side).cause for row in self.rows] for side in ("before", "after"))
        causes = dict.fromkeys(cause for cause in [*causes_before, *causes_after] if cause)
        return [(cause, causes_before.count(cause), causes_after.count(cause)) for cause in causes]


def look(run: Run) -> Trial:
    """The trial as it stands. run: the one with the new wording."""
    baseline_run = Run.objects.select_related("endpoint", "project").get(pk=run.options["beside"])
    jobs = {trial_run.pk: _jobs(trial_run) for trial_run in (run, baseline_run)}
    subjects = [subject for subject in jobs[run.pk] if subject in jobs[baseline_run.pk]]
    items = Item.objects.in_bulk([jobs[run.pk][subject].item_id for subject in subjects])
    outcomes = {trial_run.pk: trying.PURPOSE.by_subject(trial_run, list(items)) for trial_run in (run, baseline_run)}
    ended = run.state in ENDED and baseline_run.state in ENDED  # all votes are read: not at every look in between
    people = work_of(run).said_by_people(run.project, subjects) if ended else {}
    names = work_of(run).names_of(subjects)
    version, baseline = (
        PromptVersion.objects.select_related("project").get(pk=_version(trial_run)) for trial_run in (run, baseline_run)
    )
    ledger = _ledger([*jobs[run.pk].values(), *jobs[baseline_run.pk].values()])
    rows = []
    for subject in subjects:
        item = items[jobs[run.pk][subject].item_id or 0]
        human_answer, outcome = (
            people.get(subject),
            [outcomes[trial_run.pk].get(subject) for trial_run in (baseline_run, run)],
        )
        old, new = (
            _decided(_side(jobs[trial_run.pk][subject], version.step, ledger), run_outcome, human_answer)
            for trial_run, run_outcome in zip((baseline_run, run), outcome, strict=True)
        )
        parts = _parts(item, run.project.kind, *outcome)
        rows.append(Row(item, old, new, parts, names.get(subject, ""), human_answer.text if human_answer else ""))
    key = Key(version.scope, version.step, version.language)
    return Trial(run, baseline_run, key, wording(version), wording(baseline), rows)


def _version(run: Run) -> int:
    return int(run.options["version"])


def _jobs(run: Run) -> dict[str, Job]:
    return {job.subject: job for job in run.jobs.filter(item__isnull=False).order_by("pk")}


def _decided(side: Side, outcome: Any, human_answer: PeopleSaid | None) -> Side:
    if not isinstance(outcome, Deciding):
        return side
    return replace(side, verdict=outcome.verdict(), agrees=human_answer.agrees(outcome) if human_answer else None)


def _ledger(jobs: Sequence[Job]) -> dict[int, dict[str, tuple[int, Decimal]]]:
    """job -> step -> (calls, cost)."""
    ledger: dict[int, dict[str, tuple[int, Decimal]]] = {}
    sums = Call.objects.filter(job__in=jobs).values_list("job_id", "step").annotate(Count("pk"), Sum("cost")).order_by()
    for job, step, calls, cost in sums:
        ledger.setdefault(job, {})[step] = (calls, cost)
    return ledger


def _side(job: Job, step: str, ledger: Mapping[int, Mapping[str, tuple[int, Decimal]]]) -> Side:
    calls = ledger.get(job.pk, {})
    return Side(
        job=job,
        asked=any(step in name.split("/") for name in calls),
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
        for number, candidate in enumerate(outcome.candidates, start=1):
            values = (kind.shown(name, value) for name, value in candidate.draft.items())
            yield f"{candidate.label} {number}", "\n".join(values)
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
