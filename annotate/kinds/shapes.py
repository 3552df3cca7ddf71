"""Base classes of facts, drafts and options (strict pydantic shapes), findings in words, and definitions of labels."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from lib.texts.stored_sentences import say as _


class Shape(BaseModel):
    """Base of all typed JSON: nothing is coerced, nothing unknown is let in, no NaN, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    def stored(self) -> dict[str, Any]:
        """As the database stores it: plain JSON; absent values stay absent."""
        return self.model_dump(exclude_none=True)


class LenientOptions(BaseModel):
    """Base of a kind's project options: every one has a default, unknown ones are named as errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        return self


class AnswerShape(BaseModel):
    """Base of what a model is asked to answer. Strict endpoints hold it to the schema, which is closed.

    What other models add is passed over, and values are only typed here: whether they make sense is for the kind to
    say, as doubts, because a reply that was read is better than one that was refused.
    """

    model_config = ConfigDict(
        extra="ignore", frozen=True, allow_inf_nan=False, json_schema_extra={"additionalProperties": False}
    )


@dataclass(frozen=True)
class Finding:
    """A finding about one place of facts or draft: a problem blocks submission, a doubt only asks for a look.

    path: names as in the file, such as `checklist[2]`; field: the form field it belongs to. said: values for the
    placeholders of a message that is stored as its message id and translated into the reader's language; a value called
    `what` is a message id itself.
    """

    path: str
    message: str
    source: str = "check"  # check | model | blank (the field is visibly empty)
    said: Mapping[str, Any] | None = None

    @property
    def field(self) -> str:
        return self.path.split("[")[0].split(".")[0]

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def stored(cls, doubt: Mapping[str, Any], source: str = "model") -> "Finding":
        """A doubt from the database or a file, in the reader's language if the message is ours."""
        message, params = str(doubt.get("message", "")), doubt.get("said")
        if message and isinstance(params, Mapping):
            message = _filled(message, params)
        return cls(str(doubt.get("path", "")), message, str(doubt.get("source") or source))


def _filled(message: str, params: Mapping[str, Any]) -> str:
    """`what` is one of our message ids too; the other values are quoted unchanged."""
    if params.get("what"):
        params = {**params, "what": _(str(params["what"]))}
    for text in (_(message), message):
        try:
            return text % params
        except (KeyError, TypeError, ValueError):
            continue
    return message


def faults(error: ValidationError) -> Iterator[Finding]:
    """A pydantic error as findings in our own words, one for each place."""
    for path, fault in _by_place(error).items():
        yield Finding(path, fault_in_words(fault))


def option_faults(error: ValidationError, options: type[BaseModel]) -> Iterator[Finding]:
    """The same for a project's options: the finding about an unknown option lists the known ones."""
    for path, fault in _by_place(error).items():
        unknown = fault["type"] == "extra_forbidden"
        yield Finding(path, _unknown_option(options, fault["loc"]) if unknown else fault_in_words(fault))


def _unknown_option(options: type[BaseModel], location: tuple[int | str, ...]) -> str:
    names = options.model_fields if len(location) == 1 else {}
    if names:
        return _("is not an option of this kind; it has: %(names)s.") % {"names": ", ".join(names)}
    return _("is not an option of this kind; remove it.")


def _by_place(error: ValidationError) -> dict[str, Mapping[str, Any]]:
    """The first error of each place."""
    by_place: dict[str, Mapping[str, Any]] = {}
    for fault in error.errors(include_url=False, include_context=True):
        by_place.setdefault(_path(fault["loc"]), fault)
    return by_place


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        elif not _is_a_union_branch(step):
            path += f".{step}" if path else step
    return path


def _is_a_union_branch(step: str) -> bool:
    return step in {"int", "float", "str", "bool", "dict"} or "[" in step


_OR = re.compile(r"(?<=['\"\d]) or (?=['\"\d])")  # pydantic's, in English, before the last of the allowed values


def fault_in_words(fault: Mapping[str, Any]) -> str:
    """What a pydantic error says, in our own words."""
    input_text = _shown(fault["input"])
    context = fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return _("is missing; this field is required.")
        case "extra_forbidden":
            return _("is not a field of this kind; remove it or put it under `provenance`.")
        case "string_type":
            return _("must be text, not %(given)s.") % {"given": input_text}
        case "list_type" | "tuple_type":
            return _("must be a list, not %(given)s.") % {"given": input_text}
        case "int_type" | "float_type" | "int_from_float":
            return _("must be a number, not %(given)s.") % {"given": input_text}
        case "bool_type":
            return _("must be true or false, not %(given)s.") % {"given": input_text}
        case "model_type" | "dict_type" | "model_attributes_type":
            return _("must be an object, not %(given)s.") % {"given": input_text}
        case "finite_number":
            return _("must be a finite number.")
        case "string_too_short":
            return _("must not be empty.")
        case "literal_error" | "enum":
            return _("is %(given)s; allowed: %(allowed)s.") % {
                "given": input_text,
                "allowed": _OR.sub(", ", context.get("expected", "")),
            }
        case "value_error":
            return str(context.get("error", fault["msg"]))
    return f"{fault['msg']} ({input_text})"


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN"
    text = repr(value) if not isinstance(value, str) else f"“{value}”"
    return text if len(text) <= 60 else text[:59] + "…"


# Definitions of labels for models: shipped with a taxonomy, or set by a project's options.


Definition = str | dict[str, str]  # one text for every language, or language -> text
OwnDefinitions = Mapping[str, Definition]

_COLON = {"zh": "："}


@dataclass(frozen=True)
class Definitions:
    """The definitions of one taxonomy. shipped: label -> what it means; a project's own definitions take precedence."""

    shipped: OwnDefinitions

    def meaning(self, label: str, definitions: OwnDefinitions, language: str) -> str:
        """The project's definition, else the shipped one of this name; "" if there is neither.

        If there are several languages: the item's language, else English, else any.
        """
        definition = definitions.get(label) or self.shipped.get(label) or ""
        if isinstance(definition, str):
            return definition.strip()
        text = definition.get(_plain(language)) or definition.get("en") or next(iter(definition.values()), "")
        return text.strip()

    def line(self, label: str, definitions: OwnDefinitions, language: str) -> str:
        """`Label: what it means` in one line; only the label if it has no definition."""
        meaning = " ".join(self.meaning(label, definitions, language).split())
        return f"{label}{_COLON.get(_plain(language), ': ')}{meaning}" if meaning else label

    def lines(self, labels: Sequence[str], definitions: OwnDefinitions, language: str) -> str:
        """Labels with their definitions, one per line."""
        return "\n".join(f"- {self.line(label, definitions, language)}" for label in labels)

    def check(self, definitions: OwnDefinitions, labels: Collection[str]) -> None:
        """Raises ValueError for a definition of a label that the project does not have: most likely a typing error."""
        unknown = sorted(definitions.keys() - {*labels, *self.shipped})
        if unknown:
            message = gettext("definitions: the project has no label “%(label)s”; add the label, or correct its name.")
            raise ValueError(message % {"label": unknown[0][:60]})


def _plain(language: str) -> str:
    return language.partition("-")[0]
