"""Keyboard shortcuts of the work screens: the defaults, and the keys that a person has chosen instead."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# What a key is called in the browser's KeyboardEvent -> how it is shown.
KEY_SYMBOLS = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Enter": "↵", "Escape": "Esc"}
KEY_NAMES = [*KEY_SYMBOLS, "Home", "End", "PageUp", "PageDown", "F2", "F4", "F8", "F9"]


@dataclass(frozen=True)
class Action:
    name: str
    label: str | Promise
    key: str


ACTIONS = [
    Action("up", gettext_lazy("Previous field"), "ArrowUp"),
    Action("down", gettext_lazy("Next field"), "ArrowDown"),
    Action("open", gettext_lazy("Open the field"), "Enter"),
    Action("keep", gettext_lazy("Keep the suggestion, go to the next field"), "k"),
    Action("reset", gettext_lazy("Revert to suggestion"), "r"),
    Action("view", gettext_lazy("Suggestion, final, difference"), "d"),
    Action("back", gettext_lazy("Previous item"), "ArrowLeft"),
    Action("forward", gettext_lazy("Next item"), "ArrowRight"),
    Action("skip", gettext_lazy("Skip, then choose a reason"), "s"),
    Action("help", gettext_lazy("Show shortcuts"), "?"),
    Action("change_before", gettext_lazy("Previous change, in a difference"), "p"),
    Action("change_next", gettext_lazy("Next change, in a difference"), "n"),
    Action("turn_before", gettext_lazy("Previous tool call or error, in a transcript"), "b"),
    Action("turn_next", gettext_lazy("Next tool call or error, in a transcript"), "t"),
    Action("ask", gettext_lazy("Ask about the field"), "q"),
    Action("mark", gettext_lazy("Mark spans: into the text, then start a span"), "m"),
    Action("edges", gettext_lazy("Move the edges of a span"), "e"),
    Action("again", gettext_lazy("Label a span like the last one"), "."),
    Action("source", gettext_lazy("Marked texts: rendered or raw"), "o"),
    Action("drop", gettext_lazy("Drop a suggested span"), "j"),
    Action("layout", gettext_lazy("Difference: inline, side by side, changes only"), "v"),
]


class BadKeys(ValueError):
    """Keys that cannot be used; `errors` says why, by action."""

    def __init__(self, errors: dict[str, str]) -> None:
        self.errors = errors
        super().__init__("; ".join(errors.values()))


def keys_of(custom_keys: Mapping[str, str]) -> dict[str, str]:
    """action -> key: a person's own keys replace the defaults; a default key that they use elsewhere is left out."""
    used_keys = {key.lower() for name, key in custom_keys.items() if key}
    free = {action.name: "" if action.key.lower() in used_keys else action.key for action in ACTIONS}
    return {action.name: custom_keys.get(action.name) or free[action.name] for action in ACTIONS}


def key_symbol(key: str) -> str:
    return KEY_SYMBOLS.get(key, key.upper() if len(key) == 1 else key)


def read_keys(posted: Mapping[str, str]) -> dict[str, str]:
    """The keys that differ from the defaults. Raises BadKeys on what is no key, on digits, and on collisions."""
    key_by_action = {action.name: _parse_key(posted.get(action.name, "")) or action.key for action in ACTIONS}
    errors = {name: problem for name, key in key_by_action.items() if (problem := _problem(key))}
    for name, key in key_by_action.items():
        conflicts = [
            other_name
            for other_name, other_key in key_by_action.items()
            if other_key.lower() == key.lower() and other_name != name
        ]
        if conflicts and name not in errors:
            errors[name] = _("%(key)s is already used for “%(other)s”.") % {
                "key": key_symbol(key),
                "other": _label(conflicts[0]),
            }
    if errors:
        raise BadKeys(errors)
    return {action.name: key_by_action[action.name] for action in ACTIONS if key_by_action[action.name] != action.key}


def _parse_key(typed: str) -> str:
    """What people type or paste for a key: its name in any case, its arrow, or the character itself."""
    text = typed.strip()
    name_by_text = {name.lower(): name for name in KEY_NAMES} | {
        sign.lower(): name for name, sign in KEY_SYMBOLS.items()
    }
    return name_by_text.get(text.lower(), text.lower() if len(text) == 1 else text)


def _problem(key: str) -> str:
    if key in KEY_NAMES:
        return ""
    if len(key) != 1 or not key.isprintable():
        return _("One character, or a key's name such as Home or F2.")
    if key.isdigit():
        return _("Digits choose among the values of a field.")
    return ""


def _label(name: str) -> str:
    return str(next(action.label for action in ACTIONS if action.name == name))
