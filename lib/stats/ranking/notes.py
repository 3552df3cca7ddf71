"""What a reader of a ranking has to know beside the numbers: sentences with names in them, which screens translate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lib.stats.notes import gettext_noop

NO_BATTLES = gettext_noop("There is no battle to rank by.")
NOBODY_RANKED = gettext_noop(
    "No strength is determined: no two models have each, directly or through others, taken something from the other."
)
ALWAYS_WON = gettext_noop("Won all of their battles, so that nothing says how strong they are: %(models)s.")
ALWAYS_LOST = gettext_noop("Lost all of their battles, so that nothing says how weak they are: %(models)s.")
IDLE = gettext_noop("Without a battle that counts: %(models)s.")
APART = gettext_noop(
    "The battles fall into %(count)d groups of models that never met, which cannot be compared: %(models)s."
)
RANKED = gettext_noop("Ranked among each other are: %(models)s. Only battles between them count for their strengths.")
RANKED_TOO = gettext_noop("Another group can be ranked by itself: %(models)s.")
ONE_WAY = gettext_noop(
    "Between groups of models one side won everything; strengths exist only inside a group: %(models)s."
)
HELPED = gettext_noop(
    "In %(count)d of %(of)d draws a model won or lost everything; there one tied battle, spread over all pairs, was "
    "added. Intervals of so few battles are rough."
)
NO_SPREAD = gettext_noop("All battles ended alike, so that drawing them again gives no interval.")
NO_TIES_TO_MODEL = gettext_noop(
    "Davidson's model cannot be fitted to so few ties or wins; ties count as half a win each here."
)


@dataclass(frozen=True)
class Note:
    """text: a sentence to translate; values: what goes into it."""

    text: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.values if self.values else self.text


def about(text: str, names: Iterable[str]) -> Note:
    return Note(text, {"models": ", ".join(names)})
