"""The contract of a kind: shapes of facts and drafts, the form, cases reported by the public, and the class `Kind`."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from django.http import QueryDict
from django.utils.functional import Promise
from pydantic import ValidationError

from annotate.kinds.mixins import Draft, Facts, JudgedKind, MappedKind, ModelledKind, Options
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.scores import Score
from annotate.kinds.shapes import Finding, LenientOptions, Shape, faults
from annotate.kinds.values import BLANK, BadShape, Field, GenerationRequest, NamedFile, Native, agree_in, label_in

if TYPE_CHECKING:
    from annotate.kinds.questions.definition import Definition

AnyShape = TypeVar("AnyShape", bound=Shape)
KeepImage = Callable[[bytes], str]  # the bytes of an image -> the name of its file; raises BadContent
METADATA = "metadata"
ASIDE = frozenset({"key", "suggestion", "final", "provenance", METADATA})  # what a row holds besides facts and draft


class ShapedKind(Generic[Facts, Draft]):
    """The part of a kind that every write uses: strict pydantic shapes for facts and drafts, in the database and in
    files.
    """

    facts: type[Facts]
    draft: type[Draft]
    schema: int = 1

    @property
    def fact_names(self) -> Sequence[str]:
        """The names of all facts that an item can have, as in its files."""
        return list(self.facts.model_fields)

    @property
    def needed_facts(self) -> Sequence[str]:
        """Those that every item must have."""
        return [name for name, field in self.facts.model_fields.items() if field.is_required()]

    @property
    def draft_names(self) -> Sequence[str]:
        """The names of all fields that a draft can have."""
        return list(self.draft.model_fields)

    @property
    def names_files(self) -> bool:
        """Whether items can name stored files."""
        return False

    def named_files(self, columns: Mapping[str, Any]) -> Iterator[NamedFile]:
        """The stored files that facts or metadata of an item name."""
        yield from ()

    def with_files(self, facts: Facts, keep: KeepImage) -> Facts:
        """The facts with names of files in place of images that they hold as data. Raises BadShape."""
        return facts

    @property
    def image_columns(self) -> Sequence[str]:
        """The columns that items show as images."""
        return []

    @property
    def transcript_columns(self) -> Sequence[str]:
        """The columns that items show as transcripts, whose messages may name images."""
        return []

    def type_of(self, name: str) -> Any:
        """The type of a fact or of a field of a draft, as Python annotates it; texts of a closed list are Literal."""
        return {**self.facts.model_fields, **self.draft.model_fields}[name].annotation

    def is_optional(self, name: str) -> bool:
        """Whether a draft can lack this field."""
        return name not in self.draft.model_fields or not self.draft.model_fields[name].is_required()

    def read_facts(self, value: Mapping[str, Any]) -> Facts:
        """Facts as their shape. Raises BadShape."""
        return self._read(self.facts, value)

    def read_draft(self, value: Mapping[str, Any]) -> Draft:
        """A draft as its shape. Raises BadShape."""
        return self._read(self.draft, value)

    @staticmethod
    def _read(shape: type[AnyShape], value: Mapping[str, Any]) -> AnyShape:
        try:
            return shape.model_validate(value)
        except ValidationError as error:
            raise BadShape(list(faults(error))) from error

    def upgrade(self, stored: dict[str, Any], schema: int) -> dict[str, Any]:
        """Stored facts or draft of an older schema number in the current shape. Pure; the default changes nothing."""
        return stored

    def read_row(self, row: Mapping[str, Any]) -> Native:
        """The parts of one row of a native file; shapes are not checked yet."""
        known_draft = self.draft_names
        return Native(
            facts={name: value for name, value in row.items() if name not in known_draft and name not in ASIDE},
            draft={name: value for name, value in row.items() if name in known_draft} or None,
            suggestion=row.get("suggestion"),
            final=row.get("final"),
            key=row.get("key"),
            metadata=row.get(METADATA) or {},
        )

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        """The exported row: published field names at top level, values as stored; absent stays absent."""
        return {**facts, **draft}


# Drafts: their fields, checks and form.


class DraftedKind(Generic[Facts, Draft, Options]):
    """The part of a kind that the work and review pages use."""

    slug: ClassVar[str]

    def empty_draft(self, facts: Facts) -> dict[str, Any]:
        """The draft that the form shows if there is no suggestion: what is known already, the rest blank.

        A field counts as still to be written while it has this value, or is blank, and `problems` names it. Exports of
        unfinished work leave such fields out; any other value is exported.
        """
        raise NotImplementedError  # every kind says it; the contract test calls it

    def fields(self, facts: Facts) -> Sequence[Field]:
        """The draft's fields in the order of the form."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def problems(self, facts: Facts, draft: Draft, options: Options) -> list[Finding]:
        """Problems that prevent a draft from being submitted or accepted."""
        return []

    def doubts(self, facts: Facts, draft: Draft, options: Options) -> list[Finding]:
        """Doubts that a person should check first; they never block anything."""
        return []

    def unsuitable(self, draft: Draft) -> bool:
        """Whether the draft says that the item does not belong into the dataset."""
        return False

    def disagreements(self, facts: Facts, drafts: Sequence[Mapping[str, Any]]) -> list[str]:
        """The names of the fields in which the authors of these drafts disagree, in the order of the form.

        Empty if one draft may stand for all: in free fields any author's text will do.
        """
        judged = [field for field in self.fields(facts) if not field.free]
        return [field.name for field in judged if not agree_in(field, drafts)]

    def label(self, field: Field, draft: Mapping[str, Any]) -> str | None:
        """The draft's value in a field of choice, to compare people; None if it has none."""
        return label_in(field, draft)

    def passed_on(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """The draft that the next person starts from if somebody changed the text for others to look at (`revised`)."""
        return dict(draft)

    def revised(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Whether a validator has changed the text that is validated, so that somebody else has to look at it."""
        return False

    def wanted(self, options: Options) -> Sequence[GenerationRequest]:
        """The goals that an overview counts towards; none if the project has no such goal."""
        return []

    def parent_key(self, facts: Facts) -> str:
        """The key, in the project's source, of the item that this one was made from; empty if the facts do not name
        one.
        """
        return ""

    # --- form -----------------------------------------------------------------------------------------------------
    def read_form(self, data: QueryDict, facts: Facts) -> dict[str, Any]:
        """The draft as the form posted it, not yet checked. Never raises: what cannot be read stays as typed text."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def edited(self, draft: dict[str, Any], action: str, facts: Facts) -> dict[str, Any]:
        """The draft after one of the form's own buttons, such as `add-row`; an unknown action changes nothing."""
        return draft

    def form_context(self, facts: Facts, draft: Mapping[str, Any], options: Options) -> dict[str, Any]:
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


# Cases that the public reports: the facts made from them, and what remains of facts that are withdrawn.


ERASED = "[withdrawn]"  # takes the place of an erased text


@dataclass(frozen=True)
class ReportedKind:
    """A conversation as its user reports it. turns: [{"role": "user" | "assistant", "content"}], a user's turn first.

    difficulty of the task, satisfaction with the answer: 1 to 5; None if the user did not say.
    """

    turns: Sequence[Mapping[str, str]]
    intent: str
    language: str
    service: str
    difficulty: int | None = None
    satisfaction: int | None = None


def erased_facts(shape: type[Shape], stored: Mapping[str, Any], *, names: Sequence[str] = ()) -> dict[str, Any]:
    """The facts in their shape with every text replaced by ERASED, except texts that are limited to a closed list.

    names: fields that hold no words of people, such as numbers of cases. Numbers, flags and lengths of lists stay.
    """
    blank = {name: value if name in names else _blank(value) for name, value in stored.items()}
    for _attempt in range(len(stored) + 1):
        try:
            shape.model_validate(blank)
        except ValidationError as error:
            blank = _restored(blank, stored, [fault["loc"] for fault in error.errors() if _is_closed(fault["type"])])
        else:
            break
    return blank


def _is_closed(fault: str) -> bool:
    return fault in ("literal_error", "enum")


def _blank(value: Any) -> Any:
    if isinstance(value, str):
        return ERASED if value else ""
    if isinstance(value, Mapping):
        return {name: _blank(inner) for name, inner in value.items()}
    return [_blank(inner) for inner in value] if isinstance(value, list) else value


def _restored(blank: dict[str, Any], stored: Mapping[str, Any], paths: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    whole = deepcopy(blank)
    for path in paths:
        ours, source_part = whole, stored
        for step in path[:-1]:
            ours, source_part = ours[step], source_part[step]
        ours[path[-1]] = source_part[path[-1]]
    return whole


# The whole contract. Each kind is one subclass in a folder; docs/kinds.md is a walk-through.


class Kind(
    ShapedKind[Facts, Draft],
    MappedKind[Options],
    DraftedKind[Facts, Draft, Options],
    ModelledKind[Facts, Draft, Options],
    JudgedKind[Facts, Draft, Options],
):
    """A kind of work: shapes of facts and drafts, checks, form, pages and export.

    A subclass names its three shapes, `Kind[Sentence, Stars, StarOptions]`, so that type checkers know what its methods
    get; a kind without options has `LenientOptions`.

    Facts are frozen at import; a draft is what people write. Both are pydantic shapes, strict, and every write
    goes through `read_facts` and `read_draft`. Methods are pure: no database, no network.
    """

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    about: ClassVar[str | Promise]
    options: type[Options] = LenientOptions  # type: ignore[assignment]  # of kinds that have none of their own

    # --- questions as data ----------------------------------------------------------------------------------------
    defined: ClassVar[bool] = False  # whether a project says itself what its people see and are asked

    @property
    def first_definition(self) -> str:
        """The definition that a project of a `defined` kind begins with, if nobody chooses another."""
        return ""

    def by_definition(self, texts: Sequence[str]) -> "Kind":
        """This kind with the questions of a project. texts: the versions of its definition, oldest first, at least one.

        Its `schema` is the number of versions. Raises ValueError where a text cannot be read.
        """
        raise NotImplementedError  # a kind that is `defined` says it; the contract test calls it

    def own_definition(self) -> "Definition | None":
        """What a project of a `defined` kind shows and asks; None for kinds whose questions are fixed."""
        return None

    def questions(self) -> Mapping[str, Question]:
        """The questions of a `defined` kind, by name, in order."""
        return {}

    def counted(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """The answers of a draft that count: not those to questions that were not asked."""
        return dict(draft)

    def row_schema(self, *, per_rater: bool = False, decided: bool = True) -> dict[str, Any] | None:
        """The JSON schema (2020-12) of a released row of a `defined` kind; None for kinds whose fields are code.

        per_rater: rows are ratings of one rater each. decided: all rows are accepted work, whose answers are allowed.
        """
        return None

    def scores(self) -> Mapping[str, Score]:
        """The scores that a `defined` kind makes of a rating, by name."""
        return {}

    @property
    def unit_column(self) -> str:
        """The column whose values say which items belong together; "" where items stand alone."""
        return ""

    def unit_of(self, facts: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> str | None:
        """The value of that column in an item, as text; None for an item that stands alone."""
        if not self.unit_column:
            return None
        value = {**(metadata or {}), **facts}.get(self.unit_column)
        return None if value in BLANK else str(value)

    def example_facts(self) -> dict[str, Any]:
        """Facts that name their columns, to look at a definition before there are items."""
        raise NotImplementedError  # a kind that is `defined` says it; the contract test calls it

    # --- its card, by which people choose a kind; the sentence on it is `about` -----------------------------------
    @property
    def picture_template(self) -> str:
        """A small drawing of the work page, without words; its classes are in static/css/start.css."""
        return f"{self.slug}/picture.svg"

    @cached_property
    def sample(self) -> str:
        """A few rows as JSONL that can be imported as they are."""
        return Path(inspect.getfile(type(self))).with_name("sample.jsonl").read_text(encoding="utf-8")

    @cached_property
    def sample_facts(self) -> dict[str, Any]:
        """The facts of the first of these rows, in the names of the file."""
        row = json.loads(self.sample.partition("\n")[0])
        return {name: value for name, value in row.items() if name not in ASIDE and name not in self.draft_names}

    # --- what an item is called and where it belongs --------------------------------------------------------------
    def title(self, facts: Facts) -> str:
        """One line that people recognise the item by, at most 160 characters."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def group(self, facts: Facts, draft: Draft | None) -> str:
        """The task, category or intent by which work is assigned and reported; empty where there is none."""
        return ""

    def groups(self, options: Options) -> Sequence[str]:
        """The groups that items can have by the project's options; empty if only the items themselves name groups."""
        return []

    def reading_text(self, facts: Facts) -> str:
        """The text whose language is the item's language."""
        return self.title(facts)

    def texts(self, facts: Facts) -> Mapping[str, str]:
        """path -> text of every fact that could contain personal data."""
        return {"": self.reading_text(facts)}

    # --- cases that the public reports --------------------------------------------------------------------------------
    takes_reports: ClassVar[bool] = False  # whether a survey of the public can make items of it
    wordless: ClassVar[Sequence[str]] = ()  # facts that hold no words of people, such as a category or a number

    def reported(self, case: ReportedKind) -> dict[str, Any]:
        """The facts of an item made of a reported case."""
        raise NotImplementedError  # a kind with takes_reports says it; the contract test calls it

    def erased(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Stored facts of a withdrawn case: still in their shape, without any of their words."""
        return erased_facts(self.facts, stored, names=self.wordless)
