"""From the columns of a file's row to fields under the names of the kind. Nothing here writes."""

from collections.abc import Mapping
from typing import Any

from annotate.intake.closed_values import OwnWords, Words, is_language_code
from annotate.intake.mapping import ID, KEY, LANGUAGE, Paths, as_key, fields_of, is_absent, mapped, value_at
from annotate.kinds.shapes import Finding
from annotate.models import Project
from lib.texts.stored_sentences import say as _

MOST_FIELDS = 300  # of a row of a kind in code


class RowColumns:
    """The columns of rows as fields: by mapping, with the words of a file in place of closed values."""

    def __init__(self, project: Project, paths: Paths, words: Words, *, id_is_key: bool) -> None:
        self._kind = project.kind
        self._known = frozenset(fields_of(project.kind))
        self._paths = paths
        self._words = OwnWords(project, words, paths)
        self._id_is_key = id_is_key

    def fields(self, row: dict[str, Any]) -> tuple[dict[str, Any], str, list[Finding]]:
        """(the row under the names of the kind, its language if a column says it, what is wrong with that)"""
        return self._mapped(self._keyed(row))

    def _keyed(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with its `id` as its key, unless it has a key, or `id` is a field or mapped to one."""
        key = as_key(row.get(ID)) if self._id_is_key else None
        if not isinstance(key, str) or not key.strip() or KEY in row or self._id_is_taken():
            return row
        return {KEY: key, **{name: part for name, part in row.items() if name != ID}}

    def _id_is_taken(self) -> bool:
        return ID in self._known or KEY in self._paths or ID in self._paths or ID in self._paths.values()

    def _mapped(self, row: dict[str, Any]) -> tuple[dict[str, Any], str, list[Finding]]:
        if not self._paths:
            return self._words.replaced(row), "", []
        fields = self._words.replaced(mapped(row, self._paths, self._known))
        if LANGUAGE in self._known or LANGUAGE not in fields:
            return fields, "", []
        language = fields.pop(LANGUAGE)
        if is_language_code(language):
            return fields, language, []
        return fields, "", [Finding(LANGUAGE, _("must be the code of a language, such as en or zh-Hant."))]

    def width_fault(self, fields: Mapping[str, Any]) -> Finding | None:
        """Each unknown field would be a problem of its own; columns of `defined` kinds are metadata, limited there."""
        if len(fields) <= MOST_FIELDS or self._kind.defined:
            return None
        message = _("has %(n)d fields; at most %(most)d are read. Leave out those that you do not need.")
        return Finding("", message % {"n": len(fields), "most": MOST_FIELDS})

    def with_its_path(self, finding: Finding, row: Mapping[str, Any]) -> Finding:
        """A field that is missing because its column is: the message names the column."""
        path = self._paths.get(finding.path)
        if path is None or not is_absent(value_at(row, path)):
            return finding
        message = _("is to come from the column “%(path)s”, which this row does not have. Choose another column.")
        return Finding(finding.path, message % {"path": path[:80]})
