"""What facts and drafts look like, in the database and in files."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import ValidationError

from annotate.kinds.shapes import Shape, faults
from annotate.kinds.values import BadShape, Native


class Shaped:
    """The side of a kind by which every write goes: pydantic shapes, strict."""

    facts: ClassVar[type[Shape]]
    draft: ClassVar[type[Shape]]
    schema: ClassVar[int] = 1

    def read_facts(self, value: Mapping[str, Any]) -> Any:
        """Facts as their shape. Raises BadShape."""
        return self._read(self.facts, value)

    def read_draft(self, value: Mapping[str, Any]) -> Any:
        """A draft as its shape. Raises BadShape."""
        return self._read(self.draft, value)

    @staticmethod
    def _read(shape: type[Shape], value: Mapping[str, Any]) -> Shape:
        try:
            return shape.model_validate(value)
        except ValidationError as error:
            raise BadShape(list(faults(error))) from error

    def upgrade(self, stored: dict[str, Any], schema: int) -> dict[str, Any]:
        """Stored facts or draft of an older schema number in today's shape. Pure; the default changes nothing."""
        return stored

    def read_row(self, row: Mapping[str, Any]) -> Native:
        """One row of a native file taken apart; shapes are not checked yet."""
        known_facts, known_draft = self.facts.model_fields, self.draft.model_fields
        aside = {"key", "suggestion", "final", "provenance"}
        draft = {name: value for name, value in row.items() if name in known_draft}
        rest = {name: value for name, value in row.items() if name not in known_draft and name not in aside}
        return Native(
            facts={name: value for name, value in rest.items() if name in known_facts or name not in aside},
            draft=draft or None,
            suggestion=row.get("suggestion"),
            final=row.get("final"),
            key=row.get("key"),
        )

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        """The exported row: published field names at top level, values as stored; absent stays absent."""
        return {**facts, **draft}
