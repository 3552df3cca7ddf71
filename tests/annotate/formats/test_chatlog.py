"""Logs of chat services: the shapes that are known, each rule, and files that nobody should send."""

import gzip
import json
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.chatlog import selection
from annotate.formats.chatlog.conversations import Conversation, UnknownShape, conversation
from annotate.formats.chatlog.rules import APOLOGIES, RULES, Since
from annotate.formats.chatlog.selection import UNLISTED, choose, conversations, count_conversations
from annotate.formats.format import BadOption
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Limits, Source
from lib.texts.conversations import UnreadableConversation

TALK = ["How many moons has Mars?", "Three.", "Two, I think.", "Sorry, you are right: two."]
OPTIONS = choose("error_correction", {"since": "2026-01-01"}).as_options()


def messages(*said: str, **more: Any) -> dict[str, Any]:
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    return {"messages": turns, **more}


def talk(*said: str, **more: Any) -> Conversation:
    return conversation(messages(*(said or TALK), **more))


# --- shapes ---------------------------------------------------------------------------------------------------------
SHAPES: dict[str, dict[str, Any]] = {
    "messages": messages(*TALK),
    "a system's message before": {
        "messages": [{"role": "system", "content": "Be kind."}, *messages(*TALK)["messages"]]
    },
    "from and value": {
        "conversations": [{"from": ("human", "gpt")[place % 2], "value": text} for place, text in enumerate(TALK)]
    },
    "parts": {"messages": [{"role": one["role"], "content": [{"type": "text", "text": one["content"]}]}
                           for one in messages(*TALK)["messages"]]},
    "WildChat": {"conversation": [one | {"toxic": False, "language": "English"} for one in messages(*TALK)["messages"]],
                 "toxic": False, "redacted": False, "timestamp": "2026-10-02 10:00:00+00:00"},
    "a tree": {"current_node": "3", "mapping": {
        str(place): {"parent": str(place - 1) if place else None,
                     "message": {"author": {"role": one["role"]}, "content": {"parts": [one["content"]]}}}
        for place, one in enumerate(messages(*TALK)["messages"])}},
}  # fmt: skip


@pytest.mark.parametrize("row", SHAPES.values(), ids=SHAPES)
def test_each_shape_holds_the_same_turns(row: dict[str, Any]) -> None:
    found = conversation(row)
    assert [turn["content"] for turn in found.turns] == TALK
    assert found.asked[1] == TALK[2]
    assert found.answered[1] == TALK[3]


def test_a_prompt_with_its_response_and_score_is_a_rated_answer() -> None:
    found = conversation({"instruction": "Add.", "input": "1 and 2", "output": "3", "score": 4})
    assert [turn["content"] for turn in found.turns] == ["Add.\n\n1 and 2", "3"]
    assert (found.rated, found.score) == (True, 4.0)


@pytest.mark.parametrize(
    ("more", "name", "value"),
    [
        ({"timestamp": "2026-10-02T01:02:03Z"}, "created", date(2026, 10, 2)),
        ({"create_time": 1_790_000_000}, "created", date(2026, 9, 21)),
        ({"created": 1_790_000_000_000}, "created", date(2026, 9, 21)),
        ({"timestamp": {"$date": "2026-10-02"}}, "created", date(2026, 10, 2)),
        ({"timestamp": "last week"}, "created", None),
        ({"timestamp": 1e300}, "created", None),
        ({"timestamp": True}, "created", None),
        ({}, "created", None),
        ({"upvotes": 3, "downvotes": 1}, "votes", 2),
        ({"feedback": "thumbs up"}, "votes", 1),
        ({"vote": False}, "votes", -1),
        ({"feedback": "no idea"}, "votes", None),
        ({"toxic": True}, "flagged", True),
        ({"openai_moderation": [{"flagged": False}, {"flagged": True}]}, "flagged", True),
        ({"redacted": False}, "flagged", False),
        ({"toxic": "yes"}, "flagged", None),
        ({"search": True}, "retrieved", True),
        ({"citations": []}, "retrieved", False),
        ({}, "retrieved", None),
        ({"score": True}, "score", None),
    ],
)
def test_what_a_log_says_of_a_talk_is_read_and_else_is_none(more: dict[str, Any], name: str, value: Any) -> None:
    assert getattr(talk(**more), name) == value


def test_votes_and_flags_of_single_answers_count() -> None:
    row = messages(*TALK)
    row["messages"][1] |= {"vote": "up"}
    row["messages"][3] |= {"vote": "down", "toxic": True}
    found = conversation(row)
    assert (found.votes, found.flagged) == (0, True)


@pytest.mark.parametrize(
    "row", [{}, {"text": "x"}, {"messages": "x"}, {"messages": None}, {"prompt": 5, "response": "x"}]
)
def test_another_shape_is_unknown(row: dict[str, Any]) -> None:
    with pytest.raises(UnknownShape):
        conversation(row)


@pytest.mark.parametrize(
    "row", [{"messages": []}, {"messages": [{"role": "assistant", "content": "Hi"}]}, {"messages": [5, None, []]},
            {"messages": [{"role": "user", "content": " "}]}, {"mapping": {"a": {"parent": "a"}}},
            {"prompt": " ", "response": "x"}],
)  # fmt: skip
def test_a_shape_without_a_users_words_is_unreadable(row: dict[str, Any]) -> None:
    with pytest.raises(UnreadableConversation):
        conversation(row)


NAMES = st.sampled_from(
    ["messages", "conversation", "mapping", "role", "content", "author", "parts", "text", "score", "timestamp",
     "upvotes", "vote", "openai_moderation", "flagged", "current_node", "parent", "message", "prompt", "response"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_whatever_a_row_holds_it_is_a_talk_or_none(row: dict[str, Any]) -> None:
    try:
        found = conversation(row)
    except (UnknownShape, UnreadableConversation):
        return
    assert found.turns[0]["role"] == "user"


# --- rules ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "value", "kept", "left_out"),
    [
        ("answered", "", talk("A?", "B."), talk("A?")),
        ("multi_turn", "2", talk(), talk("A?", "B.")),
        ("since", "2026-10-02", talk(timestamp="2026-10-02"), talk(timestamp="2026-10-01")),
        ("apology", "", talk(), talk("A?", "Sorry.", "B?", "No.")),  # the second answer, not the first
        ("apology", "sorry", talk("A?", "B.", "C?", "SORRY!"), talk("A?", "B.", "C?", "Sorrysome.")),
        ("apology", "抱歉", talk("甲？", "乙", "丙？", "非常抱歉，是丁"), talk("甲？", "乙", "丙？", "好的")),
        ("apology", "you're right", talk("A?", "B.", "C?", "You’re right."), talk("A?", "B.", "C?", "right")),
        ("tokens", "5", talk("one two", "three."), talk("one two", "three four.")),  # 4 and 5, the dots counted
        ("tokens", "5", talk("一二", "三四"), talk("一二三", "四五")),
        ("unflagged", "", talk(toxic=False), talk(toxic=True)),
        ("no_retrieval", "", talk(search=False), talk(search=True)),
        ("upvoted", "2", talk(upvotes=3, downvotes=1), talk(upvotes=1)),
    ],
)
def test_a_rule_keeps_what_it_says(name: str, value: str, kept: Conversation, left_out: Conversation) -> None:
    rule = RULES[name](value)
    assert rule.keeps(kept) is True
    assert rule.keeps(left_out) is False


@pytest.mark.parametrize(("name", "score", "kept"), [("score_below", 2.9, True), ("score_below", 3, False),
                                                    ("score_above", 4.5, True), ("score_above", 4, False)])  # fmt: skip
def test_scores_are_compared_strictly(name: str, score: float, kept: bool) -> None:
    assert RULES[name]().keeps(conversation({"prompt": "A?", "response": "B.", "score": score})) is kept


def test_what_a_rule_is_not_about_stays_and_silence_counts_as_each_rule_says() -> None:
    rated = conversation({"prompt": "A?", "response": "B.", "score": 1})
    assert selection.decision(RULES["multi_turn"]("9"), rated)
    assert selection.decision(RULES["score_below"]("0"), talk())
    assert not selection.decision(RULES["since"](), talk())
    assert not selection.decision(RULES["upvoted"](), talk())
    assert selection.decision(RULES["unflagged"](), talk())
    assert selection.decision(RULES["no_retrieval"](), talk())


def test_days_become_a_day_once() -> None:
    before, rule, after = datetime.now(UTC), Since("91"), datetime.now(UTC)
    assert rule.day in {now.date() - timedelta(days=91) for now in (before, after)}  # midnight may lie between
    assert Since(rule.value).day == rule.day


@pytest.mark.parametrize("phrase", [phrase for phrases in APOLOGIES.values() for phrase in phrases])
def test_every_phrase_of_ours_is_found(phrase: str) -> None:
    assert RULES["apology"]().keeps(talk("A?", "B.", "C?", f"… {phrase} …"))


def test_a_choice_is_read_as_it_was_written() -> None:
    chosen = choose(
        "error_correction", {"tokens": "off", "upvoted": "2", "since": "2026-10-01", "apology": "désolé|抱歉"}
    )
    chosen = chosen.replacing(["email"], [(3, 0, 1), (1, 2, 0)])
    again = selection.parse_options(chosen.as_options())
    assert again.as_options() == chosen.as_options()
    assert [rule.name for rule in again.rules] == [
        "answered", "multi_turn", "since", "apology", "no_retrieval", "unflagged", "upvoted", "lowest_scored",
        "score_below",
    ]  # fmt: skip
    assert (again.replaces, again.stays) == ({"email"}, {(1, 2, 0), (3, 0, 1)})


@pytest.mark.parametrize(
    "options", [{}, {"scenario": "x"}, {"scenario": "use_case", "rules": "["}, {"scenario": "use_case", "rules": "[1]"},
                {"scenario": "use_case", "rules": '{"since": 5}'}, {"scenario": "use_case", "rules": '{"x": "1"}'}],
)  # fmt: skip
def test_a_choice_that_does_not_read_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(BadOption):
        selection.parse_options(options)


# --- files -------------------------------------------------------------------------------------------------
def line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


GOOD = line(messages(*TALK, timestamp="2026-10-02"))
BAD: dict[str, tuple[bytes, int, int | None, str]] = {  # content, rows, line of the first problem, part of its message
    "a line cut off": (GOOD + b'{"messages": [\n' + GOOD, 2, 2, "missing"),
    "prose": (b"Dear all,\n" + GOOD, 1, 1, "Character 1"),
    "a list on a line": (GOOD + b"[1]\n", 1, 2, "must be an object"),
    "another shape": (GOOD + line({"note": "x"}), 1, 2, "no conversation in it"),
    "an assistant alone": (line({"messages": [{"role": "assistant", "content": "x"}]}) + GOOD, 1, 1, "user's words"),
    "roles that nobody has": (line({"messages": [{"role": 7, "content": "x"}]}) + GOOD, 1, 1, "user's words"),
    "NaN": (GOOD + b'{"score": NaN}\n', 1, 2, "not JSON"),
    "1e999": (GOOD + b'{"score": 1e999}\n', 1, 2, "too large"),
    "2**70": (GOOD + b'{"score": %d}\n' % 2**70, 1, 2, "64 bits"),
    "a number of 5,000 digits": (GOOD + b'{"score": ' + b"9" * 5000 + b"}\n", 1, 2, "64 bits"),
    "the same name twice": (GOOD + b'{"messages": [], "messages": []}\n', 1, 2, "twice"),
    "half a surrogate pair": (GOOD + rb'{"prompt": "\ud83d", "response": "x"}' + b"\n", 1, 2, "surrogate"),
    "NUL": (GOOD + rb'{"prompt": "a\u0000", "response": "x"}' + b"\n", 1, 2, "NUL"),
    "bytes that are not UTF-8": (GOOD + b'{"prompt": "\xff"}\n', 1, 2, "UTF-8"),
    "a hundred thousand levels": (GOOD + b"[" * 100_000 + b"\n" + GOOD, 2, 2, "nested"),
    "a line of nine megabytes": (GOOD + b'{"prompt": "' + b"x" * 9 * 2**20 + b'"}\n' + GOOD, 2, 2, "longer"),
    "nothing": (b"", 0, None, "empty"),
    "blank lines": (b"\n\n", 0, None, "no rows"),
    "a zip": (b"PK\x03\x04....", 0, None, ""),
    "a damaged gzip": (gzip.compress(GOOD)[:-9], 0, None, ""),
}


@pytest.mark.parametrize(("content", "rows", "at", "says"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named_and_the_others_are_read(
    content: bytes, rows: int, at: int | None, says: str, tmp_path: Path
) -> None:
    (tmp_path / "log.jsonl").write_bytes(content)
    found = list(UNLISTED.read(tmp_path / "log.jsonl", options=OPTIONS))
    problems = [each for each in found if isinstance(each, Problem)]
    assert problems[0].line == at
    assert says in problems[0].message
    assert rows <= sum(isinstance(each, ImportRow) for each in found) <= rows + (at is None)


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbf" + GOOD, GOOD.replace(b"\n", b"\r\n"), gzip.compress(GOOD), b"[" + GOOD.strip() + b"]",
                line(messages("A\u2028B?", *TALK[1:], timestamp="2026-10-02"))],
    ids=["a byte order mark", "CRLF", "gzip", "an array", "U+2028"],
)  # fmt: skip
def test_what_is_only_unusual_is_read(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(content)
    (row,) = UNLISTED.read(tmp_path / "log.jsonl", options=OPTIONS)
    assert isinstance(row, ImportRow)
    assert row.value["feedback"] == TALK[2]


def test_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        (problem,) = UNLISTED.read(path, options=OPTIONS)
        assert isinstance(problem, Problem)


LARGE = """
import sys
from pathlib import Path
from django.conf import settings
settings.configure(USE_I18N=False)
from annotate.formats.chatlog.selection import UNLISTED, choose, conversations, count_conversations
from annotate.formats.source import Limits, Source

def peak_kib():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

small, large = map(Path, sys.argv[1:])
chosen = choose("error_correction", {"since": "2026-10-01"})
list(UNLISTED.read(small, options=chosen.as_options()))
before = peak_kib()
found = count_conversations(chosen, conversations(Source(large, "log", Limits())), listed=1000)
rows = sum(1 for _row in UNLISTED.read(large, options=chosen.as_options()))
print(found.read, found.left, rows, (peak_kib() - before) // 1024)
"""


@pytest.mark.slow
def test_two_hundred_megabytes_are_counted_and_read_in_little_memory(tmp_path: Path) -> None:
    """One in fifty is kept; a block of fifty lines is written again and again."""
    other = line(messages(*(text * 60 for text in TALK), timestamp="2020-01-01")) * 49
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    small.write_bytes(GOOD)
    blocks = 200 * 2**20 // len(GOOD + other)
    with large.open("wb") as file:
        for _block in range(blocks):
            file.write(GOOD + other)
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(small), str(large)],
        cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False,
    )  # fmt: skip
    large.unlink()
    assert done.returncode == 0, done.stderr
    read, left, rows, growth = map(int, done.stdout.split())
    assert (read, left, rows) == (50 * blocks, blocks, blocks)
    assert growth < 100


# --- several answers to one question ----------------------------------------------------------------------------------
def scored(score: float, *, prompt: str = "How many moons has Mars?", answer: str = "") -> dict[str, Any]:
    return {"prompt": prompt, "response": answer or f"Answer with {score}.", "score": score}


def picked(tmp_path: Path, scenario: str, *rows: dict[str, Any], **rules: str) -> list[str]:
    path = tmp_path / "scored.jsonl"
    path.write_bytes(b"".join(line(row) for row in rows))
    found = list(UNLISTED.read(path, options=choose(scenario, rules).as_options()))
    return [str(row.value["origin_first_response"]) for row in found if isinstance(row, ImportRow)]


def test_of_several_answers_to_one_question_only_the_lowest_is_corrected(tmp_path: Path) -> None:
    three = [scored(2), scored(1), scored(2.5)]
    assert picked(tmp_path, "error_correction", *three) == ["Answer with 1."]
    assert picked(tmp_path, "error_correction", *three, lowest_scored="off") == [
        "Answer with 2.", "Answer with 1.", "Answer with 2.5.",
    ]  # fmt: skip


def test_of_several_answers_to_one_question_only_the_highest_is_maintained(tmp_path: Path) -> None:
    rows = [scored(4.5), scored(5), scored(4.2)]
    assert picked(tmp_path, "response_maintenance", *rows) == ["Answer with 5."]


def test_the_threshold_holds_for_the_lowest_too(tmp_path: Path) -> None:
    assert picked(tmp_path, "error_correction", scored(3.5), scored(4)) == []
    assert picked(tmp_path, "response_maintenance", scored(3.5), scored(4)) == []


def test_of_equal_scores_the_first_counts_and_each_question_is_compared_by_itself(tmp_path: Path) -> None:
    rows = [
        scored(1, answer="a"),
        scored(1, answer="b", prompt="How  many moons\nhas Mars?"),
        scored(2, prompt="And Venus?", answer="c"),
        messages(*TALK, timestamp="2026-10-02"),
    ]
    assert picked(tmp_path, "error_correction", *rows, since="2026-01-01") == ["a", "c", TALK[1]]


def test_it_is_told_how_many_the_rule_cuts(tmp_path: Path) -> None:
    path = tmp_path / "scored.jsonl"
    path.write_bytes(b"".join(line(scored(score)) for score in (2, 1, 2.5)) + line(scored(4, prompt="Why?")))
    chosen = choose("error_correction")
    found = count_conversations(chosen, conversations(Source(path, "log", Limits()), compare=chosen.compares))
    told = {one.rule.name: (one.of, one.alone, one.left, one.cut) for one in found.tallies}
    assert told["lowest_scored"] == (4, 2, 2, 2)
    assert told["score_below"] == (4, 3, 1, 1)


def test_settings_that_were_stored_before_a_rule_came_do_not_gain_it() -> None:
    stored = choose("error_correction").as_options()
    rules = {name: value for name, value in json.loads(stored["rules"]).items() if not name.endswith("est_scored")}
    names = [rule.name for rule in selection.parse_options(stored | {"rules": json.dumps(rules)}).rules]
    assert "lowest_scored" not in names
    assert "lowest_scored" in [rule.name for rule in selection.parse_options(stored).rules]
