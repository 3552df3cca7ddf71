"""What judges are told to look at, by the ability that an item tests: axes, rubrics, rules. The texts are data."""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from django.utils.translation import gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from annotate.kinds.judged import Judged
from annotate.texts.fencing import SLOT

FILE = Path(__file__).with_name("criteria.toml")
GENERAL = "general"


@cache
def criteria() -> Mapping[str, Any]:
    """ability, or `general` -> axis, rubric3, rubric5 -> language -> text; `rules` -> language -> text."""
    return tomllib.loads(FILE.read_text("utf-8"))


def ability_of(judged: Judged) -> str:
    """The first of the item's abilities, written as in the file, such as `long-form`; "" where it has none."""
    named: Sequence[str] = judged.labels.get("ability", ())
    return slug(named[0]) if named else ""


def slug(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name.strip().casefold()).strip("-")


def text_of(ability: str, what: str, language: str) -> str:
    """what: axis, rubric3 or rubric5; of an ability that the file does not know the general one."""
    texts = criteria().get(ability, {}).get(what) or criteria()[GENERAL][what]
    return str(texts.get(language) or texts["en"])


def rules(language: str) -> str:
    texts = criteria()["rules"]
    return str(texts.get(language) or texts["en"])


def worded(wording: str, ours: Mapping[str, str]) -> str:
    """The wording with our own texts in their slots: instructions, and so outside the blocks of data."""

    def filled(slot: re.Match[str]) -> str:
        return ours[slot[1]].replace("{{", "{ {").strip() if slot[1] in ours else slot[0]

    return SLOT.sub(filled, wording)


def _as_lines(value: Any) -> Any:
    """A mapping, as the command gives it, is the same as its lines, as the form does."""
    if isinstance(value, Mapping):
        value = "\n".join(f"{ability} = {axis}" for ability, axis in value.items())
    if isinstance(value, str):
        axes_in(value)
    return value


def axes_in(text: str) -> dict[str, str]:
    """ability -> axis, of lines or parts between semicolons such as `factual = hallucination`. Raises ValueError."""
    found = {}
    for line in filter(None, map(str.strip, re.split(r"[\n;；]", text))):
        ability, equals, axis = line.partition("=")
        if not equals or not slug(ability) or not axis.strip():
            raise ValueError(f"“{line[:60]}”: write ability = axis, one a line or with a semicolon between them")
        found[slug(ability)] = axis.strip()
    return found


class OwnAxes(BaseModel):
    """Axes that replace those of the file."""

    model_config = ConfigDict(extra="forbid")

    axes: Annotated[str, BeforeValidator(_as_lines)] = Field(
        default="",
        max_length=4000,
        title=gettext_noop("Axes of your own"),
        description=gettext_noop("Ability = what to look at, a semicolon between two; the others stay as shipped."),
    )


def axis_for(judged: Judged, options: Any, language: str) -> str:
    """The axis of the item's ability: the lead's own one, else that of the file."""
    ability = ability_of(judged)
    return axes_in(getattr(options, "axes", "")).get(ability) or text_of(ability, "axis", language)


def told_axes(options: Any) -> str:
    """For a variant: verdicts by other axes are not comparable with these."""
    own = axes_in(getattr(options, "axes", ""))
    return "axes=" + hashlib.sha256(repr(sorted(own.items())).encode()).hexdigest()[:6] if own else ""
