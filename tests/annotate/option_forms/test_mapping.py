from typing import Annotated, Any, Literal

import pytest
from django.http import QueryDict
from pydantic import Field

from annotate.kinds import all_kinds
from annotate.kinds.option_labels import OptionLabel
from annotate.kinds.shapes import LenientOptions
from annotate.option_forms.option_mapping import changed_options, json_only, option_fields

KINDS = list(all_kinds().values())


class Options(LenientOptions):
    most: Annotated[int, OptionLabel("Most", unit="stars", example="5")] = Field(default=5, ge=1, le=9)
    share: Annotated[float, OptionLabel("Share", percent=True)] = 0.25
    is_open: bool = False
    word: str = ""
    rule: Annotated[Literal["any", 3], OptionLabel("Rule", choices={3: "three"})] = "any"
    names: list[Annotated[str, Field(min_length=1)]] = ["A"]
    tree: dict[str, Any] = {"a": 1}


def test_each_type_has_its_control() -> None:
    fields = option_fields(Options, {"most": 7})
    assert {name: type(field).__name__ for name, field in fields.items()} == {
        "most": "IntegerField",
        "share": "FloatPercent",
        "is_open": "BooleanField",
        "word": "CharField",
        "rule": "TypedChoiceField",
        "names": "LinesField",
    }
    most: Any = fields["most"]
    assert (most.initial, most.label, most.unit, most.example) == (7, "Most", "stars", "5")
    assert (most.min_value, most.max_value) == (1, 9)
    rule: Any = fields["rule"]
    assert (rule.choices, rule.clean("3")) == ([("any", "any"), ("3", "three")], 3)
    assert [label.label for label in json_only(Options, fields)] == ["Tree"]


@pytest.mark.parametrize("stored", [{"names": ["A\nB"]}, {"names": [" A"]}, {"names": ["A", "A"]}, {"word": "A "}])
def test_a_value_that_a_form_would_change_is_left_to_json(stored: dict[str, Any]) -> None:
    assert not stored.keys() & option_fields(Options, stored).keys()


def test_only_what_is_changed_is_stored() -> None:
    fields = option_fields(Options, {"most": 7})
    posted = {"most": 7, "share": 0.25, "is_open": False, "rule": 3}
    assert changed_options({"most": 7}, fields, posted) == {"most": 7, "rule": 3}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_every_option_of_a_kind_says_what_it_is(kind: Any) -> None:
    for name, info in kind.options.model_fields.items():
        assert any(isinstance(entry, OptionLabel) for entry in info.metadata), name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_the_form_of_a_kind_gives_back_its_defaults(kind: Any) -> None:
    """What is shown and posted unchanged is read as it was."""
    for name, field in option_fields(kind.options, {}).items():
        shown = field.prepare_value(field.initial)
        if isinstance(shown, list):
            columns = [column.name for column in field.columns]  # type: ignore[attr-defined]
            data = QueryDict(mutable=True)
            for column in columns:
                data.setlist(f"{name}-{column}", [row.get(column, "") for row in shown])
            shown = field.widget.value_from_datadict(data, None, name)
        assert field.clean(shown) == field.initial, name


def test_every_option_that_ships_has_a_field() -> None:
    left = {kind.slug: json_only(kind.options, option_fields(kind.options, {})) for kind in KINDS}
    assert {slug for slug, labels in left.items() if labels} == set()


def test_an_object_with_more_than_its_cells_hold_is_left_to_json() -> None:
    options = all_kinds()["perturbation"].options
    changes = {"number-errors": {"definition": "Ours.", "wanted": 40}, "grammar-errors": None}
    field = option_fields(options, {"categories": changes})["categories"]
    assert [row["key"] for row in field.prepare_value(changes)] == ["number-errors", "grammar-errors"]
    more = {"number-errors": {"zh": {"name": "数字", "definition": "数字错误"}}}
    assert "categories" not in option_fields(options, {"categories": more})
