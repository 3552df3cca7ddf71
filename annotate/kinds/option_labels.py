"""What leads read about an option of a kind: its name, its effect, its unit and an example. Declared where it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from pydantic.fields import FieldInfo

Words = str | Promise
NEXT_RUN = gettext_lazy("models use it from the next run on.")


@dataclass(frozen=True)
class Part:
    """One value of an object in a table of options. lines: of its cell."""

    label: Words
    is_number: bool = False
    lines: int = 1


@dataclass(frozen=True)
class OptionLabel:
    """Used in the annotation of an option: `most: Annotated[int, OptionLabel(_("Most stars"), unit=_("stars"))] = 5`.

    help: what the option does. applies: from when a change counts, for the preview. columns: the heads of a table, for
    an option with named values. parts: the values of each, if they are objects; a name without an object is removed.
    choices: the words for the values of a closed list. percent: a share is shown as one.
    """

    label: Words
    help: Words = ""
    unit: Words = ""
    example: Words = ""
    applies: Words = ""
    columns: tuple[Words, ...] = ()
    parts: Mapping[str, Part] = field(default_factory=dict, hash=False)
    choices: Mapping[object, Words] = field(default_factory=dict, hash=False)
    percent: bool = False


def label_of(name: str, info: FieldInfo) -> OptionLabel:
    """The label that the option declares, else one made from its name."""
    declared = (entry for entry in info.metadata if isinstance(entry, OptionLabel))
    return next(declared, OptionLabel(name.replace("_", " ").capitalize()))
