"""What is known of a labelling configuration of Label Studio while it is read, and what of it was left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.tools.label_studio_names import SMALL
from annotate.formats.tools.leftovers import Leftovers
from lib.texts.stored_sentences import say as _
from lib.texts.xml_reading import XmlElement

# Only how things look, or which keys and tools there are.
_LOOK = (
    "aliasstyle background bordered canrotate classname classnames clickabletext collapsed defaultcollapsed "
    "dropdownwidth editable granularity height highlightcolor hotkey icon idattr layout leftclass maxwidth minwidth "
    "opacity open pathseparator placeholder requiredmessage rightclass savetextresult selectedcolor selectionstyle "
    "brightnesscontrol contrastcontrol crosshair defaultzoom grid gridcolor gridsize horizontalalignment negativezoom "
    "rotatecontrol smoothing verticalalignment zoomby "
    "showalias showfullpath showinline showlabels showsubmitbutton size slider strokecolor strokewidth style "
    "transcription underline width zoom zoomcontrol"
)
LOOK = frozenset(_LOOK.split())


@dataclass
class ConfigState:
    """columns: name of an object -> the column that it shows, None where we cannot show it.

    pictures: columns that hold an image. chats: names of objects whose messages can be chosen. lines: (part, name) ->
    line of the file. headers: texts that nothing has taken yet. aliases: question -> what is read of an option -> its
    value. ranks: question of the type number -> the column that it is about. notes: (question, object) whose marks
    have a note. looks: what is only appearance -> how often.
    """

    leftovers: Leftovers = field(default_factory=Leftovers)
    columns: dict[str, str | None] = field(default_factory=dict)
    pictures: set[str] = field(default_factory=set)
    chats: set[str] = field(default_factory=set)
    show: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    headers: list[XmlElement] = field(default_factory=list)
    aliases: dict[str, Mapping[str, str]] = field(default_factory=dict)
    ranks: dict[str, str] = field(default_factory=dict)
    notes: set[tuple[str, str]] = field(default_factory=set)
    looks: dict[str, int] = field(default_factory=dict)

    def leave(self, element: XmlElement, message: str, sort: Any = "missing") -> None:
        title = " ".join(part for part in (element.tag, element.get("name") or element.get("value")[:60]) if part)
        self.leftovers.add(sort, title, message, element.line)

    def leave_look(self, name: str) -> None:
        self.looks[name] = self.looks.get(name, 0) + 1

    def attributes(self, element: XmlElement, known: str) -> None:
        """Name the attributes that mean something and were not read. known: those that were."""
        read = {*known.split(), "name", "toname", "value", "visiblewhen", "whentagname", "whenchoicevalue"}
        for name, value in element.attributes.items():
            if name in LOOK:
                self.leave_look(name)
            elif name not in read and value.lower() != "false":
                message = _("the attribute %(name)s has no counterpart.")
                self.leave(element, message % {"name": f"{name}={value[:60]}"})

    def leave_headers(self) -> None:
        for header in self.headers:
            self.leave(header, _("stands before nothing that was converted; add the text to an `ask` or a `help`."))
        self.headers = []

    def words(self) -> tuple[str, str]:
        """What the headers in front of a tag say: (text, remark)."""
        headers, self.headers = self.headers, []
        values = [(header.get("value"), header.get("size") == SMALL) for header in headers if header.get("value")]
        text = "\n".join(value for index, (value, small) in enumerate(values) if not (small and index))
        return text, "\n".join(value for index, (value, small) in enumerate(values) if small and index)

    def tell_looks(self) -> None:
        if self.looks:
            names = ", ".join(f"{name} ({n})" for name, n in sorted(self.looks.items()))
            self.leftovers.add("look", _("appearance"), _("not carried over: %(names)s.") % {"names": names})
