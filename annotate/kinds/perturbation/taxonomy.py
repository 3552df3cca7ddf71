"""Abilities and categories of errors: shipped in categories.toml, changed per project by its options."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from django.utils.translation import get_language
from pydantic import Field

from annotate.kinds.shapes import LenientOptions

FILE = Path(__file__).with_name("categories.toml")


class Words(LenientOptions):
    """What people read about a category, in one language. valid: what a valid perturbation must do.

    prompt: what a model that makes one is told beside the rest.
    """

    name: str = Field(min_length=1)
    definition: str = Field(min_length=1)
    example: str = ""
    valid: str = ""
    prompt: str = ""


class Category(Words):
    """One kind of error.

    expects: the verdict that counts towards coverage. smallest, largest: share of the text, 0 to 1, that is expected to
    change. must_change: what none of its perturbations leaves as it was. wanted: how many; None: as the project says.
    """

    ability: str = Field(min_length=1)
    expects: Literal["valid", "score_invariant"] = "valid"
    smallest: float = Field(default=0, ge=0, le=1)
    largest: float = Field(default=1, ge=0, le=1)
    must_change: Literal["", "number", "unit", "format"] = ""
    wanted: int | None = Field(default=None, ge=0)
    zh: Words | None = None

    @property
    def words(self) -> Words:
        """In the reader's language where the category has it."""
        return self.zh if self.zh and (get_language() or "").startswith("zh") else self


class Ability(LenientOptions):
    name: str
    zh: str = ""

    def __str__(self) -> str:
        return self.zh if self.zh and (get_language() or "").startswith("zh") else self.name


@dataclass(frozen=True)
class Taxonomy:
    """slug -> ability, slug -> category, both in the order in which they are shown."""

    abilities: Mapping[str, Ability]
    categories: Mapping[str, Category]

    def ability_name(self, slug: str) -> str:
        return str(self.abilities.get(slug) or slug)

    def category_name(self, slug: str) -> str:
        found = self.categories.get(slug)
        return found.words.name if found else slug


@cache
def shipped() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def taxonomy(abilities: Mapping[str, Any], categories: Mapping[str, Any]) -> Taxonomy:
    """The shipped one with a project's changes: fields of a category that is there, new ones; None takes one away.

    Raises ValidationError for what does not make an ability or a category.
    """
    known = _merged(shipped()["abilities"], abilities)
    merged = _merged(shipped()["categories"], categories)
    return Taxonomy(
        {slug: Ability.model_validate(one) for slug, one in known.items()},
        {slug: Category.model_validate(one) for slug, one in merged.items()},
    )


def _merged(ours: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    whole = {slug: {**ours.get(slug, {}), **change} for slug, change in changes.items() if change is not None}
    return {slug: one for slug, one in {**ours, **whole}.items() if changes.get(slug, one) is not None}
