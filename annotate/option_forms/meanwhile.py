"""Two people change the same settings: a comparison of what was opened, what is entered and what is stored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

ABSENT = object()


@dataclass(frozen=True)
class SettingsMerge:
    """values: to be stored. clashes: what both have changed, differently. kept: what only the other one changed."""

    values: dict[str, Any]
    clashes: list[str]
    kept: list[str]


def merge(opened: Mapping[str, Any], mine: Mapping[str, Any], stored: Mapping[str, Any]) -> SettingsMerge:
    """Take over what I changed since the page was opened, and keep what somebody else changed meanwhile.

    A name that is missing in one of them is a value of its own. Where both changed, the value is mine.
    """
    values, clashes, kept = {}, [], []
    for name in dict.fromkeys([*stored, *mine]):
        first, ours, theirs = (values_.get(name, ABSENT) for values_ in (opened, mine, stored))
        if _alike(ours, first):
            ours = theirs
            if not _alike(theirs, first):
                kept.append(name)
        elif not _alike(theirs, first) and not _alike(theirs, ours):
            clashes.append(name)
        if ours is not ABSENT:
            values[name] = ours
    return SettingsMerge(values, clashes, kept)


def _alike(left: Any, right: Any) -> bool:
    if left is ABSENT or right is ABSENT:
        return left is right
    return bool(plain(left) == plain(right))


def plain(value: Any) -> Any:
    """As JSON holds it, so that a value of a form and one of the database can be compared."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


class SettingsClash(Exception):
    """Somebody else has stored other values for the same settings since the page was opened.

    names: of the form fields. stored: all values as they are now. by: the account that changed them, "" if unknown.
    """

    def __init__(self, names: Sequence[str], stored: Mapping[str, Any], *, by: str = "") -> None:
        self.names, self.stored, self.by = list(names), dict(stored), by
        super().__init__(", ".join(names))


# Options are columns of their own here, so that two people can change different ones.


PREFIX = "option-"


def spread(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Each option as `option-<name>` beside the columns."""
    others = {name: value for name, value in columns.items() if name != "options"}
    return others | {f"{PREFIX}{name}": value for name, value in columns.get("options", {}).items()}


def gathered(values: Mapping[str, Any]) -> dict[str, Any]:
    """The reverse of `spread`: the options in one column, which is always there."""
    columns = {name: value for name, value in values.items() if not name.startswith(PREFIX)}
    options = {name.removeprefix(PREFIX): value for name, value in values.items() if name.startswith(PREFIX)}
    return {**columns, "options": options}
