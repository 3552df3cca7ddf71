"""What each reader makes of the replies of its evaluator, and of replies that look like them."""

from typing import Any

import pytest

from judging.readers.reader import (
    LONGEST,
    LONGEST_REPLY,
    MOST,
    BadReader,
    ReaderTarget,
    Unread,
    read_reply,
    reader_named,
    readers,
)
from judging.readers.scales import Scale

FIVE, TEN = Scale(1, 5), Scale(1, 10)


def score(slug: str, reply: str, scale: Scale = TEN, prefix: str = "", pattern: str = "") -> Any:
    """None where nothing could be read."""
    found = read_reply(reader_named(slug, pattern), reply, ReaderTarget(scale, prefix))
    return None if isinstance(found, Unread) else found


def choice(slug: str, reply: str, prefix: str = "", pattern: str = "") -> Any:
    found = read_reply(reader_named(slug, pattern), reply, ReaderTarget(None, prefix))
    return None if isinstance(found, Unread) else found


# --- all of them ------------------------------------------------------------------------------------------------------
def test_every_reader_says_what_it_is_and_reads_its_own_example() -> None:
    for slug, reader in readers().items():
        assert str(reader.name)
        assert str(reader.about)
        assert reader.scores or reader.chooses
        values = [score(slug, reader.example, TEN), choice(slug, reader.example)]
        assert any(value is not None for value in values), slug


def test_a_reader_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(BadReader, match="prometheus"):
        reader_named("promethius")
    with pytest.raises(BadReader, match="pattern"):
        reader_named("prometheus", "(.)")


@pytest.mark.parametrize("slug", list(readers()))
@pytest.mark.parametrize(
    "reply", ["", "  \n", "The answer is good.", "[[", "[RESULT]", "\x00", "９" * 30, "x" * (LONGEST + 1)]
)
def test_a_reply_without_a_verdict_is_unread_with_a_reason(slug: str, reply: str) -> None:
    for target in (ReaderTarget(TEN), ReaderTarget(None)):
        found = read_reply(readers()[slug], reply, target)
        assert isinstance(found, Unread)
        assert found.reason.endswith(".")


# --- Prometheus -------------------------------------------------------------------------------------------------------
PROMETHEUS = {
    "Covers both causes but misdates one. [RESULT] 3": 3,
    "Feedback: Clear and complete. [RESULT] 5\n": 5,
    "Feedback: It has 3 of 4 points.\n\n[RESULT]: 4": 4,
    "Good. [RESULT] (4)": 4,
    "Good. [RESULT] **4**": 4,
    "Good. [RESULT] Score: 4": 4,
    "Good. [RESULT] 4/5": 4,
    "Good. [RESULT] 4 out of 5.": 4,
    "Good. [RESULT] 2\n\n###Feedback: again good. [RESULT] 2": 2,
    "Good. [SCORE] 4": 4,
    "Feedback: one slip.\nScore: 3": 3,
    "好。[RESULT] ４": 4,
    # not read
    "Good. [RESULT] 4 ... no, rather weak. [RESULT] 2": None,
    "Good. [RESULT] 6": None,
    "Good. [RESULT] 0": None,
    "Good. [RESULT] 4/10": None,
    "Good. [RESULT] 1-5": None,
    "Good. [RESULT] 4 or 5": None,
    "Good. [RESULT] four": None,
    "Good. [RESULT] 3 [RESULT] 4 or 5": None,
    "(write a feedback for criteria) [RESULT] (an integer number between 1 and 5)": None,
    'The format is "Feedback: … [RESULT] 5", for example: [RESULT] 5': None,
    "Score: 3 for style, score: 4 for content": None,
    "3": None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), PROMETHEUS.items())
def test_prometheus_scores(reply: str, expected: int | None) -> None:
    assert score("prometheus", reply, FIVE) == expected


PROMETHEUS_PAIRS = {
    "Feedback: A names the risk, B does not. [RESULT] A": "first",
    "Feedback: A names the risk, B does. [RESULT] B\n": "second",
    "[RESULT]: Response B": "second",
    "[RESULT] (A)": "first",
    "[RESULT] **B**.": "second",
    "[RESULT] A is better": "first",
    # not read
    "[RESULT] A or B": None,
    "[RESULT] A, B": None,
    "[RESULT] A response that names the risk": None,
    "[RESULT] C": None,
    "[RESULT] Tie": None,
    "[RESULT] A\n[RESULT] B": None,
    '(write a feedback for criteria) [RESULT] (Either "A" or "B")': None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), PROMETHEUS_PAIRS.items())
def test_prometheus_choices(reply: str, expected: str | None) -> None:
    assert choice("prometheus", reply) == expected


# --- MT-Bench ---------------------------------------------------------------------------------------------------------
MT_BENCH = {
    "Accurate but thin. Rating: [[7]]": 7,
    "Accurate but thin. [[7]]": 7,
    "Rating: [[7.5]]": 7.5,
    "Rating: [[10]]": 10,
    "**Rating: [[8]]**": 8,
    "Rating: [[8/10]]": 8,
    "评分：[[8]]": 8,
    "The matrix [[1, 2], [3, 4]] is right. Rating: [[9]]": 9,
    "The list [[0]] is right. Rating: [[9]]": 9,
    "[[7]] it is. To repeat: [[7]]": 7,
    "Following this format, my rating is [[7]]": 7,
    # not read
    "Rating: [[7]] … on second thought Rating: [[4]]": None,
    "Rating: [[11]]": None,
    "Rating: [[0]]": None,
    "Rating: [[-3]]": None,
    "Rating: [[7-8]]": None,
    "Rating: [[rating]]": None,
    "Rating: 7": None,
    "[7]": None,
    'by strictly following this format: "[[rating]]", for example: "Rating: [[5]]".': None,
    "For example: [[5]]": None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), MT_BENCH.items())
def test_mt_bench_scores(reply: str, expected: float | None) -> None:
    assert score("mt-bench", reply) == expected


MT_BENCH_PAIRS = {
    "B explains the step that A skips. [[B]]": "second",
    "[[A]]": "first",
    "Both are fine. [[C]]": "tie",
    "Final verdict: **[[A]]**": "first",
    'My final verdict is "[[A]]".': "first",
    "[[A]] is my verdict. So: [[A]]": "first",
    # not read
    "First I thought [[A]], now [[B]]": None,
    "[[A]] or [[B]]": None,
    "[[D]]": None,
    "[A]": None,
    "[[A or B]]": None,
    'output "[[A]]" if assistant A is better, "[[B]]" if assistant B is better, and "[[C]]" for a tie.': None,
    'I say "[[C]]" for a tie': None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), MT_BENCH_PAIRS.items())
def test_mt_bench_choices(reply: str, expected: str | None) -> None:
    assert choice("mt-bench", reply) == expected


# --- Auto-J -----------------------------------------------------------------------------------------------------------
AUTO_J = {
    "1. Key factors: … \n2. So, the final decision is Response 2.": "second",
    "So, the final decision is Response 1. It names its sources.": "first",
    "2. The final decision is Tie. Both do the same.": "tie",
    "the final decision is a tie": "tie",
    "The final decision is Response 1, because it names its sources.": "first",
    "The final decision is Response 2 and it is a close one.": "second",
    "The final decision is Response 1 over Response 2.": "first",
    "The final decision is: **Response 1**": "first",
    "因此，最终的决定是回应2。": "second",
    "最终决定：平局": "tie",
    # not read
    "So, the final decision is Response 1 / Response 2 / Tie.": None,
    "So, the final decision is Response 1 or Response 2.": None,
    "the final decision is Response 1. No: the final decision is Response 2.": None,
    "the final decision is Response 12": None,
    "the final decision is Response 1, Response 2 or Tie": None,
    "the final decision is Response 1 and Response 2": None,
    "the final decision is Response 1 if it is better": None,
    "the final decision is unclear": None,
    "Response 1 is better.": None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), AUTO_J.items())
def test_auto_j_choices(reply: str, expected: str | None) -> None:
    assert choice("auto-j", reply) == expected


def test_auto_j_ratings() -> None:
    assert score("auto-j", "Clear, yet no example.\nRating: [[6]]") == 6
    assert score("auto-j", "Rating: [[6.5]]") == 6.5
    assert score("auto-j", "Clear, yet no example.") is None  # their code: 0
    assert score("auto-j", "The list [[6]] is right.") is None
    assert score("auto-j", "Rating: [[6]] Rating: [[7]]") is None


# --- JudgeLM and PandaLM ----------------------------------------------------------------------------------------------
JUDGE_LM = {
    "8 6\nThe first answer gives sources.": "first",
    "8 6": "first",
    "\n 6, 8 \nThe second …": "second",
    "7 7\n": "tie",
    "8.5 9\n": "second",
    "10 1": "first",
    # not read
    "8": None,
    "8 6 7\n": None,
    "8 11\n": None,
    "-8 6\n": None,
    "8/10 6/10\n": None,
    "Scores: 8 6\n": None,
    "The first answer …\n8 6": None,
    "8 6\nOn second thought:\n5 9": None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), JUDGE_LM.items())
def test_judgelm_choices(reply: str, expected: str | None) -> None:
    assert choice("judgelm", reply) == expected


def test_judgelm_scores_one_answer_beside_its_known_one() -> None:
    assert score("judgelm", " 6\nThe answer …", prefix="10") == 6  # the service goes on behind the prefix
    assert score("judgelm", "6\nThe answer …", prefix="10") == 6
    assert score("judgelm", "10 6\nThe answer …", prefix="10") == 6  # the service repeats it
    assert score("judgelm", "10\nThe answer …", prefix="10") == 10
    assert score("judgelm", "7\nThe answer …") == 7
    assert score("judgelm", "8 6\n") is None  # whose number is the second?
    assert score("judgelm", "seven\n") is None


PANDA_LM = {
    "2\n\n### Reason: Only the second is on topic.\n\n### Reference: …": "second",
    "1\n": "first",
    "Tie\n### Reason: …": "tie",
    "tie.": "tie",
    # not read; their code: a tie
    "Response 1 is better": None,
    "12": None,
    "1 2\n": None,
    "### Reason: none\n1": None,
    "": None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), PANDA_LM.items())
def test_pandalm_choices(reply: str, expected: str | None) -> None:
    assert choice("pandalm", reply) == expected


def test_pandalm_gives_no_scores() -> None:
    assert score("pandalm", "1\n") is None


# --- JSON, last number ------------------------------------------------------------------------------------------------
def test_json_is_read_as_replies_to_fenced_prompts_are() -> None:
    assert score("json", '```json\n{"explanation": "One slip.", "score": 8}\n```') == 8
    assert score("json", "{'rating': 8, 'marks': 3}") == 8  # by its words
    assert score("json", '{"score": 8} or {"score": 3}') is None
    assert score("json", '{"score": 11}') is None
    assert score("json", "Score: 8") == 8
    assert choice("json", '{"explanation": "…", "verdict": "B"}') == "second"
    assert choice("json", '{"verdict": "both good"}') == "both_good"
    assert choice("json", '{"verdict": "A or B"}') is None


LAST_NUMBER = {
    "A little long, but right. 8": 8,
    "8": 8,
    "On a scale of 1-10 I give 7": 7,
    "I give 7 on a scale from 1 to 10": 7,
    "8/10": 8,
    "I give it 8 out of 10.": 8,
    "３ slips, so 6 分": 6,
    # not read
    "8, in all 250 words": None,
    "8 with 90%": None,
    "It is -3": None,
    "8/5": None,
    "In 2024": None,
    "1-10": None,
    "GPT4": None,
    "1,000": None,
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), LAST_NUMBER.items())
def test_the_last_number(reply: str, expected: float | None) -> None:
    assert score("last-number", reply) == expected


# --- a pattern of one's own -------------------------------------------------------------------------------------------
def test_a_pattern_reads_its_named_group_or_its_first() -> None:
    assert score("regex", "Grade: 7", pattern=r"Grade:\s*(\d+)") == 7
    assert score("regex", "A: x, Grade: 7", pattern=r"(A|B): \w+, Grade: (?P<score>\d+)") == 7
    assert choice("regex", "Winner = Response B", pattern=r"Winner = (?P<choice>.+)") == "second"
    assert choice("regex", "Winner = 0", pattern=r"Winner = (\d)") == "tie"


def test_a_pattern_that_matches_twice_has_to_say_the_same() -> None:
    assert score("regex", "Grade: 7\nGrade: 7", pattern=r"Grade: (\d+)") == 7
    assert score("regex", "Grade: 7\nGrade: 3", pattern=r"Grade: (\d+)") is None
    assert score("regex", "Grade: 70", pattern=r"Grade: (\d+)") is None
    assert choice("regex", "Winner = nobody", pattern=r"Winner = (\w+)") is None
    assert score("regex", "nothing", pattern=r"Grade: (\d+)") is None


def test_a_pattern_is_put_to_awkward_texts_when_it_is_saved_and_not_for_every_reply() -> None:
    slow = r"(?:a+)+$(b)"
    with pytest.raises(BadReader):
        reader_named("regex", slow, probe=True)
    assert score("regex", "a short reply", pattern=slow) is None


def test_a_pattern_that_is_slow_on_a_reply_is_given_up() -> None:
    found = read_reply(reader_named("regex", r"(?:x+x+)+(y)"), "x" * 15_000, ReaderTarget(TEN))
    assert isinstance(found, Unread)
    assert "too long" in found.reason


def test_a_long_reply_is_not_put_to_a_pattern() -> None:
    assert score("regex", "Grade: 7" + " " * LONGEST_REPLY, pattern=r"Grade: (\d+)") is None


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("", "Enter a regular expression"),
        (r"Grade: (\d+", "character"),
        (r"Grade: \d+", "group"),
        (r"(?P<score>\d+", "character"),
        ("[", "character"),
        ("(a)\n", "one line"),
        ("(" + "a" * 600 + ")", "500"),
        (r"(?:a+)+$(b)", "too long on some texts"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_place_and_remedy(pattern: str, told: str) -> None:
    with pytest.raises(BadReader, match=told):
        reader_named("regex", pattern, probe=True)


# --- what was written ahead of the reply ------------------------------------------------------------------------------
def test_a_prefix_is_read_with_the_reply_whether_the_service_repeats_it_or_not() -> None:
    assert score("mt-bench", "7]]", prefix="Rating: [[") == 7
    assert score("mt-bench", "Rating: [[7]]", prefix="Rating: [[") == 7
    assert score("prometheus", "Good. [RESULT] 4", FIVE, prefix="Feedback:") == 4
    assert score("prometheus", "Feedback: Good. [RESULT] 4", FIVE, prefix="Feedback:") == 4
    assert choice("pandalm", "2\n### Reason", prefix="1") is None  # 1 2 is no verdict
    assert score("last-number", "5", prefix="5") == 5


def test_a_pattern_that_no_machine_can_hold_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_complex(*_arguments: object) -> None:
        raise RecursionError

    monkeypatch.setattr("judging.readers.reader.regex.compile", too_complex)
    with pytest.raises(BadReader, match="too complex"):
        reader_named("regex", r"(?:x(never compiled before))")


def test_of_very_many_matches_the_first_are_compared() -> None:
    reader = reader_named("regex", r"Score (\d)")
    assert reader.read("Score 3 " * MOST + "Score 4", FIVE) == 3
    assert isinstance(reader.read("Score 3 " * (MOST - 1) + "Score 4", FIVE), Unread)


def test_a_pattern_that_finds_something_quickly_in_difficult_texts_is_taken() -> None:
    assert reader_named("regex", r"(\d)", probe=True).read("I say 4", FIVE) == 4


def test_a_reply_that_means_something_else_without_its_prefix_is_unread() -> None:
    """With the prefix before it, 3 follows “or I give”; alone, 4 follows “or”."""
    reader = reader_named("regex", r"^I give 3 or (?:I give )?(\d)")
    target = ReaderTarget(FIVE, prefix="I give 3 or")
    found = read_reply(reader, "I give 3 or 4", target)
    assert isinstance(found, Unread)
    assert "different verdict with the prefix than without it" in found.reason
