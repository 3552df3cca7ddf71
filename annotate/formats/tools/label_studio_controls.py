"""Controls of Label Studio, read as questions; each function gives the settings of one, or None if it has none."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotate.formats.tools.label_studio_names import (
    NONE,
    NONE_WORDS,
    OTHER,
    PART,
    grouped_labels,
    part_name,
    without_number,
)
from annotate.formats.tools.label_studio_state import ConfigState
from annotate.formats.tools.leftovers import question_name
from lib.texts.stored_sentences import say as _
from lib.texts.xml_reading import XmlElement

BOXES = {"view", "collapse", "panel"}  # what is in them is read
SINGLE = ("single", "single-radio")
STARS, MOST_STARS = 5, 100  # Label Studio's default; more are refused anyway
Settings = dict[str, Any]  # of a question, as a definition writes them


def choices(state: ConfigState, element: XmlElement) -> Settings | None:
    """A choice, several choices, or the steps of a scale."""
    state.attributes(element, "required choice perregion allownested")
    options = _options(state, element)
    with_texts = [option for option in options if isinstance(option, dict) and "text" in option]
    state.aliases[question_name(element.get("name"))] = {option["text"]: option["value"] for option in with_texts}
    if element.get("choice") == "single-radio" and (scale := _scale(options)):
        return {"type": "rating", "scale": scale}
    return _chosen(state, element, options, several=element.get("choice", "single") not in SINGLE)


def taxonomy(state: ConfigState, element: XmlElement) -> Settings | None:
    state.attributes(element, "required leafsonly maxusages")
    state.leave(element, _("the tree is a list here, each entry with the names above it."), "changed")
    return _chosen(state, element, _options(state, element), several=element.get("maxusages") != "1")


def _chosen(state: ConfigState, element: XmlElement, options: list[Any], *, several: bool) -> Settings | None:
    if not options:
        state.leave(element, _("its choices stand in the tasks; here every item has the same ones."))
        return None
    return {"type": "choices" if several else "choice", "options": options}


def _options(state: ConfigState, element: XmlElement, path: str = "") -> list[Any]:
    """The options inside an element; those of a tree with the names above them. Headers are kept for the question."""
    options: list[Any] = []
    for child in element.children:
        if child.tag in BOXES:
            state.attributes(child, "")
            options += _options(state, child, path)
        elif child.tag == "choice":
            state.attributes(child, "alias hint")
            inner = _options(state, child, f"{path}{child.get('alias') or child.get('value')}/")
            options += inner if inner and element.get("leafsonly") == "true" else [_option(child, path), *inner]
        elif child.tag == "header":
            state.attributes(child, "")
            state.headers.append(child)
        else:
            state.leave(child, _("this tag has no counterpart."))
    return options


def rating(state: ConfigState, element: XmlElement) -> Settings:
    state.attributes(element, "maxrating required")
    most = _whole(element.get("maxrating")) or STARS
    return {"type": "rating", "scale": {"1": None, str(most): None}}


def number(state: ConfigState, element: XmlElement) -> Settings:
    state.attributes(element, "min max step required")
    state.ranks[question_name(element.get("name"))] = state.columns.get(element.get("toname")) or ""
    return {"type": "number"} | {name: element.get(name) for name in ("min", "max", "step") if element.get(name)}


def textarea(state: ConfigState, element: XmlElement) -> Settings:
    state.attributes(element, "rows required maxsubmissions")
    if element.get("maxsubmissions") != "1":
        state.leave(element, _("people may give several texts; here they are the lines of one text."), "changed")
    rows = _whole(element.get("rows"))
    start = element.get("value").removeprefix("$") if element.get("value").startswith("$") else ""
    if element.get("value") and not start:
        state.leave(element, _("the text that it begins with has no counterpart; put it into a column."))
    return {"type": "text"} | ({"start": start} if start else {}) | ({"rows": rows} if rows and rows <= 30 else {})


def pairwise(state: ConfigState, element: XmlElement) -> Settings:
    state.attributes(element, "required")
    columns = [state.columns.get(name) or name for name in element.get("toname").split(",")]
    return {"type": "pair", "of": columns, "required": element.get("required") != "false"}


def labels(state: ConfigState, element: XmlElement) -> Settings | None:
    """Spans, or None if they belong to a question that already marks another column with the same labels."""
    state.attributes(element, "required choice")
    column = state.columns.get(element.get("toname"))
    if column is None or column in state.pictures:
        state.leave(element, _("marks what cannot be shown here as a text."))
        return None
    if any(part["field"] == column and part.get("language") == "html" for part in state.show):
        state.leave(element, _("marks in a page; only their words can be imported, as marks of its source."), "changed")
    values = _labels(state, element)
    earlier = _same_spans(state, element, column, values)
    if earlier:
        earlier["on"].append(column)
        return None
    if element.get("choice") == "multiple":
        state.leave(element, _("a mark may have several labels; here each has one."), "changed")
    return {"type": "spans", "on": [column], "labels": grouped_labels(values)}


def _labels(state: ConfigState, element: XmlElement) -> list[str]:
    values = []
    for label in element.walk():
        if label.tag == "label":
            state.attributes(label, "alias")
            values.append(label.get("alias") or label.get("value"))
            if label.get("alias"):
                message = _("people read “%(text)s” instead; here they read the stored label.")
                state.leave(label, message % {"text": label.get("value")}, "changed")
    return values


def _same_spans(state: ConfigState, element: XmlElement, column: str, values: Sequence[str]) -> Settings | None:
    """The question whose further column this is."""
    name = without_number(element.get("name"))
    for question in state.questions:
        if name != element.get("name") and question["name"] == name and question["type"] == "spans":
            is_same = question["labels"] == grouped_labels(values) and column not in question["on"]
            return question if is_same else None
    return None


# --- what is asked about each span -----------------------------------------------------------------------------------
def add_to_spans(state: ConfigState, element: XmlElement) -> None:
    """An attribute, the note or the button of a question that marks the same column."""
    column = state.columns.get(element.get("toname"))
    fitting = [question for question in state.questions if column and column in question.get("on", ())]
    own = [question for question in fitting if element.get("name").startswith(f"{question['name']}{PART}")]
    if not fitting:
        state.leave(element, _("is asked about each mark, and no question here marks the same text."))
    elif len(own or fitting) > 1:
        state.leave(
            element, _("asks about marks, but several questions mark this text. Name the question in the definition.")
        )
    else:
        _add_part(state, (own or fitting)[0], element)


def _add_part(state: ConfigState, question: Settings, element: XmlElement) -> None:
    name = without_number(element.get("name").removeprefix(f"{question['name']}{PART}"))
    note = question["name"], element.get("toname")
    if is_none_button(state, element):
        words = next((child.get("value") for child in element.children), "")
        question |= {"none": words} if words not in ("", NONE_WORDS) else {}
    elif element.tag == "textarea" and note not in state.notes:
        state.notes.add(note)
        state.attributes(element, "perregion rows maxsubmissions")
    elif element.tag in ("choices", "rating"):
        _add_attribute(state, question, element, question_name(name))
    else:
        state.leave(element, _("is asked about each mark; marks have choices and one note here, nothing else."))


def _add_attribute(state: ConfigState, question: Settings, element: XmlElement, name: str) -> None:
    state.attributes(element, "perregion choice required maxrating")
    if element.tag == "rating":
        values = [str(step) for step in range(1, min(_whole(element.get("maxrating")) or STARS, MOST_STARS) + 1)]
    else:
        values = [_value(option) for option in _options(state, element)]
        state.leave_headers()
    is_new = name not in question.setdefault("attributes", {})
    if question["attributes"].setdefault(name, values) != values:
        state.leave(element, _("offers other values than the same question about another text."))
    if element.get("choice", "single") not in SINGLE:
        state.leave(element, _("several values may be chosen for a mark; here each mark has one."), "changed")
    if is_new and element.get("required") != "true":
        state.leave(element, _("need not be answered for each mark; here it must be."), "changed")


def is_none_button(state: ConfigState, element: XmlElement) -> bool:
    name = element.get("name")
    return any(
        question["type"] == "spans" and name == part_name(question["name"], NONE) for question in state.questions
    )


def is_other_of_pair(state: ConfigState, element: XmlElement) -> bool:
    """Whether it holds the answers of the pair before it that are neither text."""
    for question in state.questions:
        if question["type"] == "pair" and element.get("name") == part_name(question["name"], OTHER):
            values = [_value(option) for option in _options(state, element)]
            question |= {"scale": "strength"} if "first_much" in values else {}
            return True
    return False


def join_rankings(state: ConfigState) -> None:
    """Numbers from 1 to n about n columns, called question__1 to question__n, are the ranks of one question."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for question in state.questions:
        name = without_number(question["name"])
        if name != question["name"] and state.ranks.get(question["name"]):
            by_name.setdefault(name, []).append(question)
    for name, ranks in by_name.items():
        limits = {"min": "1", "max": str(len(ranks)), "step": "1"}
        if len(ranks) > 1 and all({key: rank.get(key) for key in limits} == limits for rank in ranks):
            shared: Settings = {key: ranks[0][key] for key in ("ask", "help", "required", "when") if key in ranks[0]}
            of = [state.ranks[rank["name"]] for rank in ranks]
            state.questions[state.questions.index(ranks[0])] = {"name": name, "type": "ranking", **shared, "of": of}
            state.questions = [question for question in state.questions if question not in ranks[1:]]


def _option(choice: XmlElement, path: str) -> Any:
    """A value, or an object where people read something else, or more."""
    value = path + (choice.get("alias") or choice.get("value"))
    text, about = path + choice.get("value"), choice.get("hint")
    if text == value and not about:
        return value
    return {"value": value} | ({"text": text} if text != value else {}) | ({"about": about} if about else {})


def _value(option: Any) -> str:
    return str(option["value"]) if isinstance(option, dict) else str(option)


def _scale(options: Sequence[Any]) -> dict[str, str | None] | None:
    """The steps of a scale, if all options are whole numbers one after another."""
    texts = {}
    for option in options:
        value = _value(option)
        texts[value] = option.get("text") if isinstance(option, dict) else None
    numbers = [_whole(value) for value in texts]
    if len(numbers) < 2 or None in numbers or numbers != list(range(numbers[0] or 0, (numbers[0] or 0) + len(numbers))):
        return None
    first, last = str(numbers[0]), str(numbers[-1])
    return {value: text for value, text in texts.items() if text is not None or value in (first, last)}


def _whole(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 6 else None


CONTROLS: Mapping[str, Callable[[ConfigState, XmlElement], Settings | None]] = {
    "choices": choices,
    "taxonomy": taxonomy,
    "rating": rating,
    "number": number,
    "textarea": textarea,
    "pairwise": pairwise,
    "labels": labels,
    "hypertextlabels": labels,
}
