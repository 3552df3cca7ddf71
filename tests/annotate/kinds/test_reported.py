"""What is left of facts once their reporter has taken them back, for every kind."""

import json
from typing import Any

import pytest

from annotate.kinds import all_kinds
from annotate.kinds.contract import ERASED, Kind, ReportedKind, erased_facts
from annotate.kinds.shapes import Shape
from tests.contract.test_kinds import EXAMPLES

KINDS = list(all_kinds().values())


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in texts(one)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_erased_facts_keep_their_shape_and_no_word(kind: Kind) -> None:
    stored = kind.read_facts(EXAMPLES[kind.slug]).stored()
    left = kind.erased(stored)
    facts = kind.read_facts(left)
    assert kind.read_draft(kind.empty_draft(facts))
    said = " ".join(kind.texts(kind.read_facts(stored)).values()).split()
    shown = json.dumps(left) + json.dumps(kind.empty_draft(facts)) + kind.title(facts)
    assert not [word for word in said if len(word) > 5 and word in shown]


def test_only_closed_lists_stay() -> None:
    from typing import Literal

    class Sort(Shape):
        sort: Literal["a", "b"]
        inner: list[dict[str, str]]
        text: str
        empty: str
        count: int

    stored = {"sort": "b", "inner": [{"x": "secret"}], "text": "secret", "empty": "", "count": 3}
    assert erased_facts(Sort, stored) == {
        "sort": "b",
        "inner": [{"x": ERASED}],
        "text": ERASED,
        "empty": "",
        "count": 3,
    }


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.takes_reports], ids=lambda kind: kind.slug)
def test_a_reported_case_makes_facts_that_hold_all_it_says(kind: Kind) -> None:
    turns = [{"role": "user", "content": "Which moon is larger?"}, {"role": "assistant", "content": "Phobos."}]
    facts = kind.read_facts(kind.reported(ReportedKind(turns, intent="Stargazing", language="en", service="Somebot")))
    assert {"Which moon is larger?", "Phobos.", "Stargazing"} <= set(texts(facts.stored()))


def test_service_difficulty_and_satisfaction_stay_with_the_case() -> None:
    kind = all_kinds()["use_case"]
    turns = [{"role": "user", "content": "Which moon is larger?"}]
    case = ReportedKind(turns, intent="", language="", service="Somebot", difficulty=2, satisfaction=5)
    stored = kind.read_facts(kind.reported(case)).stored()
    assert (stored["service"], stored["difficulty"], stored["satisfaction"]) == ("Somebot", 2, 5)
    silent = kind.read_facts(kind.reported(ReportedKind(turns, intent="", language="", service=""))).stored()
    assert silent.keys().isdisjoint({"service", "difficulty", "satisfaction"})
    assert kind.erased(stored)["service"] == ERASED
