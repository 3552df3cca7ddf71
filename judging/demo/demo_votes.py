"""The demo's vote study: some answers of its simulated authors, voted on blindly by two people, not finished yet.

See settings.DEMO_STUDIES. Made without a server; the votes are the same in every installation.
"""

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from annotate.items import drafts, queue
from annotate.kinds import find_kind
from annotate.models import Item, Member, Project, Slot, User
from annotate.upkeep import demo
from annotate.upkeep.demo import SLUG as SOURCE
from annotate.work import submit
from judging.studies.designs import Design, DrawPlan
from judging.studies.draw import draw
from judging.studies.plans import plan
from lib.simulated.candidate import merit
from lib.simulated.chance import Draw

SLUG, NAME = "demo-votes", "Votes demo"
ITEMS, AUTHORS, SEED = 6, ("simulated-strong", "simulated-weak"), 7
VOTED = {"ana": 10, "bo": 9}  # of twelve; the rest is left for the work page
LAST_DAY = 6
SLIPS = 0.06  # share of the questions that a person judges differently from what the text says


def seed(people: dict[str, str]) -> Project:
    """Draw the study once, with these people (username -> role) as members; later calls leave it as it is."""
    project = Project.objects.filter(slug=SLUG).first()
    if project:
        return project
    with transaction.atomic():
        return _make_project(people)


def _make_project(people: dict[str, str]) -> Project:
    lead = User.objects.get(username="lead")
    project = _draw_study(lead)
    for user in User.objects.filter(username__in=people).exclude(pk=lead.pk):
        Member.objects.create(project=project, user=user, role=people[user.username])
    for name, count in VOTED.items():
        member = Member.objects.select_related("project", "user").get(project=project, user__username=name)
        for number in range(count):
            with demo.dated(project, demo.moment(LAST_DAY - number // 2, f"10:{10 + number}"), seconds=70):
                _vote(member)
    return project


def _draw_study(lead: User) -> Project:
    source = Project.objects.get(slug=SOURCE)
    wish = DrawPlan(
        source=source,
        kind=find_kind("checklist_vote"),
        authors=AUTHORS,
        items=ITEMS,
        seed=SEED,
        design=Design(overlap=2),
    )
    study = draw(plan(wish), into=SLUG, by=lead, name="Two authors, blind")
    study.project.name = NAME
    study.project.save(update_fields=["name"])
    return study.project


def _vote(member: Member) -> None:
    slot = queue.claim_next(member, Slot.Stage.ANNOTATE)
    assert slot is not None
    assert slot.token is not None
    item = Item.objects.select_related("project").get(pk=slot.item_id)
    begun = drafts.open_draft(slot, author=member.user, item=item, project=member.project)
    annotation = drafts.save(begun, _vote_draft(member, item), revision=begun.revision, decided=["votes"], seconds=70)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)


def _vote_draft(member: Member, item: Item) -> dict[str, Any]:
    facts: dict[str, Any] = item.facts
    votes = list(_votes(member, facts))
    return {"votes": votes, "reasons": [""] * len(votes), "recognised": False}


def _votes(member: Member, facts: dict[str, Any]) -> Iterator[str]:
    """Yes or no to each question, by the merit of the answer, with an occasional slip."""
    fair = (merit(facts["answer"]) or 0) > 0.5
    for question in facts["questions"]:
        slip = Draw(SEED, f"{member.user.username}\n{question}\n{facts['answer']}").happens(SLIPS, "slip")
        yield "yes" if fair != slip else "no"
