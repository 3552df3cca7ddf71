"""Trial of a wording against another one on a few items: two small runs, and their outcomes item by item."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import Count, Sum
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.engine.prompts import Key
from annotate.engine.purposes import Deciding, PeopleSaid, Telling, purposes
from annotate.errors import Refused
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Cause
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape, ModelClassification, ModelSuggestion
from annotate.models import Call, Endpoint, Item, Job, Project, PromptVersion, Run, User
from annotate.prompts.queries import PromptWording, wording
from annotate.purposes import trying
from annotate.purposes.trying import SLUG, work_of
from annotate.runs import actions
from annotate.runs.failures import why_halted
from annotate.runs.plan import discard, plan_run
from lib.texts.differences import TextDifference, difference, pieces_html, split
from lib.texts.sentences import paragraph

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
    """Start two runs over the same items; returns the one with the new wording. budget: USD, for each of the two.

    keys: of the items to try it with, one job each; without them five items, mixed. Raises Refused if no run uses this
    prompt, if no item, or not each of these, uses it, or if nothing may be sent to the endpoint.
    """
    used = used_by(project, Key(version.scope, version.step, version.language))
    if keys:
        used = {**used, "keys": list(keys)}
    old = _plan_run(project, before, endpoint, budget, by, used)
    objection = _objection(old, keys)
    if objection:
        discard(old)
        raise Refused(objection)
    new = _plan_run(project, version, endpoint, budget, by, {**used, "beside": old.pk})
    actions.start(old, by)
    actions.start(new, by)
    return new


def _objection(run: Run, keys: Sequence[str]) -> str:
    """Why the wording cannot be tried on these items; empty if it can."""
    job_keys = set(run.jobs.values_list("item__key", flat=True))
    missing = [key for key in keys if key not in job_keys]
    if missing and job_keys:
        return _("These items cannot be used for a test: %(keys)s. Leave them out.") % {"keys": ", ".join(missing)}
    if not job_keys:
        why = work_of(run).why_nothing(run)
        none = _("No item uses this step in this language. Import one that does, or test another language.")
        return paragraph(why) or none
    return ""


def used_by(project: Project, key: Key) -> dict[str, Any]:
    """Options of a trial: the purpose whose runs use the prompt, with its options. Raises Refused if none does."""
    for slug, purpose in purposes().items():
        options = purpose.tried_with(project, key.scope, key.step) if purpose.offered else None
        if options is not None:
            return {**options, "purpose": slug}
    raise Refused(_("No run uses the step “%(step)s”, so it cannot be tested.") % {"step": key.step})


def _plan_run(
    project: Project, version: PromptVersion, endpoint: Endpoint, budget: Decimal, by: User, options: dict[str, Any]
) -> Run:
    options = {**options, "version": version.pk}
    limit = len(options.get("keys", ())) or ITEMS
    run = plan_run(project=project, purpose=SLUG, endpoint=endpoint, by=by, options=options, budget=budget, limit=limit)
    run.prompts.remove(*run.prompts.filter(step=version.step, language=version.language))
    run.prompts.add(version)
    return run


# --- looking ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TrialPart:
    """One part of an item's outcomes under both wordings; empty if a wording gave none."""

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
    def _difference(self) -> TextDifference:
        return difference(self.before, self.after)

    @property
    def html_before(self) -> SafeString:
        return pieces_html(split(self._difference)[0])

    @property
    def html_after(self) -> SafeString:
        return pieces_html(split(self._difference)[1])


@dataclass(frozen=True)
class TrialSide:
    """The result of one wording for one item.

    cause: in words, empty unless it failed. asked: the step was asked at all. verdict: a judge's, in a few words.
    agrees: with people, None if the two cannot be compared.
    """

    job: Job
    asked: bool
    calls: int
    cost: Decimal
    cause: str = ""
    verdict: str = ""
    agrees: bool | None = None


@dataclass(frozen=True)
class TrialRow:
    """One job under both wordings. subject: which part of the item, if it has several jobs; people: what they said."""

    item: Item
    before: TrialSide
    after: TrialSide
    parts: Sequence[TrialPart]
    subject: str = ""
    people: str = ""

    @property
    def flipped(self) -> bool:
        """Whether the two wordings lead to different verdicts."""
        return self.compared and self.before.verdict != self.after.verdict

    @property
    def compared(self) -> bool:
        """Whether both have an outcome; the parts of a single one say nothing about the other wording."""
        return Job.State.DONE == self.before.job.state == self.after.job.state

    @property
    def changed(self) -> list[TrialPart]:
        return [part for part in self.parts if not part.same] if self.compared else []

    @property
    def same(self) -> list[TrialPart]:
        return [part for part in self.parts if part.same] if self.compared else []

    @property
    def alone(self) -> list[TrialPart]:
        """The outcome for the item if only one of the two has one."""
        return [] if self.compared else list(self.parts)


def _has_ended(run: Run) -> bool:
    """True also if it paused automatically, because nobody resumes a trial."""
    return run.state in ENDED or why_halted(run) is not None


@dataclass(frozen=True)
class Trial:
    """Both runs with their wordings, and the items. causes: cause in words -> jobs that failed of it, of both."""

    run: Run
    beside: Run
    key: Key
    version: PromptWording
    before: PromptWording
    rows: Sequence[TrialRow]

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
    """The trial as it is now. run: the one with the new wording."""
    baseline_run = Run.objects.select_related("endpoint", "project").get(pk=run.options["beside"])
    jobs = {trial_run.pk: _jobs(trial_run) for trial_run in (run, baseline_run)}
    subjects = [subject for subject in jobs[run.pk] if subject in jobs[baseline_run.pk]]
    items = Item.objects.in_bulk([jobs[run.pk][subject].item_id for subject in subjects])
    outcomes = {trial_run.pk: trying.PURPOSE.by_subject(trial_run, list(items)) for trial_run in (run, baseline_run)}
    ended = (
        run.state in ENDED and baseline_run.state in ENDED
    )  # all votes are read: only at the end, not at every update
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
        rows.append(TrialRow(item, old, new, parts, names.get(subject, ""), human_answer.text if human_answer else ""))
    key = Key(version.scope, version.step, version.language)
    return Trial(run, baseline_run, key, wording(version), wording(baseline), rows)


def _version(run: Run) -> int:
    return int(run.options["version"])


def _jobs(run: Run) -> dict[str, Job]:
    return {job.subject: job for job in run.jobs.filter(item__isnull=False).order_by("pk")}


def _decided(side: TrialSide, outcome: Any, human_answer: PeopleSaid | None) -> TrialSide:
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


def _side(job: Job, step: str, ledger: Mapping[int, Mapping[str, tuple[int, Decimal]]]) -> TrialSide:
    calls = ledger.get(job.pk, {})
    return TrialSide(
        job=job,
        asked=any(step in name.split("/") for name in calls),
        calls=sum(count for count, _cost in calls.values()),
        cost=sum((cost for _count, cost in calls.values()), Decimal(0)),
        cause=str(Cause(job.cause).label) if job.cause else "",
    )


def _parts(item: Item, kind: Kind, before: Any, after: Any) -> list[TrialPart]:
    told_before, told_after = (dict(_labelled_texts(item, kind, outcome)) for outcome in (before, after))
    labels = dict.fromkeys([*told_before, *told_after])
    parts = [TrialPart(label, told_before.get(label, ""), told_after.get(label, "")) for label in labels]
    return [part for part in parts if part.before or part.after]


def _labelled_texts(item: Item, kind: Kind, outcome: Any) -> Iterator[tuple[str, str]]:
    """An outcome as labelled texts."""
    if isinstance(outcome, ModelSuggestion):
        fields = {field.name: str(field.label) for field in kind.fields(_facts(item, kind))}
        for name, label in fields.items():
            yield label, kind.shown(name, outcome.draft.get(name))
        for number, candidate in enumerate(outcome.candidates, start=1):
            values = (kind.shown(name, value) for name, value in candidate.draft.items())
            yield f"{candidate.label} {number}", "\n".join(values)
        doubts = (Finding.stored(doubt.as_json()) for doubt in outcome.doubts)
        yield _("Doubts"), "\n".join(f"{doubt.path}: {doubt.message}".removeprefix(": ") for doubt in doubts)
    elif isinstance(outcome, ModelClassification):
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
    except BadShape:  # changed meanwhile: then the fields of any item will do
        return item.facts
