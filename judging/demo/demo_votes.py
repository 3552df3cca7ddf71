"""The demo's vote studies, not finished yet: checklists of single answers, and blind pairs of answers.

See settings.DEMO_STUDIES. Made without a server; the votes are the same in every installation.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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

SEED = 7
OVERLAP = 3  # so that one person can be compared with two others, as a judge is
FAIR = 0.5  # an answer with less merit is bad


@dataclass(frozen=True)
class DemoStudy:
    """voted: person -> votes; the rest is left for the work page. decide: the draft of a person about an item's facts.

    a_day: votes that a person gives on one day; the last of them are given last_day days ago, or later.
    """

    slug: str
    name: str
    title: str
    kind: str
    authors: tuple[str, ...]
    items: int
    voted: Mapping[str, int]
    decide: Callable[[str, dict[str, Any]], dict[str, Any]]
    a_day: int = 2
    last_day: int = 6
    seconds: int = 70


# Checklists: by the merit of the answer, with an occasional slip.

SLIPS = 0.06  # share of the questions that a person judges differently from what the text says


def _checklist_draft(person: str, facts: dict[str, Any]) -> dict[str, Any]:
    votes = list(_votes(person, facts))
    return {"votes": votes, "reasons": [""] * len(votes), "recognised": False}


def _votes(person: str, facts: dict[str, Any]) -> Iterator[str]:
    fair = (merit(facts["answer"]) or 0) > FAIR
    for question in facts["questions"]:
        slip = Draw(SEED, f"{person}\n{question}\n{facts['answer']}").happens(SLIPS, "slip")
        yield "yes" if fair != slip else "no"


# Pairs: the better answer, as each person sees it; small differences are none.

DOUBTS = {"ana": 0.12, "bo": 0.3, "rui": 0.2}  # how far a person may misjudge the merit of an answer
NEAR = 0.1


def _pair_draft(person: str, facts: dict[str, Any]) -> dict[str, Any]:
    first, second = (_seen(person, facts["prompt"], facts[side]) for side in ("first", "second"))
    if abs(first - second) > NEAR:
        choice = "first" if first > second else "second"
    else:
        choice = "tie" if min(first, second) > FAIR else "both_bad"
    return {"choice": choice, "reason": "", "recognised": False}


def _seen(person: str, prompt: str, text: str) -> float:
    doubt = DOUBTS[person]
    return (merit(text) or 0) + Draw(SEED, f"{person}\n{prompt}\n{text}").of("doubt").uniform(-doubt, doubt)


# The studies.

CHECKLISTS = DemoStudy(
    slug="demo-votes",
    name="Two authors, blind",
    title="Votes demo",
    kind="checklist_vote",
    authors=("simulated-strong", "simulated-weak"),
    items=6,
    voted={"ana": 11, "bo": 10, "rui": 10},  # of twelve each
    decide=_checklist_draft,
)
PAIRS = DemoStudy(
    slug="demo-pairs",
    name="Three authors in pairs, blind",
    title="Pairs demo",
    kind="preference",
    authors=("simulated-strong", "simulated-fair", "simulated-weak"),
    items=14,
    voted={"ana": 38, "bo": 35, "rui": 34},  # of 42 each
    decide=_pair_draft,
    a_day=8,
    seconds=40,
)
STUDIES = (CHECKLISTS, PAIRS)


def seed(people: dict[str, str]) -> list[Project]:
    """Draw the studies once, with these people (username -> role) as members; later calls leave them as they are."""
    return [_seed(study, people) for study in STUDIES]


def _seed(study: DemoStudy, people: dict[str, str]) -> Project:
    project = Project.objects.filter(slug=study.slug).first()
    if project:
        return project
    with transaction.atomic():
        return _make_project(study, people)


def _make_project(study: DemoStudy, people: dict[str, str]) -> Project:
    lead = User.objects.get(username="lead")
    project = _draw(study, lead)
    for user in User.objects.filter(username__in=people).exclude(pk=lead.pk):
        Member.objects.create(project=project, user=user, role=people[user.username])
    for name, count in study.voted.items():
        member = Member.objects.select_related("project", "user").get(project=project, user__username=name)
        for number in range(count):
            day, clock = study.last_day - number // study.a_day, f"10:{10 + number % 50}"
            with demo.dated(project, demo.moment(day, clock), seconds=study.seconds):
                _vote(study, member)
    return project


def _draw(study: DemoStudy, lead: User) -> Project:
    wish = DrawPlan(
        source=Project.objects.get(slug=SOURCE),
        kind=find_kind(study.kind),
        authors=study.authors,
        items=study.items,
        seed=SEED,
        design=Design(overlap=OVERLAP),
    )
    study_draw = draw(plan(wish), into=study.slug, by=lead, name=study.name)
    study_draw.project.name = study.title
    study_draw.project.save(update_fields=["name"])
    return study_draw.project


def _vote(study: DemoStudy, member: Member) -> None:
    slot = queue.claim_next(member, Slot.Stage.ANNOTATE)
    assert slot is not None
    assert slot.token is not None
    item = Item.objects.select_related("project").get(pk=slot.item_id)
    begun = drafts.open_draft(slot, author=member.user, item=item, project=member.project)
    draft = study.decide(member.user.username, item.facts)
    decided = [name for name in draft if name != "reasons"]
    annotation = drafts.save(begun, draft, revision=begun.revision, decided=decided, seconds=study.seconds)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
