"""Authors of corrections: `x+correction` writes answers anew that x has given."""

from collections.abc import Mapping

from judging.models import Answer, Author
from judging.services.answers.storing import Given, authors_called

SUFFIX = "+correction"
LONGEST = 120


def corrected(name: str) -> str:
    """How whoever corrects this author is called."""
    return f"{name[: LONGEST - len(SUFFIX)]}{SUFFIX}"


def corrector_of(author: Author) -> Author:
    """The author of corrected answers of that one, made where it is missing; whose they are is kept."""
    name = corrected(author.name)
    described = {"sort": author.sort, "family": author.family, "provider": author.provider}
    corrector = authors_called(author.project, {name: described})[name]
    _link(corrector, author)
    return corrector


def link(authors: Mapping[str, Author]) -> None:
    """Whoever is called as the corrector of another of these becomes it."""
    for name, author in authors.items():
        corrector = authors.get(corrected(name))
        if corrector is not None and corrector.pk != author.pk:
            _link(corrector, author)


def _link(corrector: Author, author: Author) -> None:
    if corrector.corrects_id is None:
        Author.objects.filter(pk=corrector.pk, corrects=None).update(corrects=author.pk)
        corrector.corrects = author


def not_written_anew(new_answers: list[Given], authors: Mapping[str, Author]) -> list[Given]:
    """Without corrections that items hold where a run has written another one since: the run's stands."""
    correctors = [author.pk for author in authors.values() if author.corrects_id]
    if not correctors:
        return new_answers
    written = Answer.objects.filter(
        author__in=correctors, item__in={answer.item for answer in new_answers}, job__isnull=False
    )
    written_keys = set(written.values_list("item_id", "author_id"))
    return [answer for answer in new_answers if (answer.item, answer.author) not in written_keys]
