"""How the settings of questions are edited by form controls: declared beside each type, read by the editor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.functional import Promise

ControlKind = Literal[
    "line",  # a text of one line
    "words",  # what people read: one text, or one for each language
    "whole",  # a whole number
    "decimal",  # a number as it is written
    "switch",  # yes or no
    "listed",  # one of `choices`
    "column",  # a shown column
    "any_column",  # a column, shown so far or not
    "chat_column",  # a column that is shown as a transcript
    "columns",  # several shown columns
    "lines",  # texts, one a line
    "lists",  # names, each with texts
    "options",  # values with what people read and what they mean
    "steps",  # whole numbers with their names
    "renames",  # a value or a name of the version before -> its new one
    "retired",  # the name of a question of the version before that is not asked any more
    "marking",  # the name of a question in which people mark spans
    "rules",  # of a score, in order: what a span must be, and its points
    "conditions",  # earlier questions and what their answers must be
]


@dataclass(frozen=True)
class SettingControl:
    """One setting. name: as in the definition. default: what holds where the definition leaves it out.

    A setting whose value the control cannot show stays editable, as YAML in a box of its own.
    """

    name: str
    kind: ControlKind
    label: str | Promise
    help: str | Promise = ""
    choices: Sequence[tuple[str, str | Promise]] = ()
    default: Any = None
