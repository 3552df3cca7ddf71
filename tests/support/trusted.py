"""Projects in which people have voted on answers that judges have read too."""

import random
from pathlib import Path
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.models import Author, Ballot, Judge
from judging.ratings.rating_subjects import subjects
from judging.ratings.tables import UnitTable, unit_table
from judging.ratings.units import CHECKLIST
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
from tests.support.voted import bring, on_a_pair, preference_project

PEOPLE = ("anna", "bo", "cy")
CHOICES = ("first", "second", "tie")


def pairs_with_votes(
    folder: Path, pairs: int = 40, *, seed: int = 1, hits: float = 0.9, judge: str = "judge-m"
) -> Project:
    """A project of preferences: three people who err in a tenth, and a judge in both orders that is right as often as
    `hits` says; it takes whatever stands first otherwise."""
    draw, rows = random.Random(seed), []
    for number in range(pairs):
        truth, key = draw.choice(CHOICES), f"q{number}"
        rows += [on_a_pair(key, truth if draw.random() < 0.9 else draw.choice(CHOICES), rater=who) for who in PEOPLE]
        right = draw.random() < hits
        for swapped in (False, True):
            choice = truth if right else ("second" if swapped else "first")
            rows.append(on_a_pair(key, choice, judge=judge, swapped=swapped))
    project = preference_project()
    bring(project, folder, *rows)
    return project


def checklists_with_votes(
    items: int = 20, *, seed: int = 1, labelled: int = 12, slug: str = "fb", kind: float = 0.0
) -> tuple[Project, Judge]:
    """Answers of two authors on so many items, judged whole; three people have voted on the first of them.

    kind: how often the judge finds a question met that is not.
    """
    draw = random.Random(seed)
    project = make_project(slug=slug)
    votes = make_project(slug=f"{slug}-votes", kind_slug="checklist_vote")
    judge = a_judge(project)
    for number in range(items):
        item = decided_item(project, CORRECTION)
        for author, skill in (("Alpha-7B", 0.8), ("Beta-9B", 0.4)):
            met = [int(draw.random() < skill) for _question in range(2)]
            answer = answer_of(item, author, text=f"{author} " * (3 + number + 4 * sum(met)))
            verdict_on(answer, judge, [value or int(draw.random() < kind) for value in met], reason="As I read it.")
            if number < labelled:
                _votes(votes, answer, met, draw)
    Author.objects.filter(project=project, name="Alpha-7B").update(family="judge")
    return project, judge


def _votes(votes: Project, answer: Any, met: list[int], draw: random.Random) -> None:
    facts = {"prompt": "How many moons?", "answer": answer.text, "questions": ["One?", "Two?"]}
    item = Item.objects.create(
        project=votes, key=f"v{answer.pk}", facts=facts, content_hash=f"v{answer.pk}", state="accepted"
    )
    Ballot.objects.create(item=item, first=answer)
    for person in PEOPLE:
        said = [value if draw.random() < 0.9 else 1 - value for value in met]
        draft = {
            "votes": ["yes" if value else "no" for value in said],
            "reasons": ["I see it.", ""],
            "recognised": False,
        }
        Annotation.objects.create(item=item, rater=person, draft=draft, submitted_at=item.created_at)


def material_of(project: Project, what: str = CHECKLIST) -> UnitTable:
    return unit_table(project, next(one for one in subjects(project) if one.slug == what))
