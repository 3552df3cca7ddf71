"""Decided perturbations: a prompt, its gold answer and one that has been spoiled, as accepted items."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from annotate.models import Annotation, Item, Project
from tests.support.people import make_project

_numbers = count(1)


class Spoiled(NamedTuple):
    prompt: str
    gold: str
    perturbed: str
    ability: str
    category: str


def perturbation_project() -> Project:
    return make_project(kind_slug="perturbation")


def perturbed_item(project: Project, spoiled: Spoiled, *, verdict: str = "valid", language: str = "en") -> Item:
    key = f"{spoiled.category}/{next(_numbers)}"
    facts = {
        "prompt": spoiled.prompt,
        "gold_answer": spoiled.gold,
        "ability": spoiled.ability,
        "category": spoiled.category,
        "explanation": "Something was changed.",
    }
    item = Item.objects.create(
        project=project, key=key, title=key, facts=facts, content_hash=key, state="accepted", language=language
    )
    draft = {"perturbed_answer": spoiled.perturbed, "verdict": verdict, "note": ""}
    item.base = Annotation.objects.create(item=item, model="writer", draft=draft)
    item.save(update_fields=["base"])
    return item


def spoiled_pairs(each: int = 8) -> Iterator[Spoiled]:
    """Eight categories, so many of each; every eighth prompt has one gold answer under all of its categories."""
    names = ["Ana", "Bo", "Cy", "Dee", "Eli", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou"]
    for n in range(each):
        who, boxes, inside = names[n % len(names)], n + 3, n + 5
        total = boxes * inside
        prompt = f"{who} has {boxes} boxes with {inside} pens inside. How many pens are there? Give three steps."
        gold = (
            f"1. {who} has {boxes} boxes.\n2. There are {inside} pens in each box.\n"
            f"3. So {boxes} * {inside} = {total}, and that makes {total} pens."
        )
        yield Spoiled(prompt, gold, gold.replace(f"= {total}", f"= {total + 2}"), "reasoning", "calculation-errors")
        yield Spoiled(
            prompt, gold, gold.replace(f"{inside} pens", f"{inside + 40} pens"), "reasoning", "copying-numbers-errors"
        )
        yield Spoiled(prompt, gold, gold.replace("There are", "They was"), "long-form", "grammar-errors")
        yield Spoiled(prompt, gold, gold.replace("So ", "Definately "), "long-form", "spelling-errors")
        yield Spoiled(prompt, gold, gold.replace("2. ", "4. "), "instruction-following", "incorrect-sequence-errors")
        yield Spoiled(prompt, gold, "\n".join(gold.splitlines()[:2]), "instruction-following", "do-less-errors")
        asked, told = f"How many moons has Mars, asks {who}?", f"Mars has two moons, {who}: Phobos and Deimos."
        yield Spoiled(asked, told, told.replace("two", "three"), "factual", "incorrect-fact")
        yield Spoiled(
            asked, told, f"{who}, Mars has two moons: they are Phobos and Deimos.", "score-invariant", "score_invariant"
        )
