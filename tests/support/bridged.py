"""Judgements without criteria at every stage, and pairs judged by own and by recovered criteria: rows, no runs."""

from itertools import count
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.answers.cases import case_of
from judging.models import Answer, Author, Judge, Part, Verdict
from tests.support.judge_rows import make_judge
from tests.support.people import make_item, make_project
from tests.support.runs import make_endpoint, make_run
from tests.support.trees import PAIR, branch, tree

VERDICT: dict[str, Any] = {"style": "verdict", "judge": "auto-j", "verdict": "second", "swapped": "second"}
PROPOSAL = tree(branch(1, None), branch(2, None))
_numbers = count(1)


def branching_project(slug: str = "trees", **columns: Any) -> Project:
    return make_project(slug=slug, kind_slug="branching", reviews=0, **columns)


def judgement(project: Project, *, proposed: bool = False, label: str | None = "second", **original: Any) -> Item:
    """A ready item with an original judgement. label: people's; original: fields in place of those of VERDICT."""
    number = next(_numbers)
    said = {name: value for name, value in (VERDICT | original).items() if value is not None}
    facts = PAIR | {"query": f"How many legs has a spider? ({number})", "human_label": label, "original": said}
    facts = {name: value for name, value in facts.items() if value is not None}
    item = make_item(project, key=f"j-{number:04}", title=f"j-{number}", facts=facts, language="en")
    if proposed:
        propose(item)
    return item


def propose(item: Item) -> Annotation:
    run = item.project.runs.filter(purpose="bridge").first()
    run = run or make_run(item.project, purpose="bridge", endpoint=make_endpoint())
    return Annotation.objects.create(item=item, run=run, model="m", draft=PROPOSAL)


def approved(item: Item, *, edited: bool = False) -> Item:
    """Accepted, as it was proposed or not, without the way there."""
    suggestion = item.annotations.filter(author=None).first()
    draft = tree(branch(1, None, name="Better name"), branch(2, None)) if edited else PROPOSAL
    base = Annotation.objects.create(item=item, rater="r", draft=draft, suggestion=suggestion, unchanged=not edited)
    Item.objects.filter(pk=item.pk).update(state="accepted", base=base)
    return Item.objects.select_related("project", "base").get(pk=item.pk)


def judges(project: Project, name: str = "judge-m") -> tuple[Judge, Judge]:
    """One by its own criteria, the same by recovered ones."""
    variants = ("n=5 scale=5-25", "n=5 criteria=recovered scale=5-25")
    made = [make_judge(project, name, "branching", variant) for variant in variants]
    return made[0], made[1]


def judged(item: Item, judge: Judge, *choices: str, turned: bool = False, names: tuple[str, ...] = ()) -> None:
    """choices: in the straight and the swapped order, as the item calls its responses; "" is not readable.

    turned: the answers are kept in the other order. names: of the criteria, those of the item where they are recovered.
    """
    case = case_of(item)
    assert case is not None
    authors = [Author.objects.get_or_create(project=item.project, name=name)[0] for name in ("model-a", "model-b")]
    answers = [Answer.objects.get_or_create(item=item, author=one, defaults={"text": one.name})[0] for one in authors]
    if turned:
        answers.reverse()
    other = {"first": "second", "second": "first"} if turned else {}
    for swapped, choice in zip((False, True), choices, strict=False):
        verdict = Verdict.objects.create(
            judge=judge,
            item=item,
            case_sha=case.judged.sha256,
            first=answers[0],
            second=answers[1],
            swapped=swapped,
            choice=other.get(choice, choice),
            reading="ok" if choice else "unparsed",
        )
        recovered = names or tuple(one.name for one in case.judged.criteria)
        for place, name in enumerate(recovered if "criteria=recovered" in judge.variant else ("own",), start=1):
            Part.objects.create(verdict=verdict, axis=str(place), label=name)
