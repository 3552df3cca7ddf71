"""The criteria of each intent, as the file has them or as a run replaces them. Pure; the texts are data."""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from django.utils.translation import gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from annotate.kinds.judged import Judged
from judging.strategies.criteria import slug

FILE = Path(__file__).with_name("criteria.toml")
GENERAL = "general"
MOST = 8  # criteria that one judge can be asked to keep apart
Texts = Mapping[str, str]  # language -> text


@dataclass(frozen=True)
class Criterion:
    """axis: under which its scores are kept. means: "" of a criterion that only its name explains."""

    axis: str
    name: Texts = field(hash=False)
    means: Texts = field(hash=False)
    also: Sequence[str] = field(default=(), hash=False)

    def told(self, language: str) -> str:
        means = _in(self.means, language)
        name = _in(self.name, language)
        if language == "zh":
            return f"- {name}（{self.axis}）" + (f"：{means}" if means else "")
        return f"- {name} ({self.axis})" + (f": {means}" if means else "")

    @property
    def names(self) -> list[str]:
        """All that judges call it."""
        return [self.axis, *self.name.values(), *self.also]


@cache
def shipped() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


@cache
def known() -> Mapping[str, Criterion]:
    """axis -> criterion of the file."""
    return {
        axis: Criterion(axis, said["name"], said["means"], tuple(said["also"]))
        for axis, said in shipped()["criteria"].items()
    }


def intent_of(judged: Judged) -> str:
    """The item's intent as the file writes it; "" where it has none."""
    named: Sequence[str] = judged.labels.get("intent", ())
    return slug(named[0]) if named else ""


def criteria_for(intent: str, own: Mapping[str, Sequence[str]]) -> list[Criterion]:
    """In their order: the run's own, else the file's; of an intent that neither knows the general ones."""
    named = own.get(intent) or shipped()["intents"].get(intent) or own.get(GENERAL) or shipped()["intents"][GENERAL]
    return [_called(each) for each in named]


def wanted(intent: str, language: str) -> str:
    """What a person with this intent wants; of an unknown intent in general words."""
    return _in(shipped()["wants"].get(intent) or shipped()["wants"][GENERAL], language)


def weighing(intent: str, criteria: Sequence[Criterion], language: str) -> str:
    """Which of them decide the final score."""
    if intent not in shipped()["leading"] or len(criteria) < 2:
        return _in(shipped()["weighing"], language)
    first, second = (_in(each.name, language) for each in criteria[:2])
    return _in(shipped()["weighing_leading"], language).replace("{first}", first).replace("{second}", second)


def bands(language: str) -> str:
    return _in(shipped()["bands"], language)


def _in(texts: Texts, language: str) -> str:
    return str(texts.get(language) or texts.get("en") or "")


def _called(name: str) -> Criterion:
    """Of the file, by any of its names; a name that it does not have is a criterion by itself."""
    axis = axis_of(name)
    found = known().get(axis) or next((one for one in known().values() if name.casefold() in one.names), None)
    return found or Criterion(axis, {"en": name, "zh": name}, {})


def axis_of(name: str) -> str:
    return re.sub(r"[\W]+", "_", name.strip().casefold()).strip("_")[:40]


def criteria_in(text: str) -> dict[str, list[str]]:
    """intent -> criteria, of lines or parts between semicolons such as `Leisure = wit, warmth`. Raises ValueError."""
    found: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, re.split(r"[\n;；]", text))):
        intent, equals, names = line.partition("=")
        given = [name for name in map(str.strip, re.split(r"[,，、]", names)) if axis_of(name)]
        if not equals or not slug(intent) or not given:
            raise ValueError(f"“{line[:60]}”: write intent = criterion, criterion; one a line or a semicolon between")
        if len(given) > MOST or len({_called(name).axis for name in given}) != len(given):
            raise ValueError(f"“{line[:60]}”: at most {MOST} criteria, each once")
        found[slug(intent)] = given
    return found


def _as_lines(value: Any) -> Any:
    """A mapping, as the command gives it, is the same as its lines, as the form does."""
    if isinstance(value, Mapping):
        lists = {intent: [each] if isinstance(each, str) else list(each) for intent, each in value.items()}
        value = "\n".join(f"{intent} = {', '.join(map(str, names))}" for intent, names in lists.items())
    if isinstance(value, str):
        criteria_in(value)
    return value


class IntentOptions(BaseModel):
    """Criteria that replace those of the file."""

    model_config = ConfigDict(extra="forbid")

    scale: Literal["1-10"] = Field(
        default="1-10",
        title=gettext_noop("Scale"),
        description=gettext_noop("Whole numbers from the first to the last; the last is best."),
    )
    criteria: Annotated[str, BeforeValidator(_as_lines)] = Field(
        default="",
        max_length=4000,
        title=gettext_noop("Criteria of your own"),
        description=gettext_noop("Intent = criterion, criterion; a semicolon between two; the others stay as shipped."),
    )


def told_criteria(options: Any) -> str:
    """For a variant: verdicts by other criteria are not comparable with these."""
    own = criteria_in(options.criteria)
    return "criteria=" + hashlib.sha256(repr(sorted(own.items())).encode()).hexdigest()[:6] if own else ""
