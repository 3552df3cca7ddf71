"""The demo's branching project: drafted by the simulated model, accepted, judged twice, corrected, judged again.

See settings.DEMO_RUNS. Everything is asked by real runs, so that they can be looked at too.
"""

import os
from pathlib import Path

from django.conf import settings
from django.db import transaction

from annotate.models import Endpoint, Item, Member, Project, Slot, User
from annotate.services import drafts, projects, queue, submitting
from annotate.services.demo import dates
from annotate.services.demo.model import ENDPOINT
from annotate.services.errors import Refused
from annotate.services.importing.commands import import_files
from annotate.services.importing.rows import Settings
from judging.services.demo_runs import Wanted, endpoint_of, keep

SLUG, NAME = "demo-branches", "Branching demo"
FILE = Path(settings.BASE_DIR) / "fixtures" / "branching_demo_samples.jsonl"
JUDGES = {"simulated-judge": "simulated-judge", "simulated-judge-noisy": "simulated-noisy"}  # model: endpoint
CRITERIA, BRANCHES = 3, 4  # of a draft, and of a judge
AUTHORS = ["Draft A", "Draft B"]
ACCEPTED, LAST_DAY = 10, 5  # of twelve: two are left to work at


def seed(people: dict[str, str]) -> Project:
    """Make the project and its runs once, with these people as members; what is done already is left alone.

    The simulated model answers while this works.
    """
    judge_endpoint, noisy = (endpoint_of(model, name) for model, name in JUDGES.items())
    project = Project.objects.filter(slug=SLUG).first() or _made(people)
    lead, drafter = User.objects.get(username="lead"), Endpoint.objects.get(name=ENDPOINT)
    keep(project, 1, Wanted("preannotate", drafter, {}), lead)
    _accept(project)
    pairs = {"strategy": "branching", "branches": BRANCHES, "authors": AUTHORS}
    single = {"strategy": "branching-single", "branches": BRANCHES}
    # Criteria of a query are asked for once.
    keep(project, 1, Wanted("judge", judge_endpoint, pairs, shares=True), lead)
    keep(project, 2, Wanted("judge", noisy, pairs, shares=True), lead)
    judge = project.judges.filter(strategy="branching").order_by("pk").first()
    keep(project, 1, Wanted("correct", drafter, {"judge": str(judge), "inclusive": True}), lead)
    keep(project, 3, Wanted("judge", judge_endpoint, single, shares=True), lead)
    return project


@transaction.atomic
def _made(people: dict[str, str]) -> Project:
    project = projects.create_project(
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
    """As the model drafted them, by two people in turn."""
    accepted_count = project.items.filter(state=Item.State.ACCEPTED).count()
    members = [
        Member.objects.select_related("project", "user").filter(project=project, user__username=name).first()
        for name in ("ana", "bo")
    ]
    for number in range(accepted_count, ACCEPTED):
        member = members[number % len(members)]
        if member is not None:
            with dates.dated(project, dates.moment(LAST_DAY - number // 4, f"11:{10 + number}"), seconds=150):
                _submit(member)


def _submit(member: Member) -> None:
    slot = queue.claim_next(member, Slot.Stage.ANNOTATE)
    if slot is None or slot.token is None:
        return
    item = Item.objects.select_related("project").get(pk=slot.item_id)
    begun = drafts.open_draft(slot, author=member.user, item=item, project=member.project)
    names = [field.name for field in item.project.kind.fields(item.project.kind.read_facts(item.facts))]
    annotation = drafts.save(begun, begun.draft, revision=begun.revision, decided=names, seconds=150)
    submitting.submit(annotation=annotation, token=slot.token, by=member.user)
