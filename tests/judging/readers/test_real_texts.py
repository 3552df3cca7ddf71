"""Readers on published judgements: replies put together from their stored parts, and real texts around real labels.

What is stored there are labels and reasons, not whole replies, but for one: so each reply is written again in the form
of its evaluator, with the reason (or another text of the set) as its critique. Expected is the label that stands there.
"""

import gzip
import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from judging.readers.reader import ReaderTarget, Unread, read_reply, reader_named, readers
from judging.readers.scales import Scale

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
PANDALM, AUTO_J = DATA / "pandalm_testset.jsonl.gz", DATA / "autoj_pairwise.jsonl.gz"
GPT_4, URS = DATA / "llmfao_pairs-crowd.jsonl.gz", DATA / "urs_real_judge_output.json"
TEN = Scale(1, 10)
LEAST = 0.99  # of well-formed replies; none may be misread

pytestmark = pytest.mark.skipif(
    not PANDALM.exists() and not os.environ.get("CI"), reason=f"needs the published judgements in {DATA}"
)


@cache
def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def compared(slug: str, replies: Iterator[tuple[str, float | str]], scale: Scale | None = None) -> tuple[int, int, int]:
    """(replies, read as their label says, read as anything else)."""
    found = [(read_reply(readers()[slug], reply, ReaderTarget(scale)), label) for reply, label in replies]
    right = sum(value == label for value, label in found)
    return len(found), right, sum(not isinstance(value, Unread) and value != label for value, label in found)


def assert_read(slug: str, replies: Iterator[tuple[str, float | str]], least: int, scale: Scale | None = None) -> None:
    n, right, wrong = compared(slug, replies, scale)
    assert n >= least
    assert wrong == 0
    assert right >= LEAST * n, f"{right} of {n}"


# --- PandaLM: result and reason of two evaluators ---------------------------------------------------------------------
def pandalm_replies(who: str) -> Iterator[tuple[str, str]]:
    names = {"1": "first", "2": "second", "0": "tie", "Tie": "tie"}
    for row in rows(PANDALM):
        result = str(row[f"{who}_result"])
        if result in names:
            word = "Tie" if result in ("0", "Tie") else result
            yield f"{word}\n\n### Reason: {row[f'{who}_reason']}\n\n### Reference: {row['response1']}", names[result]


@pytest.mark.parametrize(("who", "least"), [("pandalm", 999), ("gpt35", 974)])
def test_pandalm_results_with_their_reasons(who: str, least: int) -> None:
    assert_read("pandalm", pandalm_replies(who), least)


def test_pandalm_replies_that_its_authors_could_not_read_are_unread() -> None:
    garbage = [row for row in rows(PANDALM) if row["gpt35_result"] == "garbage"]
    assert len(garbage) == 25
    assert all(
        isinstance(read_reply(readers()["pandalm"], row["gpt35_reason"], ReaderTarget(None)), Unread) for row in garbage
    )


# --- Auto-J: its decisions about 1,392 pairs, in both orders ----------------------------------------------------------
NAMES = ("first", "second", "tie")


@pytest.mark.parametrize("column", ["autoj_output", "autoj_output_swapped_raw"])
def test_auto_j_decisions_behind_texts_of_its_pairs(column: str) -> None:
    """The critique quotes the first response, whatever it says."""
    words = ("Response 1", "Response 2", "Tie")
    replies = (
        (f"1. {row['response 1']}\n2. So, the final decision is {words[int(row[column])]}.", NAMES[int(row[column])])
        for row in rows(AUTO_J)
        if int(row[column]) in (0, 1, 2)
    )
    assert_read("auto-j", replies, 1380)


# --- real texts as critiques, in every other form ---------------------------------------------------------------------
MARKS: dict[str, tuple[Callable[[str, int], str], Scale | None]] = {
    "mt-bench": (lambda text, label: f"{text}\n\n[[{'ABC'[label]}]]", None),
    "judgelm": (lambda text, label: f"{'8 7 7'[2 * label]} {'6 9 7'[2 * label]}\n{text}", None),
}


@pytest.mark.parametrize("slug", MARKS)
def test_labels_of_people_behind_texts_of_the_same_pairs(slug: str) -> None:
    form, scale = MARKS[slug]
    replies = ((form(row["response 2"], int(row["label"])), NAMES[int(row["label"])]) for row in rows(AUTO_J))
    assert_read(slug, replies, 1392, scale)


@pytest.mark.parametrize(
    ("slug", "mark", "scale"),
    [
        ("prometheus", "Feedback: {text} [RESULT] {n}", Scale(1, 5)),
        ("mt-bench", "{text}\n\nRating: [[{n}]]", Scale(1, 5)),
        ("auto-j", "{text}\n\nRating: [[{n}]]", Scale(1, 5)),
        ("last-number", "{text}\n\n{n}", Scale(1, 5)),
    ],
)
def test_scores_behind_answers_of_59_models(slug: str, mark: str, scale: Scale) -> None:
    replies = (
        (mark.format(text=row["result_x"], n=place % 5 + 1), float(place % 5 + 1))
        for place, row in enumerate(rows(GPT_4))
    )
    assert_read(slug, replies, 2139, scale)


def test_answers_without_a_mark_are_never_read_as_a_verdict() -> None:
    """The texts alone: what is no judgement gives none."""
    for slug in ("prometheus", "mt-bench", "auto-j"):
        found = [read_reply(readers()[slug], row["result_x"], ReaderTarget(None)) for row in rows(GPT_4)]
        assert [value for value in found if not isinstance(value, Unread)] == [], slug


# --- the only whole reply ---------------------------------------------------------------------------------------------
def test_scores_of_the_real_reply_to_the_urs_prompt() -> None:
    reply = json.loads(URS.read_text("utf-8"))["judge_output"]
    factual = reader_named("regex", r"\(Factuality\)(?:[^\d]|(?!打分)\d)*?打分：(\d+)")
    assert read_reply(factual, reply, ReaderTarget(TEN)) == 9
    assert isinstance(
        read_reply(reader_named("regex", r"打分：(\d+)"), reply, ReaderTarget(TEN)), Unread
    )  # 9, 8 and more
