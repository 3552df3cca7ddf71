"""The effects of a change of settings, counted before it is stored; each room counts its own."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """One sentence with its number. stops: somebody has to do something before work goes on, or work is refused.

    n: how many it concerns; None where that cannot be counted. names: of the people or groups concerned.
    """

    text: str
    n: int | None = None
    stops: bool = False
    names: Sequence[str] = ()

    @property
    def listed(self) -> str:
        """The names in one line; those beyond `NAMED` are counted."""
        listed = ", ".join(self.names[:NAMED])
        return f"{listed} … (+{len(self.names) - NAMED})" if len(self.names) > NAMED else listed


NAMED = 8
