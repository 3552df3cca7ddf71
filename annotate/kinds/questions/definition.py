"""A definition: what people look at and what they are asked, read from YAML with a place for every fault."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError, model_validator
from pydantic import Field as Limits

import annotate.kinds.questions.types
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition_texts import Column, LocalText, Name, in_language
from annotate.kinds.questions.scores import Score, score_faults
from annotate.kinds.questions.types.turns import on_each_turn
from annotate.kinds.shapes import Shape, fault_in_words
from lib.discovery import discover
from lib.texts.stored_sentences import say as _
from lib.texts.yaml_core import BadYaml, Path, YamlDocument, read_yaml

MOST_SHOWN, MOST_QUESTIONS, MOST_SCORES = 50, 300, 20
MOST_FAULTS = 100  # that are listed
NAMES_FILES = ("image", "file")

QUESTION_TYPES: dict[str, type[Question]] = {
    question_type.model_fields["type"].annotation.__args__[0]: question_type
    for question_type in discover(annotate.kinds.questions.types.__name__, "TYPE")
}
if TYPE_CHECKING:
    AnyQuestion = Question
else:
    AnyQuestion = Annotated[
        Annotated[reduce(or_, QUESTION_TYPES.values()), Limits(discriminator="type")], BeforeValidator(on_each_turn)
    ]


class Shown(Shape):
    """One part of the material. field: the column; as: how it is shown; against: the older text of a difference.

    alt: the column with what an image shows, in words. optional: items may lack it. language: of code, for colours.
    """

    field: Column
    shown_as: Annotated[
        Literal["markdown", "text", "code", "json", "table", "texts", "diff", "chat", "image", "file"],
        Limits(alias="as"),
    ] = "markdown"
    title: LocalText | None = None
    against: Column | None = None
    alt: Column | None = None
    language: Annotated[str, Limits(pattern=r"^[a-z0-9+#-]{1,20}$")] | None = None
    optional: bool = False

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> "Shown":
        if (self.shown_as == "diff") != (self.against is not None):
            raise ValueError(_("a difference (as: diff) needs the older column in `against`, and nothing else has it."))
        if self.alt is not None and self.shown_as != "image":
            raise ValueError(_("only an image (as: image) has a column with its description in `alt`."))
        return self

    @property
    def columns(self) -> list[str]:
        return [column for column in (self.field, self.against, self.alt) if column]

    @property
    def needed_columns(self) -> list[str]:
        """Those that every item has. An image without a description is described by its name."""
        return [] if self.optional else [column for column in self.columns if column != self.alt]

    def heading(self) -> str:
        return in_language(self.title) or self.field


class Definition(Shape):
    """show: the material in order. questions: in order. unit: a column; items with the same value belong together.

    scores: name -> how a number is made of a rating.
    """

    show: Annotated[list[Shown], Limits(min_length=1, max_length=MOST_SHOWN)]
    questions: Annotated[list[AnyQuestion], Limits(min_length=1, max_length=MOST_QUESTIONS)]
    unit: Column | None = None
    scores: Annotated[dict[Name, Score], Limits(default_factory=dict, max_length=MOST_SCORES)]

    @cached_property
    def columns(self) -> list[str]:
        """All columns that people see, in order: those of `show`, and those that questions show themselves."""
        of_material = [column for entry in self.show for column in entry.columns]
        return list(dict.fromkeys([*of_material, *self.own_columns]))

    @cached_property
    def own_columns(self) -> list[str]:
        return [column for question in self.questions for column in question.own_columns()]

    @cached_property
    def shared_names(self) -> frozenset[str]:
        """Names that a question shares with the column that it shows; files have both under this name."""
        return frozenset(question.name for question in self.questions if question.name in question.own_columns())

    @cached_property
    def optional_columns(self) -> frozenset[str]:
        optional = {column for entry in self.show for column in entry.columns}
        needed = {column for entry in self.show for column in entry.needed_columns}
        return frozenset(optional - needed)

    def is_one_text(self, column: str) -> bool:
        """Whether it is shown as a text whose characters can be pointed at."""
        return any(entry.field == column and entry.shown_as in ("markdown", "text", "code") for entry in self.show)

    @cached_property
    def chat_columns(self) -> list[str]:
        return self.columns_shown_as("chat")

    def columns_shown_as(self, *ways: str) -> list[str]:
        return [entry.field for entry in self.show if entry.shown_as in ways]

    @cached_property
    def marked(self) -> frozenset[str]:
        """The columns in whose texts people mark spans."""
        return frozenset(column for question in self.questions for column in question.text_columns())

    @cached_property
    def by_name(self) -> dict[str, Question]:
        return {question.name: question for question in self.questions}

    @cached_property
    def dealt(self) -> list[str]:
        """The columns that each person sees in another order, under letters; none where no question compares any."""
        return list(next((question.dealt_columns() for question in self.questions if question.dealt_columns()), []))

    @cached_property
    def compared_as(self) -> str:
        """`image` or `file` where all columns that questions compare are shown so; "" for texts."""
        ways = (way for way in NAMES_FILES if self.dealt and set(self.dealt) <= set(self.columns_shown_as(way)))
        return next(ways, "")

    def column_name(self, column: str) -> str:
        """What readers call it: its title, or by the place among those that questions compare, such as Text 1."""
        if column in self.dealt:
            names = {"image": _("Image %(n)d"), "file": _("File %(n)d"), "": _("Text %(n)d")}
            return names[self.compared_as] % {"n": self.dealt.index(column) + 1}
        return next((entry.heading() for entry in self.show if entry.field == column), column)

    def asked(self, answers: Mapping[str, Any]) -> list[Question]:
        """The questions that are asked given these answers, in order; an answer to one that is not asked is blank."""
        known: dict[str, Any] = {}
        questions: list[Question] = []
        for question in self.questions:
            if all(condition.holds(known) for condition in question.conditions):
                questions.append(question)
                known[question.name] = question.for_conditions(answers.get(question.name))
        return questions


@dataclass(frozen=True)
class Fault:
    """What is wrong with a definition. line: from 1; path: of the part, such as questions[2].scale, or ""."""

    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = _("line %(line)d") % {"line": self.line}
        return f"{place}, {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class BadDefinition(ValueError):
    """The text is no definition; `faults` say where and why, in the order of the text."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = sorted(faults, key=lambda fault: fault.line)[:MOST_FAULTS]
        if len(faults) > MOST_FAULTS:
            message = _("%(n)d more faults are not listed; correct these first.")
            self.faults.append(Fault(self.faults[-1].line, "", message % {"n": len(faults) - MOST_FAULTS}))
        super().__init__("; ".join(map(str, self.faults)))


def read_definition(text: str) -> Definition:
    """The definition that a text in YAML 1.2 holds. Raises BadDefinition."""
    try:
        document = read_yaml(text)
    except BadYaml as bad:
        raise BadDefinition([Fault(bad.place.line, "", bad.message)]) from bad
    if not isinstance(document.value, dict):
        raise BadDefinition([Fault(1, "", _("must have the parts `show` and `questions`."))])
    try:
        definition = Definition.model_validate(document.value)
    except ValidationError as error:
        raise BadDefinition(list(_shape_faults(error, document))) from error
    faults = [fault_at(document, path, message) for path, message in contradictions(definition)]
    if faults:
        raise BadDefinition(faults)
    return definition


def question_of(document: Mapping[str, Any]) -> Question:
    """A question by itself, as `Question.as_document` wrote it. Raises KeyError or ValueError."""
    return QUESTION_TYPES[document["type"]].model_validate(document)


def _shape_faults(error: ValidationError, document: YamlDocument) -> Iterator[Fault]:
    """One fault for each place; where a text or texts by language are allowed, the fault inside the latter."""
    by_path: dict[Path, Any] = {}
    for fault in error.errors(include_url=False):
        by_path.setdefault(_path_of(fault, document.value), fault)
    for path, fault in by_path.items():
        if fault["type"] != "string_type" or not any(other[:-1] == path for other in by_path):
            yield Fault(document.place_of(path).line, _written(path), _words(fault))


def _path_of(fault: Any, value: Any) -> Path:
    path, location = _known_part(fault["loc"], value), fault["loc"]
    return (*path, location[-1]) if fault["type"] == "missing" and location else path


def _words(fault: Any) -> str:
    if fault["type"] == "union_tag_not_found":
        return _("has no `type`; it is one of %(types)s.") % {"types": ", ".join(QUESTION_TYPES)}
    if fault["type"] == "union_tag_invalid":
        params = {"given": str(fault["ctx"]["tag"])[:60], "types": ", ".join(QUESTION_TYPES)}
        return _("“%(given)s” is not a type of question; there are %(types)s.") % params
    if fault["type"] == "extra_forbidden":
        return _("is not known here; remove it, or correct its name.")
    if fault["type"] == "too_long":
        most, n = fault["ctx"]["max_length"], fault["ctx"]["actual_length"]
        return _("has %(n)s entries; at most %(most)d are allowed.") % {"n": n, "most": most}
    if fault["type"] == "too_short":
        return _("has too few entries; it needs %(least)d.") % {"least": fault["ctx"]["min_length"]}
    return fault_in_words(fault)


def _known_part(location: tuple[int | str, ...], value: Any) -> Path:
    """The part of a location that stands in the document; pydantic adds the names of types and of union branches."""
    path: list[int | str] = []
    for step in location:
        inside = (isinstance(value, dict) and step in value) or (
            isinstance(value, list) and isinstance(step, int) and step < len(value)
        )
        if inside:
            value = value[step]
            path.append(step)
    return tuple(path)


def _written(path: Sequence[int | str]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def fault_at(document: YamlDocument, path: Path, message: str) -> Fault:
    return Fault(document.place_of(path).line, _written(path), message)


# What only the whole can say: names that meet, columns that are not shown, conditions on what comes later.


def contradictions(definition: Definition) -> Iterator[tuple[Path, str]]:
    """(path, message) of everything that is right by itself and wrong together."""
    columns = set(definition.columns)
    earlier: dict[str, Question] = {}
    for index, question in enumerate(definition.questions):
        path: Path = ("questions", index)
        for rest, message in _of_one(question, definition, columns, earlier):
            yield (*path, *rest), message
        earlier[question.name] = question
    yield from score_faults(definition.scores, definition.questions, definition.columns)


def _of_one(
    question: Question, definition: Definition, columns: set[str], earlier: Mapping[str, Question]
) -> Iterator[tuple[Path, str]]:
    yield from _of_its_name(question, columns, earlier)
    yield from _of_its_columns(question, definition)
    yield from _of_conditions(question, earlier)


def _of_its_name(question: Question, columns: set[str], earlier: Mapping[str, Question]) -> Iterator[tuple[Path, str]]:
    if question.name in earlier:
        yield ("name",), _("“%(name)s” is the name of an earlier question; rename one.") % {"name": question.name}
    if question.name in columns and question.name not in question.own_columns():
        message = _("“%(name)s” is the name of a shown column too; give the question another name.")
        yield ("name",), message % {"name": question.name}


def _of_its_columns(question: Question, definition: Definition) -> Iterator[tuple[Path, str]]:
    for column in question.columns():
        if column not in definition.columns:
            message = _("needs the column “%(column)s”, which `show` does not have; add it there.")
            yield (), message % {"column": column}
        elif column in question.text_columns() and not definition.is_one_text(column):
            message = _("needs the column “%(column)s” as one text; show it as markdown, text or code.")
            yield (), message % {"column": column}
        elif column in question.chat_columns() and column not in definition.chat_columns:
            message = _("needs the column “%(column)s” as a transcript; show it as chat.")
            yield (), message % {"column": column}
    dealt = question.dealt_columns()
    if dealt and set(dealt) != set(definition.dealt):
        message = _("compares %(these)s, an earlier question %(others)s; all comparisons are of the same columns.")
        yield ("of",), message % {"these": ", ".join(dealt), "others": ", ".join(definition.dealt)}


def _of_conditions(question: Question, earlier: Mapping[str, Question]) -> Iterator[tuple[Path, str]]:
    for condition in question.conditions:
        if condition.question not in earlier:
            message = _("“%(name)s” is not an earlier question; a condition is on a question that comes before.")
            yield ("when", condition.question), message % {"name": condition.question}
