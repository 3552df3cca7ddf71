"""What gives the authors of a study away, and what becomes of a text in which it stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.models import Project
from judging.models import Author
from judging.services.studies.masking import Telling, telling
from judging.services.studies.wishes import MASKED, Blinding

Answers = Sequence[tuple[int, str]]


@dataclass(frozen=True)
class Named:
    """An answer in which a model is named. words: what stands there -> how often; aside: not asked about for that."""

    answer: int
    words: Mapping[str, int]
    aside: bool


def listed(mention: Named) -> dict[str, Any]:
    """As a study keeps it."""
    return {"answer": mention.answer, "words": dict(mention.words), "aside": mention.aside}


def telling_of(project: Project, authors: Iterable[Author], blinding: Blinding) -> Telling:
    """Of all models of the project and of the chosen authors: names, families, makers; and what the lead adds."""
    models = list(Author.objects.filter(project=project, sort=Author.Sort.MODEL))
    names = {name for author in [*models, *authors] for name in (author.name, author.family, author.provider)}
    never = {name.strip().casefold() for name in blinding.never}
    searched_names = [name for name in [*names, *blinding.also] if name.strip().casefold() not in never]
    return telling(searched_names, blinding.phrases)


def blinded(answers: Answers, names: Telling, how: str) -> tuple[Answers | None, list[Named]]:
    """(answer, text) as people may see them, None where they must not; and in which of them something was found.

    An answer that says nothing else is never shown.
    """
    masked = [(pk, names.mask(text)) for pk, text in answers]
    aside = any(masked_text.words and (how != MASKED or masked_text.is_empty) for _pk, masked_text in masked)
    mentions = [Named(pk, dict(masked_text.words), aside) for pk, masked_text in masked if masked_text.words]
    return None if aside else [(pk, masked_text.text) for pk, masked_text in masked], mentions
