"""Labelling configurations of Label Studio, read as definitions.

Tags and their attributes: https://labelstud.io/tags. Tags and attributes are compared in lower case, as Label Studio
does. A header in front of a tag is what people read there; a smaller one behind it is the remark beside a question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotate.formats.tools.label_studio_controls import (
    BOXES,
    CONTROLS,
    add_to_spans,
    is_none_button,
    is_other_of_pair,
    join_rankings,
)
from annotate.formats.tools.label_studio_names import INDEX, without_index
from annotate.formats.tools.label_studio_state import ConfigState
from annotate.formats.tools.leftovers import BadConversion, Conversion, as_definition, question_name
from annotate.kinds.questions.definition import MOST_QUESTIONS, MOST_SHOWN
from lib.texts.stored_sentences import say as _
from lib.texts.xml_reading import BadXml, XmlElement, read_xml

EVERY_ROLE = ["system", "developer", "user", "assistant", "tool"]
OF_A_TURN = ("choice", "rating")  # types of questions that are asked about each turn
LOOK_TAGS = {"style", "filter", "shortcut"}
# Objects: how we show them; None: not at all.
OBJECTS: Mapping[str, str | None] = {
    "text": "text",
    "header": "text",
    "markdown": "markdown",
    "hypertext": "code",
    "paragraphs": "table",
    "table": "json",
    "list": "table",
    "chat": "chat",
    "image": "image",
    **dict.fromkeys(("audio", "audioplus", "video", "timeseries", "pdf", "reactcode"), None),
}


def from_label_studio(text: str) -> Conversion:
    """The definition that does what the configuration asks for. Raises BadConversion."""
    try:
        root = read_xml(text)
    except BadXml as bad:
        message = _("line %(line)d") % {"line": bad.line}
        raise BadConversion(f"{message}: {bad.message}") from bad
    return ConfigReading().converted(root)


@dataclass
class _Spot:
    """Where an element stands: the conditions of the boxes around it. role: of the messages that it is about."""

    when: Mapping[str, Any] = field(default_factory=dict)
    role: str = ""
    is_conditional: bool = False


class ConfigReading:
    """The reading of one configuration."""

    def __init__(self) -> None:
        self.state = ConfigState()
        self._of_spans: list[XmlElement] = []

    def converted(self, root: XmlElement) -> Conversion:
        state = self.state
        for element in root.walk():
            if element.tag in OBJECTS and element.get("name"):
                self._note_object(element)
        self._walk(root, _Spot())
        for element in self._of_spans:
            add_to_spans(state, element)
        join_rankings(state)
        state.leave_headers()
        state.tell_looks()
        return as_definition({"show": state.show, "questions": state.questions}, state.leftovers, state.lines)

    def _note_object(self, element: XmlElement) -> None:
        name, column = element.get("name"), _column(element)
        self.state.columns[name] = column if _can_be_shown(element) else None
        if element.tag == "image":
            self.state.pictures.add(column)
        elif element.tag == "chat":
            self.state.chats.add(name)

    # --- the tree -----------------------------------------------------------------------------------------------------
    def _walk(self, element: XmlElement, spot: _Spot) -> None:
        spot = self._inside(element, spot)
        if element.tag in BOXES:
            self.state.attributes(element, "title whenrole" if spot.role else "title")
            for child in element.children:
                self._walk(child, spot)
        elif element.tag == "header" and not element.get("value").startswith("$"):
            self.state.attributes(element, "")
            self.state.headers.append(element)
        elif element.tag in OBJECTS:
            self._object(element, spot)
        elif element.tag in CONTROLS:
            self._control(element, spot)
        elif element.tag == "repeater" and _transcript(element):
            self._repeater(element, spot)
        elif element.tag in LOOK_TAGS:
            self.state.leave_look(f"<{element.tag}>")
        else:
            self._unknown(element)

    def _unknown(self, element: XmlElement) -> None:
        message = _("this tag has no counterpart.")
        if element.tag == "ranker":
            message = _("ranks the entries of a list; a question of the type ranking ranks columns.")
        elif element.tag == "repeater":
            message = _("repeats tags for each entry of a list; nothing inside it was converted.")
        self.state.leave(element, message)

    def _inside(self, element: XmlElement, spot: _Spot) -> _Spot:
        """The spot of what is in the element, with the condition that it adds."""
        shown_when = element.get("visiblewhen")
        if not shown_when:
            return spot
        question = question_name(element.get("whentagname"))
        values = [value.strip() for value in element.get("whenchoicevalue").split(",") if value.strip()]
        aliases = self.state.aliases.get(question, {})
        condition = _condition(shown_when, [aliases.get(value, value) for value in values])
        if question in {entry["name"] for entry in self.state.questions} and condition is not None:
            return replace(spot, when={**spot.when, question: condition}, is_conditional=True)
        if shown_when == "region-selected" and element.get("whenrole"):
            return replace(spot, role=element.get("whenrole"))
        if shown_when != "region-selected":
            message = _("the condition %(name)s has no counterpart; it is always there.")
            self.state.leave(element, message % {"name": f"{shown_when} {element.get('whentagname')}".strip()})
        return spot

    # --- what people look at ------------------------------------------------------------------------------------------
    def _object(self, element: XmlElement, spot: _Spot) -> None:
        shown_as, column = OBJECTS[element.tag], _column(element)
        if shown_as is None or not _can_be_shown(element):
            self._leave_with_headers(element, _("what it shows has no counterpart."))
        elif not column:
            self._leave_with_headers(element, _("shows no column of the task; put the text into a column."))
        elif len(self.state.show) >= MOST_SHOWN:
            message = _("is one column too many; at most %(most)d are shown.")
            self._leave_with_headers(element, message % {"most": MOST_SHOWN})
        elif all(part["field"] != column for part in self.state.show):
            self.state.attributes(element, "namekey textkey language")
            self._title_and_show(element, column, _shown_as(element, shown_as))
            self._odd(element, spot, column)

    def _title_and_show(self, element: XmlElement, column: str, shown_as: str) -> None:
        title = self.state.words()[0]
        self.state.lines["show", column] = element.line
        part = {"field": column, "as": shown_as} | ({"title": title} if title else {})
        self.state.show.append(part | ({"language": "html"} if element.tag == "hypertext" else {}))

    def _odd(self, element: XmlElement, spot: _Spot, column: str) -> None:
        if spot.is_conditional:
            self.state.leave(element, _("is shown under a condition; here a column is always shown."), "changed")
        if element.tag == "hypertext":
            self.state.leave(element, _("the page in this column is shown as its source text."), "changed")
        if element.tag == "image":
            message = _("names a stored file here, and no address: add the files, and their names as this column.")
            self.state.leave(element, message, "changed")
        if element.get("valuetype") == "url":
            self.state.leave(element, _("the column holds an address; what is there is never fetched."))
        if any(sign in column for sign in ".["):
            message = _("name the column at import, such as --map %(pair)s.")
            self.state.leave(element, message % {"pair": f"'{column}={column}'"}, "changed")

    def _leave_with_headers(self, element: XmlElement, message: str) -> None:
        self.state.leave(element, message)
        self.state.leave_headers()

    # --- questions ----------------------------------------------------------------------------------------------------
    def _control(self, element: XmlElement, spot: _Spot) -> None:
        if element.get("perregion") == "true" and element.get("toname") in self.state.chats:
            others = {name: value for name, value in element.attributes.items() if name != "perregion"}
            column = self.state.columns[element.get("toname")] or ""
            self._ask_of_turns(replace(element, attributes=others), spot, column)
            return
        if element.get("perregion") == "true" or is_none_button(self.state, element):
            self.state.leave_headers()
            self._of_spans.append(element)
            return
        if is_other_of_pair(self.state, element):
            return
        if self._is_too_many(element):
            return
        settings = CONTROLS[element.tag](self.state, element)
        if settings is None:
            self.state.leave_headers()
            return
        targets = element.get("toname").split(",")
        if all(self.state.columns.get(target) is None for target in targets):
            self.state.leave(
                element, _("is about what cannot be shown here; people answer it without seeing that."), "changed"
            )
        self._ask(element, spot, settings)

    def _is_too_many(self, element: XmlElement) -> bool:
        if len(self.state.questions) < MOST_QUESTIONS:
            return False
        message = _("is one question too many; at most %(most)d are allowed.")
        self._leave_with_headers(element, message % {"most": MOST_QUESTIONS})
        return True

    def _repeater(self, element: XmlElement, spot: _Spot) -> None:
        """Questions about each entry of a list of messages; the list is shown as a transcript."""
        state, column, index = self.state, _transcript(element), element.get("indexflag", INDEX)
        state.attributes(element, "on indexflag mode")
        if entry := next((part for part in state.show if part["field"] == column), None):
            entry["as"] = "chat"
        elif len(state.show) < MOST_SHOWN:
            state.lines["show", column] = element.line
            state.show.append({"field": column, "as": "chat"})
        for child in _inside_boxes(element):
            name = child.get("name")
            if child.tag in CONTROLS and name.endswith(index):
                attributes = {**child.attributes, "name": without_index(name.removesuffix(index))}
                self._ask_of_turns(replace(child, attributes=attributes), spot, column)
            elif child.tag == "header" and not child.get("value").startswith("$"):
                state.headers.append(child)
            elif child.get("value") not in (f"${column}[{index}].{part}" for part in ("content", "role")):
                self._leave_with_headers(child, _("is repeated for each message and has no counterpart."))

    def _ask_of_turns(self, element: XmlElement, spot: _Spot, column: str) -> None:
        if self._is_too_many(element):
            return
        settings = CONTROLS[element.tag](self.state, element)
        if settings is None or settings["type"] not in OF_A_TURN:
            self._leave_with_headers(element, _("is asked about each message; only a choice or a rating can be."))
            return
        if not spot.role:
            message = _("is asked about the turns of every role; name those that you mean in `roles`.")
            self.state.leave(element, message, "changed")
        roles = spot.role.split(",") if spot.role else EVERY_ROLE
        self._ask(element, spot, {**settings, "on_each": "turns", "of": column, "roles": roles})

    def _ask(self, element: XmlElement, spot: _Spot, settings: dict[str, Any]) -> None:
        text, remark = self.state.words()
        name = question_name(element.get("name") or element.tag)
        if name in {part["field"] for part in self.state.show} | set(self.state.columns.values()):
            name = f"{name}_"
        if name != element.get("name"):
            message = _("is called “%(name)s” here.")
            self.state.leave(element, message % {"name": name}, "changed")
        question: dict[str, Any] = {"name": name, "type": settings.pop("type")}
        question |= {"ask": text} if text and text != name else {}
        question |= {"help": remark} if remark else {}
        question |= settings
        if not settings.pop("required", element.get("required") == "true"):
            question["required"] = False
        else:
            question.pop("required", None)
        question |= {"when": dict(spot.when)} if spot.when else {}
        self.state.lines["questions", name] = element.line
        self.state.questions.append(question)


def _can_be_shown(element: XmlElement) -> bool:
    """An image of each item, but not a list of them."""
    return OBJECTS[element.tag] is not None and not (element.tag == "image" and element.get("valuelist"))


def _transcript(repeater: XmlElement) -> str:
    """The column of messages that it repeats; "" if its entries are none."""
    entry = f"{repeater.get('on')}[{repeater.get('indexflag', INDEX)}].content"
    is_one = any(element.get("value") == entry for element in repeater.walk() if element.tag in OBJECTS)
    return repeater.get("on").removeprefix("$") if is_one and repeater.get("on").startswith("$") else ""


def _inside_boxes(element: XmlElement) -> Iterator[XmlElement]:
    for child in element.children:
        if child.tag in BOXES:
            yield from _inside_boxes(child)
        else:
            yield child


def _column(element: XmlElement) -> str:
    value = element.get("value") or element.get("valuelist")
    return value.removeprefix("$") if value.startswith("$") else ""


def _shown_as(element: XmlElement, usual: str) -> str:
    keys = element.get("namekey", "author").lower(), element.get("textkey", "text").lower()
    if element.tag == "paragraphs":
        return {("title", "text"): "texts", ("role", "content"): "chat"}.get(keys, usual)
    return "code" if element.tag == "text" and element.get("language") else usual


def _condition(shown_when: str, values: Sequence[str]) -> Any:
    """As a definition writes it; None if it has no counterpart."""
    if shown_when == "choice-selected":
        return list(values) if len(values) > 1 else values[0] if values else "answered"
    if shown_when == "choice-unselected" and len(values) == 1:
        return f"not {values[0]}"
    return None
