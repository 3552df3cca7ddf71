"""People chosen out of those who have rated: by name, by pattern of names, by number."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from judging.services.comparing_raters.material import Material, Somebody

NOT = "!"


class NobodyChosen(ValueError):
    """Whom the words do not name; the text names whom they could."""


def chosen_people(found: Material, words: Sequence[str]) -> list[str]:
    """Keys of the people named by words: a name, a pattern such as `expert_*`, or the number that the page gives
    (`p3`); with a `!` before it everybody else. Raises NobodyChosen for a word that fits nobody, or if nobody is
    left.
    """
    wanted = [word for word in words if not word.startswith(NOT)]
    without = [word.removeprefix(NOT) for word in words if word.startswith(NOT)]
    for word in (*wanted, *without):
        if not any(_fits(one, word) for one in found.people):
            raise NobodyChosen(f"No person is called {word!r}. People who have rated: {_named(found.people)}.")
    people = [one for one in found.people if not wanted or any(_fits(one, word) for word in wanted)]
    people = [one for one in people if not any(_fits(one, word) for word in without)]
    if not people:
        raise NobodyChosen(f"Nobody is left to compare. People who have rated: {_named(found.people)}.")
    return [one.key for one in people]


def _fits(one: Somebody, word: str) -> bool:
    return word in (one.name, one.key) or fnmatchcase(one.name, word)


def _named(people: Sequence[Somebody]) -> str:
    shown = [one.name for one in people[:20]]
    return ", ".join(shown) + (f" and {len(people) - 20} more" if len(people) > 20 else "")
