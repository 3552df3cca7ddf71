"""The demo's branching project: drafted by the simulated model, accepted, judged twice, corrected, judged again.

See settings.DEMO_RUNS. All requests come from real runs, so that the runs can be inspected too.
"""

import os
from pathlib import Path

from django.conf import settings
from django.db import transaction

from annotate.errors import Refused
from annotate.intake.batches import import_files
from annotate.intake.row_reader import Settings
from annotate.items import drafts, queue
from annotate.models import Endpoint, Item, Member, Project, Slot, User
from annotate.project import actions
from annotate.upkeep import demo
from annotate.upkeep.demo_projects import ENDPOINT
from annotate.work import submit
from judging.demo.demo_runs import DemoRun, endpoint_of, plan_demo_run

SLUG, NAME = "demo-branches", "Branching demo"
FILE = Path(settings.BASE_DIR) / "fixtures" / "branching_demo_samples.jsonl"
JUDGES = {"simulated-judge": "simulated-judge", "simulated-judge-noisy": "simulated-noisy"}  # model: endpoint
CRITERIA, BRANCHES = 3, 5  # of a draft, and of a judge
AUTHORS = ["Draft A", "Draft B"]
ACCEPTED, LAST_DAY = 22, 6  # of 24: two are left as work


def seed(people: dict[str, str]) -> Project:
    """Make the project and its runs once, with these people as members; what exists already is not changed.

    The simulated model has to answer meanwhile.
    """
    judge_endpoint, noisy = (endpoint_of(model, name) for model, name in JUDGES.items())
    project = Project.objects.filter(slug=SLUG).first() or _make_project(people)
    lead, drafter = User.objects.get(username="lead"), Endpoint.objects.get(name=ENDPOINT)
    plan_demo_run(project, 1, DemoRun("preannotate", drafter, {}), lead)
    _accept(project)
    pairs = {"strategy": "branching", "branches": BRANCHES, "authors": AUTHORS}
    single = {"strategy": "branching-single", "branches": BRANCHES}
    # The criteria of a query are requested once.
    plan_demo_run(project, 1, DemoRun("judge", judge_endpoint, pairs, shares=True), lead)
    plan_demo_run(project, 2, DemoRun("judge", noisy, pairs, shares=True), lead)
    judge = project.judges.filter(strategy="branching").order_by("pk").first()
    plan_demo_run(project, 1, DemoRun("correct", drafter, {"judge": str(judge), "inclusive": True}), lead)
    plan_demo_run(project, 3, DemoRun("judge", judge_endpoint, single, shares=True), lead)
    return project


@transaction.atomic
def _make_project(people: dict[str, str]) -> Project:
    project = actions.create_project(
        slug=SLUG,
        kind="branching",
        name=NAME,
        options={"criteria": CRITERIA, "inclusive": True},
        languages=["en", "zh"],
        licence="CC0-1.0",
        lease_minutes=60,
        reviews=0,
    )
    for user in User.objects.filter(username__in=people):
        Member.objects.create(project=project, user=user, role=people[user.username])
    how = Settings(format="jsonl")
    report = import_files(project=project, names=[os.path.relpath(FILE)], settings=how, strict=True)
    if not report.kept:
        raise Refused(f"{FILE.name}: {report.problems}")
    return project


def _accept(project: Project) -> None:
    """Accept the model's drafts unchanged, by two people in turn."""
    accepted_count = project.items.filter(state=Item.State.ACCEPTED).count()
    members = [
        Member.objects.select_related("project", "user").filter(project=project, user__username=name).first()
        for name in ("ana", "bo")
    ]
    for number in range(accepted_count, ACCEPTED):
        member = members[number % len(members)]
        if member is not None:
            with demo.dated(project, demo.moment(LAST_DAY - number // 4, f"11:{10 + number}"), seconds=150):
                _submit(member)


def _submit(member: Member) -> None:
    slot = queue.claim_next(member, Slot.Stage.ANNOTATE)
    if slot is None or slot.token is None:
        return
    item = Item.objects.select_related("project").get(pk=slot.item_id)
    begun = drafts.open_draft(slot, author=member.user, item=item, project=member.project)
    names = [field.name for field in item.project.kind.fields(item.project.kind.read_facts(item.facts))]
    annotation = drafts.save(begun, begun.draft, revision=begun.revision, decided=names, seconds=150)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
