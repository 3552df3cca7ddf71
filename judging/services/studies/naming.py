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


def listed(one: Named) -> dict[str, Any]:
    """As a study keeps it."""
    return {"answer": one.answer, "words": dict(one.words), "aside": one.aside}


def telling_of(project: Project, authors: Iterable[Author], blinding: Blinding) -> Telling:
    """Of all models of the project and of the chosen authors: names, families, makers; and what the lead adds."""
    models = list(Author.objects.filter(project=project, sort=Author.Sort.MODEL))
    names = {said for one in [*models, *authors] for said in (one.name, one.family, one.provider)}
    never = {one.strip().casefold() for one in blinding.never}
    wanted = [one for one in [*names, *blinding.also] if one.strip().casefold() not in never]
    return telling(wanted, blinding.phrases)


def blinded(answers: Answers, names: Telling, how: str) -> tuple[Answers | None, list[Named]]:
    """(answer, text) as people may see them, None where they must not; and in which of them something was found.

    An answer that says nothing else is never shown.
    """
    masked = [(pk, names.mask(text)) for pk, text in answers]
    aside = any(one.words and (how != MASKED or one.is_empty) for _pk, one in masked)
    found = [Named(pk, dict(one.words), aside) for pk, one in masked if one.words]
    return None if aside else [(pk, one.text) for pk, one in masked], found
