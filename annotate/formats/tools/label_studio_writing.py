"""Definitions, written as labelling configurations of Label Studio."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from annotate.formats.rows import JSON_ENDING
from annotate.formats.tools.label_studio_names import (
    INDEX,
    NONE,
    NONE_WORDS,
    NOTE,
    OTHER,
    SMALL,
    column_name,
    object_name,
    part_name,
    rank_name,
    turn_name,
    turn_text_name,
)
from annotate.formats.tools.leftovers import BadConversion, Conversion, Leftovers
from annotate.kinds.questions.base import Option, Question
from annotate.kinds.questions.conditions import Condition
from annotate.kinds.questions.definition import Definition, Shown
from annotate.kinds.questions.definition_texts import LocalText, in_language
from annotate.kinds.questions.types.choice import Choice
from annotate.kinds.questions.types.choices import Choices
from annotate.kinds.questions.types.number import Number
from annotate.kinds.questions.types.pair import Pair
from annotate.kinds.questions.types.ranking import Ranking
from annotate.kinds.questions.types.rating import Rating
from annotate.kinds.questions.types.spans import Spans
from annotate.kinds.questions.types.text import Text
from annotate.kinds.questions.types.turns import Turns
from lib.texts.stored_sentences import say as _

TAGS = {"table": "Table", "texts": "Paragraphs", "chat": "Chat", "json": "Table", "image": "Image"}  # others: Text
KEYS = {"texts": {"nameKey": "title", "textKey": "text"}}
SHOWN_ALIKE = ("text", "chat", "texts", "json", "image")  # read back as they were


def to_label_studio(definition: Definition, *, language: str = "en", keep_json: bool = False) -> Conversion:
    """A labelling configuration. Raises BadConversion.

    language: of texts that are given by language. keep_json: with a text for the JSON of each question that has no
    counterpart, for tasks whose results say it.
    """
    writing = ConfigWriting(definition, language, keep_json=keep_json)
    lines = [*writing.material(), *writing.questions()]
    if not writing.written:
        message = _("Nothing can be converted: %(why)s.") % {"why": _("no question has a counterpart")}
        raise BadConversion(message, writing.leftovers.in_order())
    writing.tell_of_the_whole()
    text = "\n".join(["<View>", *(f"  {line}" for line in lines), "</View>", ""])
    return Conversion(text, writing.leftovers.in_order())


def tag(name: str, attributes: Mapping[str, str | None], inner: Sequence[str] = ()) -> list[str]:
    """Lines of an element; attributes that are None are left out."""
    head = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items() if value is not None)
    if not inner:
        return [f"<{name}{head}/>"]
    return [f"<{name}{head}>", *(f"  {line}" for line in inner), f"</{name}>"]


def is_stars(question: Rating) -> bool:
    """Whether a scale goes from 1 and its steps have no names, so that stars can stand for it."""
    return question.steps[0] == 1 and not any(question.scale.values())


class ConfigWriting:
    """One configuration. objects: shown column -> name of its tag. written: names of the questions that are in it."""

    def __init__(self, definition: Definition, language: str, *, keep_json: bool = False) -> None:
        self.definition, self.language, self.keep_json = definition, language, keep_json
        self.leftovers = Leftovers()
        self.objects = {column: object_name(column, index) for index, column in enumerate(material_columns(definition))}
        self.written: list[str] = []
        self._turn: tuple[str, str] | None = None  # (name, text) of the tags about each turn that are being written
        self._languages: dict[str, int] = {}

    def text(self, text: LocalText | None) -> str:
        if isinstance(text, dict):
            for language in text:
                self._languages[language] = self._languages.get(language, 0) + 1
        return in_language(text, self.language)

    def leave(self, name: str, message: str, sort: Any = "missing") -> None:
        self.leftovers.add(sort, name, message)

    def tell_of_the_whole(self) -> None:
        others = {code: n for code, n in self._languages.items() if code.partition("-")[0] != self.language}
        for code, n in others.items():
            message = _("%(n)d texts in this language are left out; one configuration has one language.")
            self.leave(code, message % {"n": n})
        for name in self.definition.scores:
            self.leave(f"scores.{name}", _("has no counterpart; scores are counted here, after the import."))
        if self.definition.unit:
            self.leave("unit", _("has no counterpart; items that belong together are not kept together."))

    # --- what people look at ------------------------------------------------------------------------------------------
    def material(self) -> Iterator[str]:
        columns_written: set[str] = set()
        for entry in self.definition.show:
            for column in entry.columns:
                if column not in columns_written:
                    columns_written.add(column)
                    yield from self._object(entry, column)

    def _object(self, entry: Shown, column: str) -> Iterator[str]:
        if entry.title and column == entry.field:
            yield from tag("Header", {"value": self.text(entry.title)})
        if entry.shown_as not in SHOWN_ALIKE:
            self.leave(
                column,
                _("is shown as plain text or a table, not as %(shown_as)s.") % {"shown_as": entry.shown_as},
                "changed",
            )
        if entry.optional:
            self.leave(
                column, _("may be missing here; Label Studio wants it in every task, empty if need be."), "changed"
            )
        if any(sign in column for sign in ".[$"):
            self.leave(column, _("Label Studio reads “.” and “[” in names as paths; rename the column."), "changed")
        shown_as = "text" if column == entry.alt else entry.shown_as
        if shown_as == "image":
            self.leave(column, _("names a stored file; Label Studio needs its address, put it there."), "changed")
        elif column == entry.alt:
            self.leave(column, _("is a text beside the image there, not its description."), "changed")
        attributes = {"name": self.objects[column], "value": f"${column}", **KEYS.get(shown_as, {})}
        yield from tag(TAGS.get(shown_as, "Text"), attributes)

    # --- questions ----------------------------------------------------------------------------------------------------
    def questions(self) -> Iterator[str]:
        for question in self.definition.questions:
            write = WRITERS.get(question.type)
            if write is None:
                message = _("questions of the type %(type)s have no counterpart.")
                self.leave(question.name, message % {"type": question.type})
                yield from self._json_text(question) if self.keep_json else ()
                continue
            lines = [*self._headers(question), *write(self, question)]
            for condition in reversed(question.conditions):
                lines = self._under(question, condition, lines)
            self.written.append(question.name)
            yield from lines

    def _json_text(self, question: Question) -> Iterator[str]:
        yield from tag("Header", {"value": self.text(question.ask) or question.name})
        attributes = {"name": f"{question.name}{JSON_ENDING}", "toName": next(iter(self.objects.values()))}
        yield from tag("TextArea", {**attributes, "editable": "true", "maxSubmissions": "1"})

    def _headers(self, question: Question) -> Iterator[str]:
        if question.was or question.formerly:
            self.leave(question.name, _("what it was called before (was, formerly) is left out."), "changed")
        ask, remark = self.text(question.ask), self.text(question.help)
        if ask or remark:
            yield from tag("Header", {"value": ask or question.name})
        if remark:
            yield from tag("Header", {"value": remark, "size": SMALL})

    def _under(self, question: Question, condition: Condition, lines: list[str]) -> list[str]:
        """The lines in a box that is shown under the condition, if Label Studio can say it."""
        source = self.definition.by_name[condition.question]
        shown_when = {"one_of": "choice-selected", "answered": "choice-selected", "not_one_of": "choice-unselected"}
        can_be_said = condition.operator in shown_when and not any("," in value for value in condition.values)
        if not can_be_said or not _has_choices(source) or source.name not in self.written:
            message = _("the condition on “%(name)s” has no counterpart; it is asked always.")
            self.leave(question.name, message % {"name": condition.question})
            return lines
        attributes = {"visibleWhen": shown_when[condition.operator], "whenTagName": source.name}
        return tag("View", {**attributes, "whenChoiceValue": ",".join(condition.values) or None}, lines)

    def control(self, question: Question, column: str | None = None, **more: str | None) -> dict[str, str | None]:
        """name, toName, what is particular, and whether an answer is needed."""
        if self._turn:
            return {"name": self._turn[0], "toName": self._turn[1], **more}
        about = self.objects[column or next(iter(self.objects))]
        return {"name": question.name, "toName": about, **more, "required": "true" if question.required else None}

    def options(self, options: Sequence[Option]) -> list[str]:
        lines: list[str] = []
        for option in options:
            text, about = self.text(option.text) or option.value, self.text(option.about) or None
            alias = option.value if text != option.value else None
            lines += tag("Choice", {"value": text, "alias": alias, "hint": about})
        return lines

    def choice(self, question: Choice) -> list[str]:
        return tag("Choices", self.control(question, choice="single"), self.options(question.options))

    def choices(self, question: Choices) -> list[str]:
        if question.least or question.most:
            self.leave(question.name, _("how many may be chosen (least, most) is left out."))
        return tag("Choices", self.control(question, choice="multiple"), self.options(question.options))

    def rating(self, question: Rating) -> list[str]:
        if is_stars(question):
            return tag("Rating", self.control(question, maxRating=str(question.steps[-1])))
        steps = [
            Option.model_validate({"value": str(step), "text": question.scale.get(str(step))})
            for step in question.steps
        ]
        return tag("Choices", self.control(question, choice="single-radio"), self.options(steps))

    def number(self, question: Number) -> list[str]:
        if question.unit:
            self.text(question.unit)
            self.leave(question.name, _("the unit is left out; name it in what people are asked."))
        return tag("Number", self.control(question, min=question.min, max=question.max, step=question.step))

    def text_area(self, question: Text) -> list[str]:
        if question.compare:
            self.leave(question.name, _("the difference from “%(name)s” is not shown.") % {"name": question.compare})
        if question.most < Text.model_fields["most"].default:
            self.leave(question.name, _("the limit of %(n)d characters is left out.") % {"n": question.most})
        start = f"${question.start}" if question.start else None
        more = {"value": start, "rows": str(question.rows), "editable": "true", "maxSubmissions": "1"}
        return tag("TextArea", self.control(question, question.start, **more))

    def turns(self, question: Turns) -> list[str]:
        """The choice or the rating for each message; a message that is not asked about may stay without an answer."""
        message = _("is asked about every message there and shows its `content`; here about turns by %(roles)s.")
        self.leave(question.name, message % {"roles": ", ".join(question.roles)}, "changed")
        text, entry = turn_text_name(question.name, INDEX), f"${question.of}[{INDEX}]"
        self._turn = turn_name(question.name, INDEX), text
        control = self.rating(question.each) if isinstance(question.each, Rating) else self.choice(question.each)
        self._turn = None
        tags = [*tag("Header", {"value": f"{entry}.role"}), *tag("Text", {"name": text, "value": f"{entry}.content"})]
        return tag("Repeater", {"on": f"${question.of}", "indexFlag": INDEX}, [*tags, *control])

    def pair(self, question: Pair) -> list[str]:
        """Label Studio knows the left and the right one; the other answers are choices below."""
        about = ",".join(self.objects[column] for column in question.of)
        required = None if question.required else "false"
        others = [value for value, *_names in question.answers if value not in ("first", "second")]
        names = {value: str(name) for value, name, *_names in question.answers}
        choices = [line for value in others for line in tag("Choice", {"value": names[value], "alias": value})]
        attributes = {
            "name": part_name(question.name, OTHER),
            "toName": self.objects[question.of[0]],
            "choice": "single",
        }
        pairwise = tag("Pairwise", {"name": question.name, "toName": about, "required": required})
        return [*pairwise, *tag("Choices", attributes, choices)]

    def ranking(self, question: Ranking) -> list[str]:
        """A rank for each column: the lists that Label Studio ranks stand in one column, not in several."""
        if question.ties:
            self.leave(
                question.name,
                _("that equal ranks are allowed is left out; Label Studio does not compare them."),
                "changed",
            )
        limits = {"min": "1", "max": str(len(question.of)), "step": "1"}
        lines: list[str] = []
        for index, column in enumerate(question.of):
            lines += tag("Number", self.control(question, column, **limits) | {"name": rank_name(question.name, index)})
        return lines

    def spans(self, question: Spans) -> list[str]:
        """Labels for each column, then what is asked about each mark."""
        if question.others:
            self.leave(question.name, _("labels that are not listed cannot be given there."), "changed")
        labels = [line for label in question.known_labels for line in tag("Label", {"value": label})]
        lines: list[str] = []
        for index, column in enumerate(question.on):
            attributes = self.control(question, column) | {"name": column_name(question.name, index)}
            lines += tag("Labels", attributes, labels)
        for index, column in enumerate(question.on):
            lines += self._asked_of_spans(question, index, column)
        words = tag("Choice", {"value": self.text(question.none) or NONE_WORDS, "alias": NONE})
        button = {"name": part_name(question.name, NONE), "toName": self.objects[question.on[0]], "choice": "single"}
        return [*lines, *tag("Choices", button, words)]

    def _asked_of_spans(self, question: Spans, place: int, column: str) -> Iterator[str]:
        about = {"toName": self.objects[column], "perRegion": "true"}
        for name, values in question.attributes.items():
            choices = [line for value in values for line in tag("Choice", {"value": value})]
            attributes = {
                "name": part_name(question.name, name, place),
                **about,
                "choice": "single",
                "required": "true",
            }
            yield from tag("Choices", attributes, choices)
        yield from tag("TextArea", {"name": part_name(question.name, NOTE, place), **about, "maxSubmissions": "1"})


def material_columns(definition: Definition) -> list[str]:
    """The columns that have a tag, in order."""
    return list(dict.fromkeys(column for entry in definition.show for column in entry.columns))


def _has_choices(question: Question) -> bool:
    return question.type in ("choice", "choices") or (isinstance(question, Rating) and not is_stars(question))


WRITERS: Mapping[str, Callable[[ConfigWriting, Any], list[str]]] = {
    "choice": ConfigWriting.choice,
    "choices": ConfigWriting.choices,
    "rating": ConfigWriting.rating,
    "number": ConfigWriting.number,
    "text": ConfigWriting.text_area,
    "pair": ConfigWriting.pair,
    "ranking": ConfigWriting.ranking,
    "spans": ConfigWriting.spans,
    "turns": ConfigWriting.turns,
}
