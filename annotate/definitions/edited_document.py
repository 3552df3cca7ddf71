"""A definition as a document that is edited: its cards by part and place, and where its faults stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from django.utils.translation import gettext as _

from annotate.definitions.setting_fields import is_words
from annotate.errors import Refused
from annotate.formats.json_values import BadValue, parse
from annotate.kinds.questions.definition import QUESTION_TYPES
from annotate.kinds.questions.definition_texts import in_language, one_line
from lib.texts.yaml_core import BadYaml, in_one_line, read_yaml

Part = Literal["show", "questions", "scores"]
Place = tuple[Part, int]
PARTS: tuple[Part, ...] = ("show", "questions", "scores")
NAMED_BY = {"show": "field", "questions": "name", "scores": "name"}
_FAULT_PATH = re.compile(r"(show|questions)\[(\d+)\](?:\.([^.\[]+))?")


@dataclass
class EditedDocument:
    """value: as YAML says it, with lists of objects under `show` and `questions`."""

    value: dict[str, Any]

    @classmethod
    def read(cls, text: str) -> "EditedDocument":
        """Raises Refused for a text that cards cannot show."""
        try:
            document = read_yaml(text).value
        except BadYaml as bad:
            message = _("The form cannot show this text. Line %(line)d: %(message)s")
            raise Refused(message % {"line": bad.place.line, "message": bad.message}) from bad
        if not _is_document(document):
            raise Refused(
                _("The form cannot show this text: `show` and `questions` must be lists of entries with settings.")
            )
        return cls(cast(dict[str, Any], document))

    @classmethod
    def posted(cls, written: str) -> "EditedDocument":
        """As the page sends it. Raises Refused if it does not."""
        try:
            document = parse(written.encode(errors="surrogatepass"))
        except BadValue:
            document = None
        if not _is_document(document):
            raise Refused(_("The page did not send the questions as it had shown them; open it again."))
        return cls(cast(dict[str, Any], document))

    def cards(self, part: Part) -> list[dict[str, Any]]:
        """The entries of a part; a score has its name among its settings."""
        if part != "scores":
            return cast(list[dict[str, Any]], self.value[part])
        scores: Any = self.value.get(part)
        return [{"name": name, **score} for name, score in scores.items()] if _is_scores(scores) else []

    def put(self, part: Part, cards: Sequence[Mapping[str, Any]]) -> None:
        if part != "scores":
            self.value[part] = cards
        elif cards:
            self.value[part] = {card["name"]: without(card, "name") for card in cards}
        else:
            self.value.pop(part, None)

    def place(self, written: str) -> Place | None:
        """`questions.2`, if there is such a card."""
        part, _dot, index = written.partition(".")
        if part not in PARTS or not index.isdecimal() or len(index) > 4:
            return None
        return (part, int(index)) if int(index) < len(self.cards(part)) else None

    # --- what its cards name ----------------------------------------------------------------------------------------
    @property
    def shown_columns(self) -> list[str]:
        names = (card.get(name) for card in self.value["show"] for name in ("field", "against"))
        return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))

    @property
    def compared_columns(self) -> list[str]:
        """Those that a question compares, since all compare the same; before there is one, all that are shown."""
        compared = (question.get("of") for question in self.value["questions"])
        return next((list(of) for of in compared if isinstance(of, list) and of), self.shown_columns)

    @property
    def chats(self) -> list[str]:
        columns = (card.get("field") for card in self.value["show"] if card.get("as") == "chat")
        return [column for column in columns if isinstance(column, str)]

    @property
    def marking(self) -> dict[str, Mapping[str, Any]]:
        """Questions in which people mark spans, by name."""
        questions = [card for card in self.value["questions"] if card.get("type") == "spans"]
        return {card["name"]: card for card in questions if isinstance(card.get("name"), str)}

    @property
    def of_the_whole(self) -> dict[str, Any]:
        """Settings of the definition that no card shows."""
        in_cards = PARTS if "scores" not in self.value or _is_scores(self.value["scores"]) else PARTS[:2]
        return {name: value for name, value in self.value.items() if name not in in_cards}

    def put_whole(self, settings: Mapping[str, Any]) -> None:
        """Settings that no card shows, instead of those that are there."""
        before = self.of_the_whole
        settings_kept = {name: value for name, value in self.value.items() if name not in before or name in settings}
        self.value = settings_kept | dict(settings)

    def languages(self) -> set[str]:
        """Of texts that are given by language."""
        return set(_languages_in(self.value))

    def starting(self, question_type: str) -> dict[str, Any]:
        """The own settings that a new question of this type begins with."""
        known_type = QUESTION_TYPES.get(question_type)
        columns = self.chats if known_type and known_type.of_turns and self.chats else self.compared_columns
        return known_type.starting(columns) if known_type else {}

    def without_start_of(self, before: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
        """A question of another type, without the settings that its old type began with and nobody has changed."""
        start, missing = self.starting(str(before.get("type"))), self.starting(str(written.get("type")))
        kept = {name: value for name, value in written.items() if name not in start or start[name] != value}
        return kept | {name: value for name, value in missing.items() if name not in kept}

    def setting_at(self, path: str) -> tuple[Place | None, str]:
        """The card that the fault at this path is about, and the setting; "" for the whole card."""
        if match := _FAULT_PATH.match(path):
            return self.place(f"{match[1]}.{match[2]}"), match[3] or ""
        for index, score in enumerate(self.cards("scores")):
            inside = path.removeprefix(f"scores.{score['name']}")
            if inside != path and inside[:1] in ("", "."):
                return ("scores", index), setting_of(inside[1:]) or "name"
        return None, ""


def _is_document(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(document.get(part), list) and all(isinstance(card, dict) for card in document[part])
        for part in ("show", "questions")
    )


def _is_scores(scores: Any) -> bool:
    return isinstance(scores, dict) and all(
        isinstance(score, dict) and "name" not in score for score in scores.values()
    )


def without(card: Mapping[str, Any], left_out: str) -> dict[str, Any]:
    return {name: value for name, value in card.items() if name != left_out}


def setting_of(path: str) -> str:
    return re.split(r"[.\[]", path)[0]


def labels_of(labels: Any) -> list[str]:
    """Labels of a question about spans, as spans have them, each category before its own."""
    if isinstance(labels, list):
        return [label for label in labels if isinstance(label, str)]
    by_category = texts_by_name(labels)
    return [
        label
        for category, subtypes in by_category.items()
        for label in (category, *(f"{category}/{name}" for name in subtypes))
    ]


def texts_by_name(value: Any) -> dict[str, list[str]]:
    if not isinstance(value, dict):
        return {}
    return {
        name: [text for text in texts if isinstance(text, str)]
        for name, texts in value.items()
        if isinstance(texts, list)
    }


TEXTS = frozenset({"title", "ask", "help", "unit", "text", "about"})  # settings that people read


def _languages_in(value: Any, setting: str = "") -> Iterator[str]:
    """The languages of all texts that are given by language. setting: whose value it is."""
    if isinstance(value, list):
        for part in value:
            yield from _languages_in(part, setting)
    elif isinstance(value, dict) and setting in TEXTS:
        yield from value if is_words(value) else ()
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _languages_in(part, "text" if setting == "scale" else name)


@dataclass(frozen=True)
class CardHead:
    """What the list says of a card. faults: how many it has. focused: id of the element that has the focus."""

    part: Part
    index: int
    value: Mapping[str, Any]
    last: int
    faults: int
    is_open: bool
    focused: str

    @property
    def focus(self) -> str:
        """The verb of the button that has the focus, if it is one of this card."""
        verb, _hyphen, place = self.focused.partition("-")
        return verb if place == self.place else ""

    @property
    def place(self) -> str:
        return f"{self.part}.{self.index}"

    @property
    def is_first(self) -> bool:
        return self.index == 0

    @property
    def is_last(self) -> bool:
        return self.index == self.last

    @property
    def name(self) -> str:
        return one_line(self.value.get(NAMED_BY[self.part]) or "…", 60)

    @property
    def title(self) -> str:
        """What people read."""
        words = self.value.get("title" if self.part == "show" else "ask")
        return one_line(in_language(words)) if words and is_words(words) else ""

    @property
    def type(self) -> str:
        if self.part == "show":
            return one_line(self.value.get("as", "markdown"), 30)
        return one_line(self.value.get("type" if self.part == "questions" else "sum"), 30)

    @property
    def notes(self) -> list[str]:
        optional = self.value.get("required") is False or self.value.get("optional") is True
        when = self.value.get("when")
        each_turn = self.part == "questions" and "on_each" in self.value
        return [
            *([_("each turn")] if each_turn else []),
            *([_("lower is better")] if self.value.get("lower_is_better") is True else []),
            *([_("optional")] if optional else []),
            *([_("when %(conditions)s") % {"conditions": one_line(in_one_line(when)[1:-1], 60)}] if when else []),
        ]
