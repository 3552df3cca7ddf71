"""The demo's branching project: drafted by the simulated model, accepted, judged twice, corrected, judged again.

See settings.DEMO_RUNS. Everything is asked by real runs, so that they can be looked at too.
"""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotate.llm.simulated.server import base_url
from annotate.models import Endpoint, Item, Member, Project, Run, Slot, User
from annotate.services import drafts, endpoints, projects, queue, runs, submitting
from annotate.services.demo import dates
from annotate.services.demo.model import ENDPOINT, PRICES
from annotate.services.errors import Refused
from annotate.services.importing.commands import import_files
from annotate.services.importing.rows import Settings

SLUG, NAME = "demo-branches", "Branching demo"
FILE = Path(settings.BASE_DIR) / "fixtures" / "branching_demo_samples.jsonl"
JUDGES = {"simulated-judge": "simulated-judge", "simulated-judge-noisy": "simulated-noisy"}  # model: endpoint
CRITERIA, BRANCHES = 3, 4  # of a draft, and of a judge
AUTHORS = ["Draft A", "Draft B"]
ACCEPTED, LAST_DAY = 10, 5  # of twelve: two are left to work at


def seed(people: dict[str, str], port: int) -> Project:
    """Make the project and its runs once, with these people as members; what is done already is left alone.

    The simulated model answers at this port while this works.
    """
    judges = {name: _endpoint(model, name, port) for model, name in JUDGES.items()}
    project = Project.objects.filter(slug=SLUG).first() or _made(people)
    lead, drafter = User.objects.get(username="lead"), Endpoint.objects.get(name=ENDPOINT)
    _once(project, "preannotate", drafter, lead, 1)
    _accept(project)
    pairs = {"strategy": "branching", "branches": BRANCHES, "authors": AUTHORS}
    single = {"strategy": "branching-single", "branches": BRANCHES}
    first, noisy = judges.values()
    _once(project, "judge", first, lead, 1, **pairs)
    _once(project, "judge", noisy, lead, 2, **pairs)
    judge = project.judges.filter(strategy="branching").order_by("pk").first()
    _once(project, "correct", drafter, lead, 1, judge=str(judge), inclusive=True)
    _once(project, "judge", first, lead, 3, **single)
    return project


def _endpoint(model: str, name: str, port: int) -> Endpoint:
    found = Endpoint.objects.filter(name=name).first()
    if found is None:
        columns: dict[str, Any] = {"base_url": base_url(port), "model": model, "simulated": True, "deadline": 30}
        return endpoints.create(by=None, name=name, **columns, **PRICES)
    if found.simulated and found.base_url != base_url(port):
        Endpoint.objects.filter(pk=found.pk).update(base_url=base_url(port))
        found.base_url = base_url(port)
    return found


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


def _once(project: Project, purpose: str, endpoint: Endpoint, lead: User, wanted: int, **options: Any) -> None:
    """So many runs of this purpose there are afterwards; one that somebody has paused or cancelled is theirs."""
    there = list(project.runs.filter(purpose=purpose).order_by("pk"))
    if len(there) >= wanted and there[wanted - 1].state not in (Run.State.PLANNED, Run.State.RUNNING):
        return
    run = there[wanted - 1] if len(there) >= wanted else None
    shares = purpose == "judge"  # criteria of a query are asked for once
    run = run or runs.plan(
        project=project, purpose=purpose, endpoint=endpoint, by=lead, options=options, shares_replies=shares
    )
    if run.state == Run.State.PLANNED:
        runs.start(run, by=lead, ring=False)
    runs.work(run)


def _accept(project: Project) -> None:
    """As the model drafted them, by two people in turn."""
    done = project.items.filter(state=Item.State.ACCEPTED).count()
    members = [
        Member.objects.select_related("project", "user").filter(project=project, user__username=name).first()
        for name in ("ana", "bo")
    ]
    for number in range(done, ACCEPTED):
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
    said = drafts.save(begun, begun.draft, revision=begun.revision, decided=names, seconds=150)
    submitting.submit(annotation=said, token=slot.token, by=member.user)
