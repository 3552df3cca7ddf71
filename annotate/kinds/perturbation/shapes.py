"""Facts, draft and options of a perturbation."""

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from annotate.kinds.perturbation.taxonomy import Taxonomy, taxonomy
from annotate.kinds.shapes import LenientOptions, Shape

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
        """A verdict that is still missing is stored as such."""
        return self.model_dump()


class CategoryOptions(LenientOptions):
    """A project's own abilities and categories: changes to the shipped ones, by slug; null takes one away."""

    abilities: dict[str, dict[str, Any] | None] = {}
    categories: dict[str, dict[str, Any] | None] = {}

    @cached_property
    def taxonomy(self) -> Taxonomy:
        return taxonomy(self.abilities, self.categories)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        try:
            taxonomy(self.abilities, self.categories)
        except ValidationError as error:
            detail = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}") from error
        return self


class PerturbationOptions(CategoryOptions):
    """wanted: how many of each category people should have found good, where the category does not say."""

    wanted: int = Field(default=20, ge=0)
