"""Texts of criteria in prompts, by the ability that an item tests: axes, rubrics, rules. The texts are data.

There are two sets. The generic one, the default, names no category of perturbations, as in FBI (arXiv 2406.13439); the
task-specific one lists what to look for. Verdicts by the two sets belong to two different judges.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal

from django.utils.translation import gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from annotate.kinds.protocol import JudgedItem
from lib.texts import prompt_texts as own_texts
from lib.texts.fencing import SLOT

GENERIC, TASK_SPECIFIC = "generic", "task-specific"
FILES = {
    GENERIC: Path(__file__).with_name("criteria.toml"),
    TASK_SPECIFIC: Path(__file__).with_name("criteria_task_specific.toml"),
}
GENERAL = "general"


SCOPES = {GENERIC: "criteria", TASK_SPECIFIC: "criteria_task_specific"}


@cache
def _file(texts: str) -> Mapping[str, Any]:
    return tomllib.loads(FILES[texts].read_text("utf-8"))


for _set, _scope in SCOPES.items():
    own_texts.register(_scope, partial(_file, _set))


def criteria(texts: str = GENERIC) -> Mapping[str, Any]:
    """ability, or `general` -> axis, rubric3, rubric5 -> language -> text; `rules` -> language -> text.

    texts: which set, `generic` or `task-specific`. From its file, or as replaced by the project of the current job.
    """
    return own_texts.overlaid(SCOPES[texts], _file(texts))


def scope_of(options: Any) -> str:
    """The scope of the chosen set; see `Strategy.texts`."""
    return SCOPES[set_of(options)]


def ability_of(judged: JudgedItem) -> str:
    """The first of the item's abilities, written as in the file, such as `long-form`; "" if it has none."""
    abilities: Sequence[str] = judged.labels.get("ability", ())
    return slug(abilities[0]) if abilities else ""


def slug(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name.strip().casefold()).strip("-")


def text_of(ability: str, part: str, language: str, texts: str = GENERIC) -> str:
    """part: axis, rubric3 or rubric5; the general text if the file does not know the ability."""
    texts_by_ability = criteria(texts)
    words = texts_by_ability.get(ability, {}).get(part) or texts_by_ability[GENERAL][part]
    return str(words.get(language) or words["en"])


def rules(language: str, texts: str = GENERIC) -> str:
    words = criteria(texts)["rules"]
    return str(words.get(language) or words["en"])


class Texts(BaseModel):
    """Which set of texts a judge is told."""

    model_config = ConfigDict(extra="forbid")

    texts: Literal["generic", "task-specific"] = Field(
        default="generic",
        title=gettext_noop("Axes, rubrics and rules"),
        description=gettext_noop(
            "generic does not mention the errors to look for, as published; task-specific lists them. "
            "Judges with different texts count as different judges."
        ),
    )


def set_of(options: Any) -> str:
    return str(getattr(options, "texts", GENERIC))


def texts_variant(options: Any) -> str:
    """The set's contribution to a variant, for strategies with this choice."""
    return f"texts={options.texts}" if hasattr(options, "texts") else ""


def worded(wording: str, ours: Mapping[str, str]) -> str:
    """The wording with our own texts in their slots: they are instructions, so they are outside the blocks of data."""

    def filled(slot: re.Match[str]) -> str:
        return ours[slot[1]].replace("{{", "{ {").strip() if slot[1] in ours else slot[0]

    return SLOT.sub(filled, wording)


def _as_lines(value: Any) -> Any:
    """Lines, as from the form; a mapping, as from the command, is converted to lines."""
    if isinstance(value, Mapping):
        value = "\n".join(f"{ability} = {axis}" for ability, axis in value.items())
    if isinstance(value, str):
        axes_in(value)
    return value


def axes_in(text: str) -> dict[str, str]:
    """ability -> axis, from lines or parts between semicolons such as `factual = hallucination`. Raises ValueError."""
    axes = {}
    for line in filter(None, map(str.strip, re.split(r"[\n;；]", text))):
        ability, equals, axis = line.partition("=")
        if not equals or not slug(ability) or not axis.strip():
            raise ValueError(f"“{line[:60]}”: write ability = axis, one a line or with a semicolon between them")
        axes[slug(ability)] = axis.strip()
    return axes


class OwnAxes(BaseModel):
    """Axes that replace those of the file."""

    model_config = ConfigDict(extra="forbid")

    axes: Annotated[str, BeforeValidator(_as_lines)] = Field(
        default="",
        max_length=4000,
        title=gettext_noop("Custom axes"),
        description=gettext_noop(
            "Ability = what to look at; separate several with semicolons. The others keep the built-in text."
        ),
    )


def axis_for(judged: JudgedItem, options: Any, language: str) -> str:
    """The axis of the item's ability: the lead's own, else that of the file."""
    ability = ability_of(judged)
    own_axes = axes_in(getattr(options, "axes", ""))
    return own_axes.get(ability) or text_of(ability, "axis", language, set_of(options))


def axes_variant(options: Any) -> str:
    """The axes' contribution to a variant: verdicts by other axes are not comparable with these."""
    own_axes = axes_in(getattr(options, "axes", ""))
    return "axes=" + _hash(sorted(own_axes.items())) if own_axes else ""


def _as_rules(value: Any) -> Any:
    """Lines, as from the form; a list, as from the command, is converted to lines."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = "\n".join(map(str, value))
    return value


def rules_in(text: str) -> list[str]:
    """Rules, one per line or separated by semicolons; list markers before them are removed."""
    parts = re.split(r"\n" if "\n" in text.strip() else r"[;；]", text)
    return [rule for part in parts if (rule := part.strip().lstrip("-*•").strip())]


class OwnRules(BaseModel):
    """Rules that replace those of the file."""

    model_config = ConfigDict(extra="forbid")

    rules: Annotated[str, BeforeValidator(_as_rules)] = Field(
        default="",
        max_length=4000,
        title=gettext_noop("Custom rules"),
        description=gettext_noop("One per line, or separated by semicolons. They replace all built-in rules."),
    )


def rules_for(options: Any, language: str) -> str:
    """The lead's own rules, else those of the chosen set."""
    own_rules = rules_in(getattr(options, "rules", ""))
    return "\n".join(f"- {rule}" for rule in own_rules) or rules(language, set_of(options))


def rules_variant(options: Any) -> str:
    """The rules' contribution to a variant, as `axes_variant`."""
    own_rules = rules_in(getattr(options, "rules", ""))
    return "rules=" + _hash(own_rules) if own_rules else ""


def variant_of(options: Any) -> str:
    """The contribution of all text options to a variant: the set, own axes, own rules."""
    return " ".join(filter(None, [texts_variant(options), axes_variant(options), rules_variant(options)]))


def _hash(texts: Sequence[Any]) -> str:
    return hashlib.sha256(repr(texts).encode()).hexdigest()[:6]
