"""Decided perturbations and rows of judgements about them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.formats.format import judgement_formats
from judging.intake.judgement_files import import_judgements
from judging.intake.judgement_store import JudgementReport
from judging.models import Judge
from tests.support.files import write_rows
from tests.support.people import make_project

LETTERS = {"gold": "AB", "perturbed": "BA", "both_good": "CC", "both_bad": "DD", "inconsistent": "AA"}


def perturbation_project(**columns: Any) -> Project:
    return make_project(**{"slug": "fbi", "kind_slug": "perturbation"} | columns)


def perturbation(
    project: Project, no: int = 1, category: str = "entity-errors", ability: str = "factual", **draft: Any
) -> Item:
    """An accepted one under the key that rows name; each number asks something else."""
    cdx = f"{ability}-{no}"
    facts = {
        "prompt": f"How many moons has planet {no}?",
        "gold_answer": f"Planet {no} has two moons, Phobos and Deimos.",
        "ability": ability,
        "category": category,
        "explanation": "Deimos became Titan.",
        "cdx": cdx,
    }
    item = Item.objects.create(
        project=project,
        key=f"{category}/{cdx}",
        title=cdx,
        group=category,
        facts=facts,
        content_hash=f"{category}/{cdx}",
        state="accepted",
        language="en",
    )
    said = {"perturbed_answer": f"Planet {no} has two moons, Phobos and Titan.", "verdict": "valid", "note": ""} | draft
    item.base = Annotation.objects.create(item=item, model="writer", draft=said)
    item.save(update_fields=["base"])
    return item


def perturbations(
    project: Project, count: int, category: str = "entity-errors", ability: str = "factual"
) -> list[Item]:
    return [perturbation(project, no, category, ability) for no in range(1, count + 1)]


def about(item: Item, *, judge: str = "judge-m", strategy: str = "Vanilla", **said: Any) -> dict[str, Any]:
    """A row of judgements about the item."""
    category, _slash, number = item.key.partition("/")
    return {"judge": judge, "strategy": strategy, "category": category, "id": number, **said}


def single(item: Item, gold: float | None, perturbed: float | None, **named: Any) -> dict[str, Any]:
    return about(item, **{"score_gold": gold, "score_perturbed": perturbed} | named)


def pairwise(item: Item, outcome: str | None, **named: Any) -> dict[str, Any]:
    """outcome: a key of LETTERS; None is unreadable in one of the orders."""
    first, second = LETTERS[outcome] if outcome else ("A", None)
    return about(
        item, **{"strategy": "Pairwise", "verdict_gold_first": first, "verdict_perturbed_first": second} | named
    )


def reference(item: Item, score: float | None, top: float = 10, **named: Any) -> dict[str, Any]:
    return about(item, **{"strategy": "Reference", "score_perturbed": score, "top": top} | named)


def brought(project: Project, folder: Path, rows: Iterable[Any]) -> JudgementReport:
    path = write_rows(folder / "judgements.jsonl", rows)
    return import_judgements(project=project, files=[(path, path.name)], wanted=judgement_formats()["fbi"])


def judge_called(project: Project, strategy: str) -> Judge:
    return Judge.objects.get(project=project, strategy=strategy)
