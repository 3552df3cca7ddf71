"""A definition that is edited by form controls: its cards, and what their buttons do. Nothing is saved here."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, cast

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotate.definitions.cards import WHOLE, CardForm
from annotate.definitions.edited_document import (
    NAMED_BY,
    PARTS,
    CardHead,
    EditedDocument,
    Part,
    Place,
    labels_of,
    setting_of,
    texts_by_name,
    without,
)
from annotate.definitions.setting_fields import Offered
from annotate.kinds.questions.definition import QUESTION_TYPES, Fault
from annotate.kinds.questions.definition_texts import one_line
from annotate.models import Item, Project
from lib.texts.yaml_core import BadYaml, comment_lines, read_yaml, write_yaml

LANGUAGES = ("en", "zh")  # offered wherever texts are given by language
LOOKED_AT = 20  # items, for the names of columns
_RULE = re.compile(r"\.rules\[(\d+)\]")


@dataclass
class FormEditor:
    """A definition while it is edited. base: the text that it was opened with.

    place: the card whose controls are shown. by_language: whether texts have a box for each language even where none is
    given by language. focus: id of the element that has the focus after a button.
    """

    project: Project
    document: EditedDocument
    base: str
    place: Place | None = None
    by_language: bool = False
    focus: str = ""
    form: CardForm | None = field(default=None, repr=False)
    whole: CardForm | None = field(default=None, repr=False)
    faults: Sequence[Fault] = ()

    @classmethod
    def opened(cls, project: Project, text: str) -> "FormEditor":
        """Raises Refused for a text that cards cannot show."""
        editor = cls(project, EditedDocument.read(text), text)
        editor.place = ("questions", 0) if editor.document.value["questions"] else None
        return editor

    @classmethod
    def posted(cls, project: Project, data: QueryDict, base: str) -> "FormEditor":
        """As the page had it, with the open card as it was filled in. Raises Refused if the page sends no document."""
        document = EditedDocument.posted(data.get("document", ""))
        editor = cls(project, document, base, by_language="by_language" in data)
        if any(name.startswith(f"{WHOLE}-") for name in data):
            editor._read_whole(data)
        editor.place = editor.document.place(data.get("card", ""))
        if editor.place:
            editor._read_card(data)
        return editor

    def _read_whole(self, data: QueryDict) -> None:
        self.whole = self._whole_form(data)
        if self.whole.is_valid():
            self.document.put_whole(self.whole.written())
            self.whole = None

    def _read_card(self, data: QueryDict) -> None:
        self.form = self.card_form(data)
        self.edited_table = self.form.edited_rows()
        if self.edited_table or not self.form.is_valid():
            return
        part, index = cast(Place, self.place)
        before, cards, written = self.card, self.document.cards(part), self.form.written()
        if written.get("type") != before.get("type"):
            written = self.document.without_start_of(before, written)
        if "on_each" in written and "on_each" not in before and self.document.chats:
            written["of"] = self.document.chats[0]
        cards[index] = written
        if self._has_free_name(part, index, cards):
            self.document.put(part, cards)
            self.form = None

    def _has_free_name(self, part: Part, index: int, cards: Sequence[Mapping[str, Any]]) -> bool:
        """Scores are an object, whose names differ; of lists the definition itself says what is wrong."""
        names = [card.get("name") for card in cards]
        if part == "scores" and (not names[index] or names.count(names[index]) > 1):
            message = _("give the score a name that no other one has.")
            cast(CardForm, self.form).blame("name", message)
            return False
        return True

    edited_table: Any = None  # of the open card, after a button of one of its tables

    @property
    def unread(self) -> list[CardForm]:
        """The forms that could not be read; they say why not."""
        return [form for form in (self.form, self.whole) if form]

    @property
    def is_readable(self) -> bool:
        return not self.unread

    @property
    def card(self) -> dict[str, Any]:
        """The open one. Raises TypeError if none is open."""
        part, index = cast(Place, self.place)
        return self.document.cards(part)[index]

    @property
    def text(self) -> str:
        """The definition as text: as it was opened, with its comments, if nothing was changed."""
        try:
            same = read_yaml(self.base).value == self.document.value
        except BadYaml:
            same = False
        questions = list(map(self._without_old_claims, self.document.value["questions"]))
        return self.base if same else self._comment_above + write_yaml(self.document.value | {"questions": questions})

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
        return json.dumps(self.document.value, ensure_ascii=False)

    # --- buttons ------------------------------------------------------------------------------------------------------
    def act(self, button: str, new_type: str = "") -> None:
        """A button: open, close, up, down, copy, remove with the place of a card, add with a part, or languages.

        What cannot be done, such as moving the first card up, changes nothing.
        """
        verb, _colon, target = button.partition(":")
        if verb == "add" and target in PARTS:
            self._add(target, new_type)
        elif verb == "by_language":
            self.by_language = True
        elif place := self.document.place(target):
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

    def _open(self, place: Place, verb: str) -> None:
        self.place, self.focus = place, f"close-{_written(place)}"

    def _close(self, place: Place, verb: str) -> None:
        self.place, self.focus = None, f"open-{_written(place)}"

    def _move(self, place: Place, verb: str) -> None:
        part, index = place
        other = index + (1 if verb == "down" else -1)
        cards = self.document.cards(part)
        if not 0 <= other < len(cards):
            return
        cards[index], cards[other] = cards[other], cards[index]
        self.document.put(part, cards)
        if self.place == place:
            self.place = (part, other)
        elif self.place == (part, other):
            self.place = place
        at_end = other in (0, len(cards) - 1)
        back = "up" if verb == "down" else "down"
        self.focus = f"{back if at_end else verb}-{_written((part, other))}"

    def _copy(self, place: Place, verb: str) -> None:
        part, index = place
        cards = self.document.cards(part)
        copy = without(cards[index], "formerly")
        if part != "show":
            copy["name"] = self._free_name(str(copy.get("name", "question")))
        cards.insert(index + 1, copy)
        self.document.put(part, cards)
        self._open((part, index + 1), "open")

    def _remove(self, place: Place, verb: str) -> None:
        part, index = place
        cards = self.document.cards(part)
        del cards[index]
        self.document.put(part, cards)
        if self.place and self.place[0] == part and self.place[1] >= index:
            self.place = None if self.place[1] == index else (part, self.place[1] - 1)
        self.focus = f"open-{_written((part, min(index, len(cards) - 1)))}" if cards else f"add-{part}"

    def _add(self, part: Part, new_type: str) -> None:
        cards = self.document.cards(part)
        if part == "show":
            unused = [name for name in self.known_columns if name not in self.document.shown_columns]
            cards.append({"field": unused[0] if unused else self._free_name("column")})
        elif part == "questions":
            question_type = new_type if new_type in QUESTION_TYPES else next(iter(QUESTION_TYPES))
            starting_card = self.document.starting(question_type)
            cards.append({"name": self._free_name(question_type), "type": question_type, **starting_card})
        else:
            summed = next(iter(self.document.marking), "")
            cards.append({"name": self._free_name("score"), "sum": summed, "rules": [{"points": 1}]})
        self.document.put(part, cards)
        self._open((part, len(cards) - 1), "open")

    def _free_name(self, name: str) -> str:
        names_in_use = {
            *self.known_columns,
            *self.document.shown_columns,
            *(str(card.get("name")) for part in ("questions", "scores") for card in self.document.cards(part)),
        }
        stem, number = re.sub(r"_\d+$", "", name), 2
        while (free := f"{stem}_{number}") in names_in_use:
            number += 1
        return name if name not in names_in_use else free

    # --- what controls offer ------------------------------------------------------------------------------------------
    @property
    def known_columns(self) -> list[str]:
        """Of the first items, whether shown or not, and of the definition."""
        rows = Item.objects.filter(project=self.project).order_by("pk").values_list("facts", "metadata")[:LOOKED_AT]
        names = dict.fromkeys(name for facts, metadata in rows for name in [*facts, *(metadata or ())])
        return list(dict.fromkeys([*names, *self.document.shown_columns]))

    @property
    def hidden_columns(self) -> list[str]:
        return [name for name in self.known_columns if name not in self.document.shown_columns]

    @property
    def languages(self) -> list[str]:
        languages = self.document.languages()
        return [*LANGUAGES, *sorted(languages - set(LANGUAGES))] if languages or self.by_language else []

    def card_form(self, data: QueryDict | None = None) -> CardForm:
        part, index = cast(Place, self.place)
        marking = self.document.marking
        before = self.document.value["questions"][:index] if part == "questions" else ()
        marked = marking.get(str(self.card.get("sum")), {}) if part == "scores" else {}
        names = [card.get("name") for card in self.document.value["questions"]]
        stored = self.project.kind.definition.by_name  # type: ignore[attr-defined]  # of the kind form alone
        offered = Offered(
            columns=self.known_columns,
            shown=self.document.shown_columns,
            earlier=[card["name"] for card in before if isinstance(card.get("name"), str)],
            retired=[name for name in stored if name not in names],
            languages=self.languages,
            chats=self.document.chats,
            marking=list(marking),
            labels=labels_of(marked.get("labels")),
            attributes=texts_by_name(marked.get("attributes")),
        )
        return CardForm(data, part=part, value=self.card, offered=offered)

    def _whole_form(self, data: QueryDict | None = None) -> CardForm:
        return CardForm(data, part=WHOLE, value=self.document.of_the_whole, offered=Offered())

    @property
    def whole_form(self) -> CardForm:
        form = self.whole or self._whole_form()
        for fault in self.faults if self.whole is None else ():
            if self._is_of_the_whole(fault):
                form.blame(setting_of(fault.path), fault.message)
        return form

    def _is_of_the_whole(self, fault: Fault) -> bool:
        return setting_of(fault.path) in ("unit", *self.document.of_the_whole)

    # --- faults and cards ---------------------------------------------------------------------------------------------
    def blame(self, faults: Sequence[Fault]) -> None:
        """Show these faults at their cards; the first faulty card is opened if no open one has a fault."""
        self.faults = faults
        places = [place for fault in faults if (place := self._fault_place(fault))]
        if self.is_readable and places and self.place not in places:
            self.place = places[0]

    def _fault_place(self, fault: Fault) -> Place | None:
        return self.document.setting_at(fault.path)[0]

    @property
    def general_faults(self) -> list[str]:
        """Those that are about no card, and about no setting of the whole."""
        faults = [fault for fault in self.faults if not self._fault_place(fault)]
        return [self._said(fault) for fault in faults if not self._is_of_the_whole(fault)]

    @property
    def said_faults(self) -> list[str]:
        """All faults, by the names of the cards that they are about: cards show no lines."""
        return [self._said(fault) for fault in self.faults]

    def _said(self, fault: Fault) -> str:
        place = self._fault_place(fault)
        if place is None:
            return f"{fault.path}: {fault.message}" if fault.path else fault.message
        name = one_line(self.document.cards(place[0])[place[1]].get(NAMED_BY[place[0]]) or "…", 60)
        return f"{name}: {_with_its_row(fault)}"

    @property
    def open_form(self) -> CardForm | None:
        if self.place is None:
            return None
        form = self.form or self.card_form()
        for fault in self.faults if self.is_readable else ():
            place, setting = self.document.setting_at(fault.path)
            if place == self.place:
                form.blame(setting, _with_its_row(fault))
        return form

    def cards(self, part: Part) -> list[CardHead]:
        faulty = [self._fault_place(fault) for fault in self.faults]
        cards = self.document.cards(part)
        return [
            CardHead(
                part, index, card, len(cards) - 1, faulty.count((part, index)), self.place == (part, index), self.focus
            )
            for index, card in enumerate(cards)
        ]

    @property
    def parts(self) -> list[tuple[Part, list[CardHead]]]:
        """Scores only where there is something to add up."""
        parts = PARTS if self.document.cards("scores") or self.document.marking else PARTS[:2]
        return [(part, self.cards(part)) for part in parts]


def _written(place: Place) -> str:
    return f"{place[0]}.{place[1]}"


def _with_its_row(fault: Fault) -> str:
    match = _RULE.search(fault.path)
    row = {"number": int(match[1]) + 1, "message": fault.message} if match else {}
    return _("row %(number)d: %(message)s") % row if row else fault.message
