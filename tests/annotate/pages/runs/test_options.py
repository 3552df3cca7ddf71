"""A purpose's options as fields of the plan form."""

from enum import Enum
from typing import Any, Literal

import pytest
from django import forms
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotate.engine.purposes import NoOptions
from annotate.runs.forms import fields_of, parse_options


class Tone(Enum):
    KIND = "kind"
    STRICT = "strict"


class Options(BaseModel):
    model_config = ConfigDict(strict=False, extra="forbid")

    candidates: int = Field(3, ge=1, le=9, title="Candidates", description="for each sort of feedback")
    share: float | None = Field(None, ge=0, le=1)
    tone: Tone | None = None
    order: Literal["first", "both"] = "first"
    repeats: Literal[1, 2, 3] = 1
    strict: bool = False
    authors: list[str] = Field(default_factory=list)
    note: str = Field("", max_length=5)
    name: str

    @model_validator(mode="after")
    def not_both(self) -> "Options":
        if self.strict and self.order == "both":
            raise ValueError("strict asks once")
        return self


def filled(**given: Any) -> tuple[forms.Form, dict[str, Any] | None]:
    form = type("PlanForm", (forms.Form,), fields_of(Options))({f"option-{key}": one for key, one in given.items()})
    return form, parse_options(Options, form.cleaned_data) if form.is_valid() else None


def test_a_purpose_without_options_asks_nothing() -> None:
    assert (fields_of(NoOptions), parse_options(NoOptions, {})) == ({}, {})


def test_each_option_is_a_field_of_its_type_with_its_words_and_default() -> None:
    fields = fields_of(Options)
    assert {name.removeprefix("option-"): type(field).__name__ for name, field in fields.items()} == {
        "candidates": "IntegerField",
        "share": "FloatField",
        "tone": "TypedChoiceField",
        "order": "TypedChoiceField",
        "repeats": "TypedChoiceField",
        "strict": "BooleanField",
        "authors": "WordLineField",
        "note": "CharField",
        "name": "CharField",
    }
    first = fields["option-candidates"]
    assert (first.label, first.help_text, first.initial) == ("Candidates", "for each sort of feedback", 3)
    assert [name for name, field in fields.items() if field.required] == ["option-name"]


def test_what_is_filled_in_is_read_in_its_type() -> None:
    _form, options = filled(
        candidates="5",
        share="0.25",
        tone="strict",
        order="both",
        repeats="2",
        authors="ada, , bob",
        note="brief",
        name="x",
    )
    assert options == {
        "candidates": 5,
        "share": 0.25,
        "tone": "strict",
        "order": "both",
        "repeats": 2,
        "strict": False,
        "authors": ["ada", "bob"],
        "note": "brief",
        "name": "x",
    }


def test_what_is_left_empty_keeps_its_default() -> None:
    _form, options = filled(name="x", candidates="", share="", order="first", repeats="1")
    assert options is not None
    assert "candidates" not in options
    assert "share" not in options


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("candidates", "0"),
        ("candidates", "10"),
        ("share", "1.1"),
        ("tone", "loud"),
        ("repeats", "4"),
        ("note", "x" * 6),
    ],
)
def test_a_value_out_of_bounds_is_refused_at_its_field(name: str, value: str) -> None:
    form, options = filled(**{"name": "x", "order": "first", "repeats": "1", name: value})
    assert options is None
    assert list(form.errors) == [f"option-{name}"]


def test_values_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ValidationError, match="strict asks once"):
        filled(name="x", strict="on", order="both", repeats="1")
