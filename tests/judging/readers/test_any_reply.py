"""Properties: no reader raises or takes long on any text, and what it reads is possible and stands in the reply."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.readers.reader import LONGEST, ReaderTarget, ReplyReader, Unread, read_reply, reader_named, readers
from judging.readers.scales import Scale

TEN = Scale(1, 10)
CHOICES = {"first", "second", "tie", "both_good", "both_bad"}
PARTS = [
    "[[", "]]", "[[7]]", "[[A]]", "[[C]]", "Rating: ", "[RESULT]", " 4", " A", "Score: 3", "8 6", "\n", "Tie", "10",
    "the final decision is ", "Response 1", "Response 2", " or ", "for example: ", '"', "{", '"score": ', "}", "９",
    "-1", ".5", "最终的决定是", "a sentence. ", "\x00", "\ud800", "\u2028", "```", "/10", "%", "1-10",
]  # fmt: skip
replies = st.text(max_size=300) | st.lists(st.sampled_from(PARTS), max_size=25).map("".join)
ALL = [*readers().values(), reader_named("regex", r"(?:Rating|Score)?:?\s*(\d+|[ABC])\b")]


@pytest.fixture(params=ALL, ids=lambda reader: reader.slug)
def reader(request: pytest.FixtureRequest) -> ReplyReader:
    return request.param


@pytest.mark.parametrize("reader", ALL, ids=lambda reader: reader.slug)
@given(reply=replies, prefix=st.sampled_from(["", "10", "Rating: [[", "Feedback:"]) | st.text(max_size=10))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_possible_verdict_or_unread(reader: ReplyReader, reply: str, prefix: str) -> None:
    score, choice = (
        read_reply(reader, reply, ReaderTarget(TEN, prefix)),
        read_reply(reader, reply, ReaderTarget(None, prefix)),
    )
    assert isinstance(score, Unread) or 1 <= float(score) <= 10
    assert isinstance(choice, Unread) or choice in CHOICES


FORMS = {
    "prometheus": "[RESULT] {}",
    "mt-bench": "Rating: [[{}]]",
    "auto-j": "Rating: [[{}]]",
}


@pytest.mark.parametrize("slug", FORMS)
@given(
    critique=st.text(alphabet=st.characters(exclude_characters="[]", codec="utf-8"), max_size=200), n=st.integers(1, 10)
)
@settings(max_examples=100, deadline=None)
def test_a_well_formed_score_behind_any_critique_is_read(slug: str, critique: str, n: int) -> None:
    assert read_reply(readers()[slug], f"{critique}.\n\n{FORMS[slug].format(n)}", ReaderTarget(TEN)) == n


@pytest.mark.parametrize("slug", FORMS)
@given(n=st.integers(1, 10), other=st.integers(-2, 14))
@settings(max_examples=60, deadline=None)
def test_two_marks_that_differ_are_never_read(slug: str, n: int, other: int) -> None:
    form = FORMS[slug]
    found = read_reply(readers()[slug], f"{form.format(n)}\nNo: {form.format(other)}", ReaderTarget(TEN))
    assert found == n if n == other else isinstance(found, Unread)


LONG = {
    "brackets": "[" * LONGEST,
    "open": "[[" * (LONGEST // 2),
    "digits": "1" * LONGEST,
    "numbers": "1 " * (LONGEST // 2),
    "ratings": "Rating: " * (LONGEST // 8),
    "results": "[RESULT] " * (LONGEST // 9),
    "decisions": "the final decision is " * (LONGEST // 22),
    "blanks": "[RESULT]" + " " * (LONGEST - 8),
    "lines": "\n" * LONGEST,
    "objects": '{"score": ' * (LONGEST // 10),
    "ranges": "1-" * (LONGEST // 2),
    "named": "score" + " *" * (LONGEST // 2 - 5),
}


@pytest.mark.parametrize("reply", LONG.values(), ids=LONG.keys())
def test_the_longest_reply_takes_no_time_to_speak_of(reader: ReplyReader, reply: str) -> None:
    """Ten times and more of what was measured, so that a busy machine passes; what is quadratic takes minutes."""
    began = time.process_time()
    for scale in (TEN, None):
        read_reply(reader, reply[:LONGEST], ReaderTarget(scale))
    assert time.process_time() - began < 10
