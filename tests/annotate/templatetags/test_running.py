import re
from decimal import Decimal
from pathlib import Path

import pytest

from annotate.kinds.protocol import WORTH_ANOTHER_ATTEMPT, Cause
from annotate.templatetags.running import (
    REMEDIES,
    cause_in_words,
    money,
    purpose_name,
    remedy,
    share,
    span,
    tokens,
    took,
)

CAUSES = Path(__file__).resolve().parents[3] / "docs/causes.md"


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (None, "–"),
        ("0", "$0.00"),
        ("0.00000012", "< $0.0001"),
        ("0.00612", "$0.0061"),
        ("0.0999", "$0.0999"),
        ("0.1", "$0.10"),
        ("6.839", "$6.84"),
        ("1234567.5", "$1,234,567.50"),
    ],
)
def test_money_is_as_fine_as_it_is_small(usd: str | None, written: str) -> None:
    assert money(None if usd is None else Decimal(usd)) == written


@pytest.mark.parametrize(
    ("part", "total", "written"),
    [
        (0, 0, "0 %"),
        (0, 9, "0 %"),
        (9, 9, "100 %"),
        (3, 11, "27.3 %"),
        (1, 100_000, "0.1 %"),
        (99_999, 100_000, "99.9 %"),
    ],
)
def test_a_share_is_nothing_or_all_only_where_it_is(part: int, total: int, written: str) -> None:
    assert share(part, total) == written


@pytest.mark.parametrize(("number", "written"), [(0, "0"), (9_999, "9,999"), (12_345, "12.3 k"), (4_896_000, "4.90 M")])
def test_tokens_are_short(number: int, written: str) -> None:
    assert tokens(number) == written


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0, "0 seconds"),
        (1, "1 second"),
        (89, "89 seconds"),
        (90, "2 minutes"),
        (900, "15 minutes"),
        (7200, "2 hours"),
        (200_000, "2 days"),
    ],
)
def test_a_span_is_as_coarse_as_a_forecast(seconds: int | None, words: str) -> None:
    assert span(seconds) == words


@pytest.mark.parametrize(("milliseconds", "words"), [(None, ""), (40, "0.04 s"), (996, "1.00 s"), (6_249, "6.2 s")])
def test_how_long_something_took(milliseconds: int | None, words: str) -> None:
    assert took(milliseconds) == words


def test_every_cause_has_words_and_a_remedy() -> None:
    assert set(REMEDIES) == set(Cause)
    assert all(remedy(cause) and cause_in_words(cause) != cause for cause in Cause.values)


def test_a_cause_or_purpose_that_is_no_longer_known_is_named_as_it_is() -> None:
    assert (cause_in_words("gone"), remedy("gone"), purpose_name("gone")) == ("gone", "", "gone")


def test_the_document_of_causes_says_what_the_pages_say() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (yes|no) \| (.+) \|$", CAUSES.read_text(), re.MULTILINE)
    assert rows == [
        (cause.value, cause.label, "yes" if cause in WORTH_ANOTHER_ATTEMPT else "no", remedy(cause)) for cause in Cause
    ]
