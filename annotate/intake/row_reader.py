"""From a row of a file to a row ready to be stored: read and checked. Nothing here writes."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from django.utils.translation import gettext_noop

from annotate.formats.rows import ImportRow, Problem, printable
from annotate.intake.mapping import KEY
from annotate.intake.row_checks import Checks
from annotate.intake.row_columns import RowColumns
from annotate.intake.stand_ins import in_all, stand_in_facts
from annotate.kinds.contract import METADATA
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape, Native
from annotate.media.actions import embedded_name
from annotate.media.queries import images_by_name
from annotate.models import Item, Project
from lib.texts.stored_sentences import kept
from lib.texts.stored_sentences import say as _

NO_FILE = gettext_noop(
    "names the file “%(name)s”, which is not in the project. Add it under Data → Files, or bring it in a "
    "zip with the rows."
)
NO_IMAGE = gettext_noop("names the file “%(name)s”, which is no image. Show the column `as: file`.")
NO_IMAGE_IN_MESSAGE = gettext_noop(
    "names the file “%(name)s”, which is no image. Messages show PNG, JPEG, WebP and GIF."
)
Drafts = Literal["suggestion", "final", "facts"]
Policy = Literal["skip", "update", "round"]
SHORT_HASH = 16
WORK = Item.Purpose.WORK.value
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False)
RATER_CHARACTERS = 80
MOST_METADATA, LONGEST_METADATA = 200, 100_000
MOST_FINDINGS = 50  # of one row that are reported
MODEL_CHARACTERS, VERSION_CHARACTERS, KEY_CHARACTERS = 120, 80, 200


@dataclass(frozen=True)
class Settings:
    """How a file is imported.

    drafts: what a row's top-level draft fields become: a suggestion that people refine, final work that is accepted
    unchanged, or nothing (facts). duplicates: what happens to a row whose key or content is already stored. checks:
    whether personal data and languages are looked for. mapping: field -> path of a column (annotate/intake/mapping.py);
    if it is empty, columns have the names of fields. id_is_key: whether a row without a key has the one in its column
    `id`, which the preview of the browser maps where somebody sees it. words: field -> a text of the file -> the
    allowed text that it stands for.
    """

    format: str
    options: dict[str, str] = field(default_factory=dict)
    drafts: Drafts = "suggestion"
    duplicates: Policy = "skip"
    checks: bool = True
    mapping: dict[str, str] = field(default_factory=dict)
    id_is_key: bool = False
    words: dict[str, dict[str, str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def origin(self) -> str:
        """The author of the top-level suggestions, as far as the file names one."""
        return f"imported ({self.format})"


@dataclass(frozen=True, slots=True)
class ImportedSuggestion:
    """A draft that people refine, and its author."""

    draft: dict[str, Any]
    model: str
    prompt_version: str = ""
    doubts: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PreparedRow:
    """One row, ready to be stored, unless a problem is an error.

    parent: a key of the project's source, or nothing. key_by_place: the key is the row's position in its file.
    metadata: what only leads see; rows that differ in it alone are different rows.
    """

    line: int
    row: dict[str, Any]
    key: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    content_hash: str = ""
    title: str = ""
    group: str = ""
    language: str = ""
    parent: str = ""
    metadata: dict[str, Any] | None = None
    suggestions: Sequence[ImportedSuggestion] = ()
    final: dict[str, Any] | None = None
    purpose: str = WORK
    problems: Sequence[Problem] = ()
    key_by_place: bool = False

    @property
    def rejected(self) -> bool:
        return bool(self.problems) and any(problem.level == "error" for problem in self.problems)

    def under_its_content(self) -> "PreparedRow":
        """The row with the key of rows that have none: made from the content."""
        return replace(self, key=self.content_hash[:SHORT_HASH], key_by_place=False)

    @property
    def newest(self) -> dict[str, Any] | None:
        """The current draft: the final one, else the last suggestion."""
        if self.final is not None:
            return self.final
        return self.suggestions[-1].draft if self.suggestions else None


def content_hash(facts: Mapping[str, Any]) -> str:
    """A digest of the facts that does not depend on the order of their names."""
    return hashlib.sha256(_CANONICAL.encode(facts).encode()).hexdigest()


class Rejected(Exception):
    """The row cannot be kept; `findings` says why."""

    def __init__(self, *findings: Finding) -> None:
        self.findings = findings
        super().__init__("; ".join(f"{finding.path} {finding.message}" for finding in findings))


class RowReader:
    """Reads the rows of one file for one project; pure, except that it is set up with the project's options."""

    def __init__(
        self,
        project: Project,
        file: str,
        settings: Settings,
        media: Sequence[str] = (),
        keep: Callable[[str, bytes], object] | None = None,
    ) -> None:
        """media: names of files that will be stored. keep: stores an image that a row holds, or raises BadContent."""
        self._kind = project.kind
        self._options = project.kind_options
        self._file = file
        self._settings = settings
        self._checks = Checks(project.kind, project.languages, thorough=settings.checks)
        self._columns = RowColumns(project, settings.mapping, settings.words, id_is_key=settings.id_is_key)
        self._images = images_by_name(project) | dict.fromkeys(media, True) if project.kind.names_files else {}
        self._keep = keep

    def read(self, row: ImportRow) -> PreparedRow:
        fields, language, faults = self._columns.fields(row.value)
        if too_wide := self._columns.width_fault(fields):
            return self._refused(row, [too_wide])
        try:
            fields, purpose = self._taken_apart(fields)
            prepared = self._prepared(row, self._kind.read_row(fields), purpose)
        except Rejected as rejected:
            return self._refused(row, [*faults, *rejected.findings])
        if faults:
            return self._refused(row, faults)
        return replace(prepared, language=language) if language else prepared

    def _refused(self, row: ImportRow, all_findings: Sequence[Finding]) -> PreparedRow:
        findings = [self._columns.with_its_path(finding, row.value) for finding in all_findings[:MOST_FINDINGS]]
        if (more := len(all_findings) - MOST_FINDINGS) > 0:
            findings.append(Finding("", _("has %(n)d more problems; correct the listed ones first.") % {"n": more}))
        return PreparedRow(row.line, row.value, problems=self._problems(row, findings, "error"))

    def _taken_apart(self, value: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """(the row without its purpose, the purpose); a kind that has a field of this name keeps it."""
        if "purpose" not in value or "purpose" in {*self._kind.fact_names, *self._kind.draft_names}:
            return value, WORK
        purpose = value["purpose"]
        if purpose not in Item.Purpose.values:
            message = _("must be one of %(names)s.") % {"names": ", ".join(Item.Purpose.values)}
            raise Rejected(Finding("purpose", message))
        return {name: field_value for name, field_value in value.items() if name != "purpose"}, purpose

    def _prepared(self, row: ImportRow, native: Native, purpose: str) -> PreparedRow:
        facts = self._facts(native)
        self._refuse_missing_files(facts.stored())
        is_check = purpose != WORK
        suggestions, final, shaped, warnings = self._drafts(native, facts, row.warnings, is_check=is_check)
        if is_check and final is None:
            message = _("a check needs its expected answer: put it in `final`, or accept the drafts of the file.")
            raise Rejected(Finding("purpose", message))
        facts = self._shaped(lambda _columns: self._kind.with_files(facts, self._embedded), {})
        stored, metadata = facts.stored(), _metadata(native.metadata)
        digest = content_hash({**(metadata or {}), **stored, **self._own_name(native)})
        noticed = [Finding(path, message) for path, message in row.warnings]
        warnings = [*noticed, *native.findings, *warnings, *self._checks.warnings(facts)]
        return PreparedRow(
            line=row.line,
            row=row.value,
            key=_key(native.key) or digest[:SHORT_HASH],
            facts=stored,
            content_hash=digest,
            title=self._kind.title(facts)[:160],
            group=self._kind.group(facts, shaped)[:120],
            language=self._checks.language(facts),
            parent=self._kind.parent_key(facts),
            metadata=metadata,
            suggestions=suggestions,
            final=final,
            purpose=purpose,
            problems=self._problems(row, warnings, "warning") if warnings else (),
            key_by_place=row.key_by_place,
        )

    def _facts(self, native: Native) -> Any:
        """The facts as their shape. If they have none, the problems of the draft are named with theirs."""
        try:
            return self._kind.read_facts(native.facts)
        except BadShape as bad:
            stand_ins = stand_in_facts(self._kind, native.facts, bad.findings)
            of_draft = in_all([self._findings_of_drafts(native, facts) for facts in stand_ins])
            raise Rejected(*bad.findings, *of_draft) from bad

    def _findings_of_drafts(self, native: Native, facts: Any) -> Sequence[Finding]:
        try:
            self._drafts(native, facts)
        except Rejected as rejected:
            return rejected.findings
        return []

    def _embedded(self, data: bytes) -> str:
        """The name of the file with this image, which is stored now if it is not there."""
        name = embedded_name(data)
        if name not in self._images:
            if self._keep is not None:
                self._keep(name, data)
            self._images[name] = True
        return name

    def _own_name(self, native: Native) -> dict[str, str]:
        """Rows of own columns that a file tells apart by their keys are different rows, whatever they show."""
        return {KEY: native.key} if self._kind.defined and isinstance(native.key, str) else {}

    def _refuse_missing_files(self, columns: Mapping[str, Any]) -> None:
        findings = []
        for file in self._kind.named_files(columns):
            if file.name not in self._images:
                findings.append(Finding(file.place, _(NO_FILE) % {"name": file.name}))
            elif file.is_image and not self._images[file.name]:
                message = NO_IMAGE if file.place in columns else NO_IMAGE_IN_MESSAGE
                findings.append(Finding(file.place, _(message) % {"name": file.name}))
        if findings:
            raise Rejected(*findings)

    def _drafts(
        self, native: Native, facts: Any, noticed: Sequence[tuple[str, str]] = (), *, is_check: bool = False
    ) -> tuple[list[ImportedSuggestion], dict[str, Any] | None, Any, list[Finding]]:
        """(suggestions oldest first, final, the newest draft as its shape, warnings)."""
        if self._settings.drafts == "facts":
            return [], None, None, []
        suggestions: list[ImportedSuggestion] = []
        warnings: list[Finding] = []
        shaped = None
        if native.suggestion is not None:
            suggested, shaped, warnings = self._nested_suggestion(native.suggestion, facts)
            suggestions.append(suggested)
        top, final = native.draft or None, native.final
        if self._settings.drafts == "final" and final is None:
            if top is None:
                raise Rejected(Finding("", _("this row has no draft to accept.")))
            return suggestions, *self._final(top, facts, "", is_check=is_check), warnings
        if top is not None:
            shaped, findings = self._filled(top, facts, "")
            if findings:
                raise Rejected(*findings)
            # The kind raises doubts about a single value itself, as long as the value is there.
            doubts = [_as_doubt(path, message) for path, message in noticed if not path]
            suggestions.append(ImportedSuggestion(shaped.stored(), self._settings.origin, doubts=doubts))
        if final is not None:
            return suggestions, *self._final(_members(final, "final"), facts, "final.", is_check=is_check), warnings
        return suggestions, None, shaped, warnings

    def _final(
        self, draft: Mapping[str, Any], facts: Any, prefix: str, *, is_check: bool
    ) -> tuple[dict[str, Any], Any]:
        """is_check: people may be expected to call the item unsuitable."""
        shaped = self._shaped(self._kind.read_draft, draft, prefix)
        findings = self._kind.problems(facts, shaped, self._options)
        if findings:
            raise Rejected(*_under(prefix, findings))
        if self._kind.unsuitable(shaped) and not is_check:
            raise Rejected(Finding(prefix, _("the draft marks its item as unusable; such a row cannot be accepted.")))
        return shaped.stored(), shaped

    def _nested_suggestion(self, value: Any, facts: Any) -> tuple[ImportedSuggestion, Any, list[Finding]]:
        suggestion = dict(_members(value, "suggestion"))
        model = _name(suggestion.pop("model", None), "suggestion.model", MODEL_CHARACTERS)
        version = _name(suggestion.pop("prompt_version", None), "suggestion.prompt_version", VERSION_CHARACTERS)
        doubts = list(_doubts(suggestion.pop("doubts", None)))
        shaped, findings = self._filled(suggestion, facts, "suggestion.")
        return ImportedSuggestion(shaped.stored(), model or self._settings.origin, version, doubts), shaped, findings

    def _filled(self, draft: Mapping[str, Any], facts: Any, prefix: str) -> tuple[Any, list[Finding]]:
        """A draft with missing values left empty, and the problems of the given values."""
        begun = self._kind.empty_draft(facts) if self._kind.defined else {}  # may miss any answer and still be read
        try:
            shaped, names = self._kind.read_draft({**begun, **draft}), None
        except BadShape:
            whole = {**self._kind.empty_draft(facts), **draft}
            shaped, names = self._shaped(self._kind.read_draft, whole, prefix), set(draft)
        findings = self._kind.problems(facts, shaped, self._options)
        return shaped, _under(prefix, self._of_given_values(findings, draft, names)) if findings else []

    def _of_given_values(
        self, findings: Sequence[Finding], draft: Mapping[str, Any], names: set[str] | None
    ) -> list[Finding]:
        missing = set(self._kind.draft_names) - draft.keys()
        undecided = {*missing, *(name for name, value in draft.items() if value is None)}  # null: left to people
        decided = [finding for finding in findings if finding.field not in undecided]
        return [finding for finding in decided if names is None or finding.field in names]

    @staticmethod
    def _shaped(reader: Callable[[Mapping[str, Any]], Any], fields: Mapping[str, Any], prefix: str = "") -> Any:
        try:
            return reader(fields)
        except BadShape as bad:
            raise Rejected(*_under(prefix, bad.findings)) from bad

    def _problems(
        self, row: ImportRow, findings: Sequence[Finding], level: Literal["error", "warning"]
    ) -> list[Problem]:
        return [Problem(self._file, row.line, finding.path, finding.message, level) for finding in findings]


def _metadata(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        raise Rejected(Finding(METADATA, _('must be an object such as {"model": "…"}.')))
    if not value:
        return None
    if len(value) > MOST_METADATA or len(_CANONICAL.encode(value)) > LONGEST_METADATA:
        message = _("holds more than %(most)d columns or %(size)d characters; leave out what you do not need.")
        raise Rejected(Finding(METADATA, message % {"most": MOST_METADATA, "size": LONGEST_METADATA}))
    return value


def _under(prefix: str, findings: Sequence[Finding]) -> list[Finding]:
    return [Finding(prefix + finding.path, finding.message) for finding in findings] if prefix else list(findings)


def _members(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Rejected(Finding(path, _("must be an object with the draft's fields.")))
    return value


def _as_doubt(path: str, message: str) -> dict[str, Any]:
    """A warning of the format about a row, as a doubt that is shown in each reader's language."""
    message_parts = kept(message, clean=lambda text: printable(text, most=300))
    if message_parts is None:
        return Finding(path, str(message)).as_json()
    return Finding(path, message_parts["id"], said=message_parts["values"]).as_json()


def _key(key: Any) -> str | None:
    if key is None:
        return None
    if not isinstance(key, str) or not key.strip():
        raise Rejected(Finding("key", _("must be text and not empty; leave it out to generate one.")))
    return _name(key, "key", KEY_CHARACTERS)


def _name(value: Any, path: str, most: int) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > most:
        raise Rejected(Finding(path, _("must be text of at most %(most)s characters.") % {"most": most}))
    return value


def _doubts(value: Any) -> Iterator[dict[str, str]]:
    if value is None:
        return
    if not isinstance(value, list):
        raise Rejected(Finding("suggestion.doubts", _("must be a list.")))
    for index, doubt in enumerate(value):
        path, text = (doubt.get("path", ""), doubt.get("message")) if isinstance(doubt, Mapping) else (None, None)
        if not isinstance(path, str) or not isinstance(text, str):
            message = _('must be an object such as {"path": "checklist[0]", "message": "…"}.')
            raise Rejected(Finding(f"suggestion.doubts[{index}]", message))
        yield Finding(path, text, source="model").as_json()
