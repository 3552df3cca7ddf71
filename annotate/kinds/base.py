"""What a kind of work has to say. One subclass a folder; see docs/kinds.md for a walk-through."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.utils.functional import Promise

from annotate.kinds.answered import Answered
from annotate.kinds.drafted import Drafted
from annotate.kinds.modelled import Modelled
from annotate.kinds.reported import Reported, erased
from annotate.kinds.shaped import Shaped
from annotate.kinds.shapes import LenientOptions


class Kind(Shaped, Drafted, Modelled, Answered):
    """A kind of work: shapes of facts and drafts, checks, form, pages and export.

    Facts are frozen at import; a draft is what people write. Both are pydantic shapes, strict, and every write
    goes through `read_facts` and `read_draft`. Methods are pure: no database, no network.
    """

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    about: ClassVar[str | Promise]
    options: ClassVar[type[LenientOptions]] = LenientOptions

    # --- what an item is called and where it belongs --------------------------------------------------------------
    def title(self, facts: Any) -> str:
        """One line that people recognise the item by, at most 160 characters."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def group(self, facts: Any, draft: Any | None) -> str:
        """The task, category or intent by which work is assigned and reported; empty where there is none."""
        return ""

    def groups(self, options: Any) -> Sequence[str]:
        """The groups that items can have by the project's options; empty where only the items themselves say it."""
        return []

    def reading_text(self, facts: Any) -> str:
        """The text whose language is the item's language."""
        return self.title(facts)

    def texts(self, facts: Any) -> Mapping[str, str]:
        """path -> text of every fact in which personal data could stand."""
        return {"": self.reading_text(facts)}

    # --- cases that the public reports --------------------------------------------------------------------------------
    takes_reports: ClassVar[bool] = False  # whether a survey of the public can make items of it
    wordless: ClassVar[Sequence[str]] = ()  # facts that hold no words of people, such as a category or a number

    def reported(self, case: Reported) -> dict[str, Any]:
        """The facts of an item made of a reported case."""
        raise NotImplementedError  # a kind with takes_reports says it; the contract test calls it

    def erased(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Stored facts without a word of what they said, still in their shape: of a case that was withdrawn."""
        return erased(self.facts, stored, names=self.wordless)
