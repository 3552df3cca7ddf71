"""The demo's blind spots: perturbations validated by its people, then judged by models that overlook different things.

Those of the guide are added, because a simulated judge can notice some of their mistakes. See settings.DEMO_RUNS. All
verdicts come from real runs, so that the runs can be inspected too.
"""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotate.errors import Refused
from annotate.intake.batches import import_files
from annotate.intake.row_reader import Settings
from annotate.items import drafts, queue
from annotate.models import Annotation, Item, Member, Project, Slot, User
from annotate.review import decisions
from annotate.upkeep import demo
from annotate.upkeep.demo_projects import PERTURBATIONS_SLUG
from annotate.work import submit
from judging.demo.demo_runs import DemoRun, endpoint_of, plan_demo_run
from judging.verdicts.judge_options import GOLD_PERTURBED

CAREFUL, CARELESS = "simulated-careful", "simulated-careless"
PAIRS: dict[str, Any] = {"pairs": GOLD_PERTURBED}
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    (CAREFUL, {"strategy": "vanilla"}),
    (CARELESS, {"strategy": "vanilla"}),
    (CAREFUL, {"strategy": "pairwise", **PAIRS}),
    (CARELESS, {"strategy": "pairwise", **PAIRS}),
    (CAREFUL, {"strategy": "reference", "reference": "gold"}),
)
FILE = Path(settings.BASE_DIR) / "fixtures" / "guide" / "perturbations.jsonl"
WRITER, REVIEWER = "ana", "rui"
VALIDATED, LAST_DAY, A_DAY = 14, 5, 4  # some items are left as work
INVALID = {"if-21_assumption-errors"}  # another text, and not the same one with an error


def seed(people: dict[str, str]) -> Project:
    """Validate some items and let the judges judge, once. The simulated model has to answer meanwhile."""
    project, lead = Project.objects.get(slug=PERTURBATIONS_SLUG), User.objects.get(username="lead")
    if not project.runs.filter(purpose="judge").exists():
        with transaction.atomic():
            _validate(project)
            _import(project)
    for number, (model, options) in enumerate(RUNS, 1):
        plan_demo_run(project, number, DemoRun("judge", endpoint_of(model), options), lead)
    return project


def _import(project: Project) -> None:
    report = import_files(project=project, names=[os.path.relpath(FILE)], settings=Settings(format="jsonl"))
    if report.rejected:
        raise Refused(f"{FILE.name}: {report.problems}")


def _validate(project: Project) -> None:
    """Two people, one after the other, unless somebody has begun."""
    if Slot.objects.filter(project=project, state=Slot.State.SUBMITTED, item__purpose=Item.Purpose.WORK).exists():
        return
    writer, reviewer = (_member(project, name) for name in (WRITER, REVIEWER))
    for number in range(VALIDATED):
        day = LAST_DAY - number // A_DAY
        with demo.dated(project, demo.moment(day, f"14:{10 + number}"), seconds=80):
            written = _begun(writer, Slot.Stage.ANNOTATE)
            submit.submit(annotation=written, token=_token(written), by=writer.user)
        with demo.dated(project, demo.moment(day, f"16:{10 + number}"), seconds=45):
            review = _begun(reviewer, Slot.Stage.REVIEW)
            decisions.accept(review=review, token=_token(review), by=reviewer.user)


def _member(project: Project, username: str) -> Member:
    return Member.objects.select_related("project__readiness", "user").get(project=project, user__username=username)


def _begun(member: Member, stage: str) -> Annotation:
    """A saved draft about the next item, with a verdict if it is not a review."""
    slot = queue.claim_next(member, stage)
    assert slot is not None
    item = Item.objects.select_related("project", "base").get(pk=slot.item_id)
    begun = drafts.open_draft(slot, author=member.user, item=item, project=member.project)
    changed = _verdict(item.facts) if stage == Slot.Stage.ANNOTATE else {}
    draft = {**begun.draft, **changed}
    return drafts.save(begun, draft, revision=begun.revision, decided=list(changed), seconds=80)


def _verdict(facts: dict[str, Any]) -> dict[str, Any]:
    if facts["cdx"] in INVALID:
        return {"verdict": "invalid", "note": "This is another text."}
    return {"verdict": "score_invariant" if facts["category"] == "score_invariant" else "valid"}


def _token(annotation: Annotation) -> Any:
    assert annotation.slot is not None
    return annotation.slot.token
