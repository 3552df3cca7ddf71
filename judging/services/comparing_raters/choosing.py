"""People chosen out of those who have rated: by name, by pattern of names, by number."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from judging.services.comparing_raters.material import Material, Somebody

NOT = "!"


class NobodyChosen(ValueError):
    """Whom the words do not name; the text names whom they could."""


def chosen_people(material: Material, words: Sequence[str]) -> list[str]:
    """Keys of the people named by words: a name, a pattern such as `expert_*`, or the number that the page gives
    (`p3`); with a `!` before it everybody else. Raises NobodyChosen for a word that fits nobody, or if nobody is
    left.
    """
    positive_words = [word for word in words if not word.startswith(NOT)]
    without = [word.removeprefix(NOT) for word in words if word.startswith(NOT)]
    for word in (*positive_words, *without):
        if not any(_fits(person, word) for person in material.people):
            raise NobodyChosen(f"No person is called {word!r}. People who have rated: {_named(material.people)}.")
    people = [
        person
        for person in material.people
        if not positive_words or any(_fits(person, word) for word in positive_words)
    ]
    people = [person for person in people if not any(_fits(person, word) for word in without)]
    if not people:
        raise NobodyChosen(f"Nobody is left to compare. People who have rated: {_named(material.people)}.")
    return [person.key for person in people]


def _fits(person: Somebody, word: str) -> bool:
    return word in (person.name, person.key) or fnmatchcase(person.name, word)


def _named(people: Sequence[Somebody]) -> str:
    names = [person.name for person in people[:20]]
    return ", ".join(names) + (f" and {len(people) - 20} more" if len(people) > 20 else "")
