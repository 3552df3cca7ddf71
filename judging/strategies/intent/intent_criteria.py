"""Criteria of each intent, from the file or replaced by a run; options of the strategy. Pure; the texts are data."""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from annotate.kinds.protocol import JudgedItem
from judging.strategies.criteria import slug
from lib.texts import prompt_texts as own_texts

FILE = Path(__file__).with_name("criteria.toml")
GENERAL = "general"
LEADING = ("factuality", "user_satisfaction")  # decide the final score if the rule of weights says that two do
MOST = 8  # criteria that one judge can distinguish
Texts = Mapping[str, str]  # language -> text


@dataclass(frozen=True)
class IntentCriterion:
    """axis: the name of its scores. means: "" if only the name explains it."""

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
        """All names that judges use for it."""
        return [self.axis, *self.name.values(), *self.also]


SCOPE = "intent_criteria"


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


own_texts.register(SCOPE, _file)


def shipped() -> Mapping[str, Any]:
    """The file, with the texts that the project of the current job has replaced."""
    return own_texts.overlaid(SCOPE, _file())


def known_criteria() -> Mapping[str, IntentCriterion]:
    """axis -> criterion of the file."""
    return {
        axis: IntentCriterion(axis, entry["name"], entry["means"], tuple(entry["also"]))
        for axis, entry in shipped()["criteria"].items()
    }


def intent_of(judged: JudgedItem) -> str:
    """The item's intent as the file writes it; "" if it has none."""
    intents: Sequence[str] = judged.labels.get("intent", ())
    return slug(intents[0]) if intents else ""


def criteria_for(
    intent: str, own_criteria: Mapping[str, Sequence[str]], definitions: Mapping[str, str] | None = None
) -> list[IntentCriterion]:
    """Criteria in order: the run's own, else the file's; the general ones for an intent that neither knows.

    definitions: axis -> its definition, which replaces that of the file.
    """
    names = (
        own_criteria.get(intent)
        or shipped()["intents"].get(intent)
        or own_criteria.get(GENERAL)
        or shipped()["intents"][GENERAL]
    )
    return [_defined(_criterion_named(name), definitions or {}) for name in names]


def intent_in_words(intent: str, language: str) -> str:
    """What a person with this intent wants; general words for an unknown intent."""
    return _in(shipped()["wants"].get(intent) or shipped()["wants"][GENERAL], language)


def weighing(intent: str, criteria: Sequence[IntentCriterion], language: str, rule: str = "leading") -> str:
    """The basis of the final score, in words. rule: as IntentOptions.weights; order matters only for `order`.

    Two criteria decide only if both of LEADING are among those of the intent.
    """
    if rule == "order":
        return _in(shipped()["weighing_order"], language)
    leads = rule == "leading_all" or (rule == "leading" and intent in shipped()["leading"])
    names = {criterion.axis: _in(criterion.name, language) for criterion in criteria}
    if not leads or not names.keys() >= set(LEADING):
        return _in(shipped()["weighing"], language)
    first, second = (names[axis] for axis in LEADING)
    return _in(shipped()["weighing_leading"], language).replace("{first}", first).replace("{second}", second)


def bands(language: str) -> str:
    return _in(shipped()["bands"], language)


def _in(texts: Texts, language: str) -> str:
    return str(texts.get(language) or texts.get("en") or "")


def _criterion_named(name: str) -> IntentCriterion:
    """The criterion of the file with any of its names; an unknown name becomes a new criterion."""
    axis = axis_of(name)
    criterion = known_criteria().get(axis) or next(
        (candidate for candidate in known_criteria().values() if name.casefold() in candidate.names), None
    )
    return criterion or IntentCriterion(axis, {"en": name, "zh": name}, {})


def _defined(criterion: IntentCriterion, definitions: Mapping[str, str]) -> IntentCriterion:
    """The criterion with its definition; the lead's own text is used for every language."""
    text = definitions.get(criterion.axis)
    return replace(criterion, means={"en": text, "zh": text}) if text else criterion


def undefined_in(own_criteria: Mapping[str, Sequence[str]], definitions: Mapping[str, str]) -> list[str]:
    """Distinct names of criteria that neither the file nor a definition explains."""
    called = {
        criterion.axis: name
        for names in own_criteria.values()
        for name in names
        for criterion in [_criterion_named(name)]
    }
    return [name for axis, name in called.items() if axis not in known_criteria() and axis not in definitions]


def axis_of(name: str) -> str:
    return re.sub(r"[\W]+", "_", name.strip().casefold()).strip("_")[:40]


def criteria_in(text: str) -> dict[str, list[str]]:
    """intent -> criteria, from lines or parts between semicolons such as `Leisure = wit, warmth`. Raises ValueError."""
    names_by_intent: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, re.split(r"[\n;；]", text))):
        intent, equals, names = line.partition("=")
        criterion_names = [name for name in map(str.strip, re.split(r"[,，、]", names)) if axis_of(name)]
        if not equals or not slug(intent) or not criterion_names:
            raise ValueError(f"“{line[:60]}”: write intent = criterion, criterion; one a line or a semicolon between")
        if len(criterion_names) > MOST or len({_criterion_named(name).axis for name in criterion_names}) != len(
            criterion_names
        ):
            raise ValueError(f"“{line[:60]}”: at most {MOST} criteria, each once")
        names_by_intent[slug(intent)] = criterion_names
    return names_by_intent


def definitions_in(text: str) -> dict[str, str]:
    """axis -> definition, from lines or parts between semicolons such as `Wit: makes the reader smile`.

    A name of the file refers to its criterion. Raises ValueError.
    """
    definitions: dict[str, str] = {}
    for line in filter(None, map(str.strip, re.split(r"[\n;；]", text))):
        name, _colon, means = line.replace("：", ":", 1).partition(":")
        if not axis_of(name) or not means.strip():
            raise ValueError(f"“{line[:60]}”: write criterion: what it asks; one a line or a semicolon between")
        axis = _criterion_named(name.strip()).axis
        if axis in definitions:
            raise ValueError(f"“{name.strip()[:60]}” is defined twice: keep one definition")
        definitions[axis] = means.strip()
    return definitions


def _as_definitions(value: Any) -> Any:
    """Lines; a mapping, as from the command, is converted to lines."""
    if isinstance(value, Mapping):
        value = "\n".join(f"{name}: {_on_one_line(str(means))}" for name, means in value.items())
    if isinstance(value, str):
        definitions_in(value)
    return value


def _on_one_line(text: str) -> str:
    """The text with characters that would end the definition replaced by a comma or a blank."""
    return " ".join(text.replace(";", ",").replace("；", "，").split())


def _as_lines(value: Any) -> Any:
    """Lines, as from the form; a mapping, as from the command, is converted to lines."""
    if isinstance(value, Mapping):
        lists = {intent: [names] if isinstance(names, str) else list(names) for intent, names in value.items()}
        value = "\n".join(f"{intent} = {', '.join(map(str, names))}" for intent, names in lists.items())
    if isinstance(value, str):
        criteria_in(value)
    return value


WEIGHTS: Any = {  # value of the option -> what its choice is called
    "leading": gettext_lazy("factuality and user satisfaction for professional problems and API"),
    "leading_all": gettext_lazy("factuality and user satisfaction for every intent"),
    "order": gettext_lazy("earlier criteria weigh more"),
    "none": gettext_lazy("all criteria weigh the same"),
}


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
        title=gettext_noop("Custom criteria"),
        description=gettext_noop(
            "Intent = criterion, criterion; separate intents with semicolons. The others keep the built-in criteria."
        ),
    )
    definitions: Annotated[str, BeforeValidator(_as_definitions)] = Field(
        default="",
        max_length=4000,
        title=gettext_noop("Definitions of criteria"),
        description=gettext_noop(
            "Criterion: what it asks of the answer; separate several with semicolons. Every custom "
            "criterion needs a definition; for a built-in criterion it replaces the meaning."
        ),
    )
    weights: Literal["leading", "leading_all", "order", "none"] = Field(
        default="leading",
        title=gettext_noop("Weights of criteria"),
        description=gettext_noop("What decides the final score. The order of criteria alone implies no weight."),
        json_schema_extra={"labels": WEIGHTS},
    )


def criteria_variant(options: Any) -> str:
    """Contribution to a variant: verdicts by other criteria, definitions or weights are not comparable with these.

    Weights are always named: judges without them are from a time when the order of criteria was the weight, and when
    four of the criteria meant something else.
    """
    own_criteria, definitions = criteria_in(options.criteria), definitions_in(options.definitions)
    text = repr(sorted(own_criteria.items())) + (repr(sorted(definitions.items())) if definitions else "")
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    words = [f"criteria={digest}"] if own_criteria or definitions else []
    return " ".join([*words, f"weights={options.weights}"])
