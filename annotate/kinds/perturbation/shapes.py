"""Abilities and categories of errors (shipped in categories.toml, changed by a project's options), facts and draft."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from django.utils.translation import get_language, gettext_lazy
from pydantic import Field, ValidationError, model_validator

from annotate.kinds.option_labels import NEXT_RUN, OptionLabel, Part
from annotate.kinds.shapes import LenientOptions, Shape

FILE = Path(__file__).with_name("categories.toml")
INVARIANT_ABILITY = "score-invariant"


class CategoryWords(LenientOptions):
    """What people read about a category, in one language. valid: what a valid perturbation must do.

    prompt: what a model that makes one is told beside the rest. another: a second example.
    """

    name: str = Field(min_length=1)
    definition: str = Field(min_length=1)
    example: str = ""
    another: str = ""
    valid: str = ""
    prompt: str = ""

    @property
    def examples(self) -> str:
        """All of them, a line each."""
        return "\n".join(filter(None, [self.example, self.another]))


class Category(CategoryWords):
    """One kind of error, or of change that is none.

    ability: which prompts it is made from; INVARIANT_ABILITY: all.
    subtle: what a model that makes one is told about how far it may show, see `subtlety`.
    expects: the verdict that counts towards coverage. wanted: how many; None: as the project says.
    smallest, largest: share of the text, 0 to 1, that is expected to change.
    must_change: what none of its perturbations leaves as it was.
    """

    ability: str = Field(min_length=1)
    expects: Literal["valid", "score_invariant"] = "valid"
    smallest: float = Field(default=0, ge=0, le=1)
    largest: float = Field(default=1, ge=0, le=1)
    subtle: Literal["", "knowledge", "slight"] = ""
    must_change: Literal["", "number", "unit", "format"] = ""
    wanted: int | None = Field(default=None, ge=0)
    zh: CategoryWords | None = None

    @property
    def counted_as(self) -> str:
        """The ability that it is counted under: what should change no score is a control and no error."""
        return INVARIANT_ABILITY if self.expects == "score_invariant" else self.ability

    @property
    def words(self) -> CategoryWords:
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
        category = self.categories.get(slug)
        return category.words.name if category else slug


@cache
def shipped() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def subtlety(subtle: str, language: str) -> str:
    """How little a perturbation may show, in words; "" if nothing is required."""
    words = shipped()["subtlety"].get(subtle, {})
    return str(words.get(language) or words.get("en", ""))


def build_taxonomy(abilities: Mapping[str, Any], categories: Mapping[str, Any]) -> Taxonomy:
    """The shipped taxonomy with a project's changes: changed fields, new categories; None removes one.

    Raises ValidationError for values that are no valid ability or category.
    """
    merged_abilities = _merged(shipped()["abilities"], abilities)
    merged = _merged(shipped()["categories"], categories)
    return Taxonomy(
        {slug: Ability.model_validate(fields) for slug, fields in merged_abilities.items()},
        {slug: Category.model_validate(fields) for slug, fields in merged.items()},
    )


def _merged(ours: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    whole = {slug: {**ours.get(slug, {}), **change} for slug, change in changes.items() if change is not None}
    return {slug: fields for slug, fields in {**ours, **whole}.items() if changes.get(slug, fields) is not None}


# Facts, draft and options.


Text = Annotated[str, Field(min_length=1)]
Verdict = Literal["valid", "invalid", "score_invariant", "not_relevant", "not_sure"]
Name = Annotated[str, Field(min_length=1, max_length=120)]


class PerturbationFacts(Shape):
    """A prompt, its gold answer, and what was to be made of that.

    gold_answer: empty where there is none. explanation: what the generator says that it changed. cdx: the published
    number of the tuple, unique within its category.
    """

    prompt: Text
    gold_answer: str
    ability: Name
    category: Name
    explanation: str = ""
    cdx: Annotated[str, Field(min_length=1, max_length=79)] | None = None


class PerturbationDraft(Shape):
    """The perturbed answer, which people may correct, and what they say about it.

    verdict: None as long as nobody has given one.
    """

    perturbed_answer: str
    verdict: Verdict | None
    note: str

    def stored(self) -> dict[str, Any]:
        """A missing verdict is stored as null."""
        return self.model_dump()


class CategoryOptions(LenientOptions):
    """A project's own abilities and categories: changes to the shipped ones, by slug; null takes one away."""

    abilities: Annotated[
        dict[str, dict[str, Any] | None],
        OptionLabel(
            gettext_lazy("Abilities"),
            help=gettext_lazy("Only what differs from the shipped ones; an empty cell keeps the shipped value."),
            applies=NEXT_RUN,
            columns=(gettext_lazy("Ability"),),
            parts={"name": Part(gettext_lazy("Name")), "zh": Part(gettext_lazy("Name in Chinese"))},
        ),
    ] = {}
    categories: Annotated[
        dict[str, dict[str, Any] | None],
        OptionLabel(
            gettext_lazy("Categories"),
            help=gettext_lazy(
                "Only what differs from the shipped ones; an empty cell keeps the shipped value. Texts in Chinese and "
                "the rest are set as JSON."
            ),
            example="number-errors",
            applies=NEXT_RUN,
            columns=(gettext_lazy("Category"),),
            parts={
                "ability": Part(gettext_lazy("Ability")),
                "name": Part(gettext_lazy("Name")),
                "definition": Part(gettext_lazy("Definition"), lines=2),
                "example": Part(gettext_lazy("Example"), lines=2),
                "valid": Part(gettext_lazy("A valid one must"), lines=2),
                "wanted": Part(gettext_lazy("Wanted"), is_number=True),
            },
        ),
    ] = {}

    @cached_property
    def taxonomy(self) -> Taxonomy:
        return build_taxonomy(self.abilities, self.categories)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        try:
            build_taxonomy(self.abilities, self.categories)
        except ValidationError as error:
            detail = error.errors()[0]
            option = "abilities" if error.title == Ability.__name__ else "categories"
            raise ValueError(f"{option}: {'.'.join(map(str, detail['loc']))}: {detail['msg']}") from error
        return self


class PerturbationOptions(CategoryOptions):
    """wanted: how many of each category people should have found good, where the category does not say."""

    wanted: Annotated[
        int,
        OptionLabel(
            gettext_lazy("Wanted per category"),
            help=gettext_lazy("How many accepted ones are full coverage, unless a category has its own number."),
            unit=gettext_lazy("perturbations"),
            example="20",
            applies=gettext_lazy("coverage counts towards it at once."),
        ),
    ] = Field(default=20, ge=0)
