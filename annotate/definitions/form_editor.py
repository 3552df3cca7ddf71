"""A definition that is edited by form controls: its cards, and what their buttons do. Nothing is saved here."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal, cast

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotate.definitions.cards import CardForm
from annotate.definitions.setting_fields import Offered, is_words
from annotate.errors import Refused
from annotate.formats.json_values import BadValue, parse
from annotate.kinds.questions.definition import QUESTION_TYPES, Fault
from annotate.kinds.questions.texts import in_language, one_line
from annotate.models import Item, Project
from lib.texts.yaml_core import BadYaml, comment_lines, read_yaml
from lib.texts.yaml_writing import in_one_line, write_yaml

Part = Literal["show", "questions"]
Place = tuple[Part, int]
PARTS: tuple[Part, ...] = ("show", "questions")
LANGUAGES = ("en", "zh")  # offered wherever texts are given by language
LOOKED_AT = 20  # items, for the names of columns
_FAULT_PATH = re.compile(r"(show|questions)\[(\d+)\](?:\.([^.\[]+))?")


def document_of(text: str) -> dict[str, Any]:
    """The definition as a document with lists of objects under `show` and `questions`.

    Raises Refused for a text that cards cannot show.
    """
    try:
        document = read_yaml(text).value
    except BadYaml as bad:
        message = _("The form cannot show this text. Line %(line)d: %(message)s")
        raise Refused(message % {"line": bad.place.line, "message": bad.message}) from bad
    if not _is_document(document):
        raise Refused(
            _("The form cannot show this text: `show` and `questions` must be lists of entries with settings.")
        )
    return cast(dict[str, Any], document)


def _is_document(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(document.get(part), list) and all(isinstance(card, dict) for card in document[part])
        for part in PARTS
    )


@dataclass
class FormEditor:
    """A definition while it is edited. document: as YAML says it. base: the text that it was opened with.

    place: the card whose controls are shown. languages: whether texts have a box for each language even where none is
    given by language. focus: id of the element that has the focus after a button.
    """

    project: Project
    document: dict[str, Any]
    base: str
    place: Place | None = None
    by_language: bool = False
    focus: str = ""
    form: CardForm | None = field(default=None, repr=False)
    faults: Sequence[Fault] = ()

    @classmethod
    def opened(cls, project: Project, text: str) -> "FormEditor":
        """Raises Refused for a text that cards cannot show."""
        editor = cls(project, document_of(text), text)
        editor.place = ("questions", 0) if editor.document["questions"] else None
        return editor

    @classmethod
    def posted(cls, project: Project, data: QueryDict, base: str) -> "FormEditor":
        """As the page had it, with the open card as it was filled in. Raises Refused if the page sends no document."""
        try:
            document = parse(data.get("document", "").encode(errors="surrogatepass"))
        except BadValue:
            document = None
        if not _is_document(document):
            raise Refused(_("The page did not send the questions as it had shown them; open it again."))
        editor = cls(project, document, base, by_language="by_language" in data)
        editor.place = editor._place(data.get("card", ""))
        if editor.place:
            editor._read_card(data)
        return editor

    def _read_card(self, data: QueryDict) -> None:
        self.form = self.card_form(data)
        self.edited_table = self.form.edited_rows()
        if self.edited_table or not self.form.is_valid():
            return
        before, written = self.card, self.form.written()
        if written.get("type") != before.get("type"):
            written = _without_start_of(before, written, self._compared_columns)
        self.document[self.place[0]][self.place[1]] = written  # type: ignore[index]  # called with a place
        self.form = None

    edited_table: Any = None  # of the open card, after a button of one of its tables

    @property
    def is_readable(self) -> bool:
        """Whether the open card could be read; otherwise `form` says why not."""
        return self.form is None

    @property
    def card(self) -> dict[str, Any]:
        """The open one. Raises TypeError if none is open."""
        part, index = cast(Place, self.place)
        return cast(dict[str, Any], self.document[part][index])

    @property
    def text(self) -> str:
        """The definition as text: as it was opened, with its comments, if nothing was changed."""
        try:
            same = read_yaml(self.base).value == self.document
        except BadYaml:
            same = False
        questions = list(map(self._without_old_claims, self.document["questions"]))
        return self.base if same else self._comment_above + write_yaml(self.document | {"questions": questions})

    def _without_old_claims(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Without what the newest version says about the one before it: that is not true of the next version."""
        stored = self.project.kind.definition.by_name.get(question.get("name"))  # type: ignore[attr-defined]
        return {
            name: value
            for name, value in question.items()
            if name not in ("formerly", "was") or value is None or getattr(stored, name, None) != value
        }

    @property
    def _comment_above(self) -> str:
        """The comment above the definition, which is kept when the document is rewritten."""
        lines = self.base.splitlines(keepends=True)
        return "".join(takewhile(lambda line: line.startswith("#") or not line.strip(), lines))

    @property
    def lost_comments(self) -> list[int]:
        """The line numbers of comments that are lost when the document is rewritten."""
        above = self._comment_above.count("\n")
        try:
            return [line for line in comment_lines(self.base) if line > above]
        except BadYaml:
            return []

    @property
    def as_json(self) -> str:
        return json.dumps(self.document, ensure_ascii=False)

    # --- buttons ------------------------------------------------------------------------------------------------------
    def act(self, what: str, new_type: str = "") -> None:
        """A button: open, close, up, down, copy, remove with the place of a card, add with a part, or languages.

        What cannot be done, such as moving the first card up, changes nothing.
        """
        verb, _colon, target = what.partition(":")
        if verb == "add" and target in PARTS:
            self._add(target, new_type)
        elif verb == "by_language":
            self.by_language = True
        elif place := self._place(target):
            action = {
                "open": self._open,
                "close": self._close,
                "up": self._move,
                "down": self._move,
                "copy": self._copy,
                "remove": self._remove,
            }.get(verb)
            if action:
                action(place, verb)

    def _place(self, written: str) -> Place | None:
        """`questions.2`, if there is such a card."""
        part, _dot, index = written.partition(".")
        if part not in PARTS or not index.isdecimal() or len(index) > 4:
            return None
        return (part, int(index)) if int(index) < len(self.document[part]) else None

    def _open(self, place: Place, verb: str) -> None:
        self.place, self.focus = place, f"close-{_written(place)}"

    def _close(self, place: Place, verb: str) -> None:
        self.place, self.focus = None, f"open-{_written(place)}"

    def _move(self, place: Place, verb: str) -> None:
        part, index = place
        other = index + (1 if verb == "down" else -1)
        cards = self.document[part]
        if not 0 <= other < len(cards):
            return
        cards[index], cards[other] = cards[other], cards[index]
        if self.place == place:
            self.place = (part, other)
        elif self.place == (part, other):
            self.place = place
        at_end = other in (0, len(cards) - 1)
        back = "up" if verb == "down" else "down"
        self.focus = f"{back if at_end else verb}-{_written((part, other))}"

    def _copy(self, place: Place, verb: str) -> None:
        part, index = place
        copy = {name: value for name, value in self.document[part][index].items() if name != "formerly"}
        if part == "questions":
            copy["name"] = self._free_name(str(copy.get("name", "question")))
        self.document[part].insert(index + 1, copy)
        self._open((part, index + 1), "open")

    def _remove(self, place: Place, verb: str) -> None:
        part, index = place
        cards = self.document[part]
        del cards[index]
        if self.place and self.place[0] == part and self.place[1] >= index:
            self.place = None if self.place[1] == index else (part, self.place[1] - 1)
        self.focus = f"open-{_written((part, min(index, len(cards) - 1)))}" if cards else f"add-{part}"

    def _add(self, part: Part, new_type: str) -> None:
        cards = self.document[part]
        if part == "show":
            unused = [name for name in self.known_columns if name not in self.shown_columns]
            cards.append({"field": unused[0] if unused else self._free_name("column")})
        else:
            question_type = new_type if new_type in QUESTION_TYPES else next(iter(QUESTION_TYPES))
            own = QUESTION_TYPES[question_type].starting(self._compared_columns)
            cards.append({"name": self._free_name(question_type), "type": question_type, **own})
        self._open((part, len(cards) - 1), "open")

    def _free_name(self, name: str) -> str:
        taken = {
            *self.known_columns,
            *self.shown_columns,
            *(str(card.get("name")) for card in self.document["questions"]),
        }
        stem, number = re.sub(r"_\d+$", "", name), 2
        while (free := f"{stem}_{number}") in taken:
            number += 1
        return name if name not in taken else free

    # --- what controls offer ------------------------------------------------------------------------------------------
    @property
    def shown_columns(self) -> list[str]:
        names = (card.get(name) for card in self.document["show"] for name in ("field", "against"))
        return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))

    @property
    def known_columns(self) -> list[str]:
        """Of the first items, whether shown or not, and of the definition."""
        rows = Item.objects.filter(project=self.project).order_by("pk").values_list("facts", "metadata")[:LOOKED_AT]
        names = dict.fromkeys(name for facts, metadata in rows for name in [*facts, *(metadata or ())])
        return list(dict.fromkeys([*names, *self.shown_columns]))

    @property
    def _compared_columns(self) -> list[str]:
        """Those that a question compares, since all compare the same; before there is one, all that are shown."""
        compared = (question.get("of") for question in self.document["questions"])
        return next((list(of) for of in compared if isinstance(of, list) and of), self.shown_columns)

    @property
    def hidden_columns(self) -> list[str]:
        return [name for name in self.known_columns if name not in self.shown_columns]

    @property
    def languages(self) -> list[str]:
        given = set(_languages_in(self.document))
        return [*LANGUAGES, *sorted(given - set(LANGUAGES))] if given or self.by_language else []

    def card_form(self, data: QueryDict | None = None) -> CardForm:
        part, index = cast(Place, self.place)
        before = self.document["questions"][:index] if part == "questions" else ()
        names = [card.get("name") for card in self.document["questions"]]
        stored = self.project.kind.definition.by_name  # type: ignore[attr-defined]  # of the kind form alone
        offered = Offered(
            columns=self.known_columns,
            shown=self.shown_columns,
            earlier=[card["name"] for card in before if isinstance(card.get("name"), str)],
            retired=[name for name in stored if name not in names],
            languages=self.languages,
        )
        return CardForm(data, part=part, value=self.card, offered=offered)

    # --- faults and cards ---------------------------------------------------------------------------------------------
    def blame(self, faults: Sequence[Fault]) -> None:
        """Show these faults at their cards; the first faulty card is opened if no open one has a fault."""
        self.faults = faults
        places = [place for fault in faults if (place := self._fault_place(fault))]
        if self.is_readable and places and self.place not in places:
            self.place = places[0]

    def _fault_place(self, fault: Fault) -> Place | None:
        found = _FAULT_PATH.match(fault.path)
        return self._place(f"{found[1]}.{found[2]}") if found else None

    @property
    def general_faults(self) -> list[str]:
        """Those that are about no card."""
        return [self._said(fault) for fault in self.faults if not self._fault_place(fault)]

    @property
    def said_faults(self) -> list[str]:
        """All faults, by the names of the cards that they are about: cards show no lines."""
        return [self._said(fault) for fault in self.faults]

    def _said(self, fault: Fault) -> str:
        place = self._fault_place(fault)
        if place is None:
            return f"{fault.path}: {fault.message}" if fault.path else fault.message
        card = self.document[place[0]][place[1]]
        name = one_line(card.get("name" if place[0] == "questions" else "field") or "…", 60)
        return f"{name}: {fault.message}"

    @property
    def open_form(self) -> CardForm | None:
        if self.place is None:
            return None
        form = self.form or self.card_form()
        for fault in self.faults if self.is_readable else ():
            found = _FAULT_PATH.match(fault.path)
            if found and self._fault_place(fault) == self.place:
                form.blame(found[3] or "", fault.message)
        return form

    def cards(self, part: Part) -> list["CardHead"]:
        faulty = [self._fault_place(fault) for fault in self.faults]
        last = len(self.document[part]) - 1
        return [
            CardHead(part, index, card, last, faulty.count((part, index)), self.place == (part, index), self.focus)
            for index, card in enumerate(self.document[part])
        ]

    @property
    def parts(self) -> list[tuple[Part, list["CardHead"]]]:
        return [(part, self.cards(part)) for part in PARTS]


def _written(place: Place) -> str:
    return f"{place[0]}.{place[1]}"


def _without_start_of(before: Mapping[str, Any], written: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """A question of another type, without the settings that its old type began with and that nobody has changed."""
    old = QUESTION_TYPES.get(str(before.get("type")))
    new = QUESTION_TYPES.get(str(written.get("type")))
    start = old.starting(columns) if old else {}
    kept = {name: value for name, value in written.items() if name not in start or start[name] != value}
    missing = new.starting(columns) if new else {}
    return kept | {name: value for name, value in missing.items() if name not in kept}


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
        return _written((self.part, self.index))

    @property
    def is_first(self) -> bool:
        return self.index == 0

    @property
    def is_last(self) -> bool:
        return self.index == self.last

    @property
    def name(self) -> str:
        return one_line(self.value.get("name" if self.part == "questions" else "field") or "…", 60)

    @property
    def title(self) -> str:
        """What people read."""
        words = self.value.get("ask" if self.part == "questions" else "title")
        return one_line(in_language(words)) if words and is_words(words) else ""

    @property
    def type(self) -> str:
        return one_line(self.value.get("type") if self.part == "questions" else self.value.get("as", "markdown"), 30)

    @property
    def notes(self) -> list[str]:
        optional = self.value.get("required") is False or self.value.get("optional") is True
        when = self.value.get("when")
        return [
            *([_("optional")] if optional else []),
            *([_("when %(conditions)s") % {"conditions": one_line(in_one_line(when)[1:-1], 60)}] if when else []),
        ]
