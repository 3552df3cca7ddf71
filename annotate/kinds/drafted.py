"""What people write about an item: its fields, what is checked, and the form."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.http import QueryDict

from annotate.kinds.agreeing import agree_in, label_in
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field, Wanted


class Drafted:
    """The side of a kind that the work and review pages see."""

    slug: ClassVar[str]

    def empty_draft(self, facts: Any) -> dict[str, Any]:
        """What the form shows when nobody has suggested anything."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def fields(self, facts: Any) -> Sequence[Field]:
        """The draft's fields in the order of the form."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def problems(self, facts: Any, draft: Any, options: Any) -> list[Finding]:
        """What stops a draft from being submitted or accepted."""
        return []

    def doubts(self, facts: Any, draft: Any, options: Any) -> list[Finding]:
        """What a person should look at first; never stops anything."""
        return []

    def unsuitable(self, draft: Any) -> bool:
        """The draft says that the item does not belong into the dataset."""
        return False

    def disagreements(self, facts: Any, drafts: Sequence[Mapping[str, Any]]) -> list[str]:
        """The names of the fields about which people who wrote these drafts disagree, in the order of the form.

        None are left where one draft may stand for all: for fields that are free, any text does.
        """
        judged = [field for field in self.fields(facts) if not field.free]
        return [field.name for field in judged if not agree_in(field, drafts)]

    def label(self, field: Field, draft: Mapping[str, Any]) -> str | None:
        """What a draft says in a field of choice, so that people can be compared; None where it says nothing."""
        return label_in(field, draft)

    def passed_on(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """What the next person starts from where somebody changed the text for others to look at (`revised`)."""
        return dict(draft)

    def revised(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Whether whoever was to validate a draft has changed what is validated, so that somebody else has to look."""
        return False

    def wanted(self, options: Any) -> Sequence[Wanted]:
        """What an overview counts towards; nothing where the project has no such goal."""
        return []

    def parent_key(self, facts: Any) -> str:
        """The key of the item, in the project's source, that this one is made from; empty where it does not say."""
        return ""

    # --- form -----------------------------------------------------------------------------------------------------
    def read_form(self, data: QueryDict, facts: Any) -> dict[str, Any]:
        """The draft as posted by the form, not yet checked. Never raises: what cannot be read stays as typed text."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def edited(self, draft: dict[str, Any], action: str, facts: Any) -> dict[str, Any]:
        """The draft after one of the form's own buttons, such as `add-row`; an unknown action changes nothing."""
        return draft

    def form_context(self, facts: Any, draft: Mapping[str, Any], options: Any) -> dict[str, Any]:
        """What the form template needs besides facts, draft, suggestion, findings."""
        return {}

    def shown(self, name: str, value: Any) -> str:
        """A field's value as text, for differences, history and review."""
        if value is None:
            return ""
        return "\n".join(map(str, value)) if isinstance(value, list) else str(value)

    live_template: ClassVar[str] = ""  # a part of the material that changes with what is typed; its elements: data-live

    @property
    def material_template(self) -> str:
        return f"{self.slug}/material.html"

    @property
    def form_template(self) -> str:
        return f"{self.slug}/form.html"
