import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone, translation

from annotate.models import Item, Slot
from annotate.templatetags import ui


@pytest.mark.parametrize("name", [*Item.State.values, *Slot.State.values])
def test_every_state_of_items_and_slots_has_a_badge(name: str) -> None:
    assert 'class="state state--' in ui.state(name)


def test_a_badge_speaks_the_readers_language() -> None:
    with translation.override("en"):
        assert "Accepted" in ui.state("accepted")


def test_a_badge_escapes_its_label() -> None:
    assert "&lt;b&gt;" in ui.origin("person", "<b>")


def test_a_meter_is_never_fuller_than_full() -> None:
    assert 'width="100"' in ui.meter(9, 3, "9 of 3")


def test_a_meter_of_nothing_is_empty() -> None:
    assert 'width="0"' in ui.meter(0, 0, "nothing yet")


def test_parts_of_a_meter_stand_side_by_side() -> None:
    bar = ui.meter_parts([("ok", 1), ("2", 0), ("1", 3)], "one and three")
    # 1 of 4 is 250 of 1000 units; each part but the last leaves 2 units free behind it; nothing is drawn for 0.
    assert '<rect class="fill-ok" x="0.0" width="248.0"' in bar
    assert '<rect class="fill-1" x="250.0" width="750.0"' in bar
    assert "fill-2" not in bar


def test_a_moment_shows_its_date_and_not_only_its_age() -> None:
    moment = datetime(2026, 11, 20, 14, 5, tzinfo=UTC)
    with translation.override("en"), timezone.override(UTC):
        text = ui.when(moment)
    assert 'title="20 Nov 2026, 14:05 UTC"' in text
    assert ">20 Nov 2026, 14:05 <" in text


def test_a_missing_moment_is_said_in_words() -> None:
    assert ui.when(None, "never") == "never"


def test_minutes_are_rounded_up() -> None:
    assert ui.minutes(timedelta(minutes=14, seconds=1)) == 15


@pytest.mark.parametrize("parts", [[("ok", 3.0)], [("ok", 1.0), ("danger", 2.0)], [("ok", 5.0), ("danger", 0.0)]])
def test_a_bar_reaches_its_right_edge(parts: list[tuple[str, float]]) -> None:
    places = re.findall(r'x="([\d.]+)" width="([\d.]+)"', ui.meter_parts(parts, "all"))
    x, width = places[-1]
    assert float(x) + float(width) == pytest.approx(1000, abs=0.11)


def test_a_query_encodes_its_parameters_and_leaves_out_none() -> None:
    assert ui.query(column="a&b/c", group="", start=0, judge=None) == "?column=a%26b%2Fc&group=&start=0"


def test_a_query_begins_with_what_is_encoded_already() -> None:
    assert ui.query("state=ready&q=x+y", order="key") == "?state=ready&q=x+y&order=key"
    assert ui.query("", order="key") == "?order=key"
