"""Conversations of a log from any service or dataset: their turns and metadata, and the scenarios that collect them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from lib.texts.conversations import Turn, UnreadableConversation, turns_of

_LATEST = 4_102_444_800  # seconds: a number beyond the year 2100 counts milliseconds


@dataclass(frozen=True, slots=True)
class Conversation:
    """turns begin with the user's. Everything else is None if the log does not say it.

    score: the score of the answer. votes: votes for it minus votes against it. retrieved: whether the answer used
    retrieval. flagged: whether anything in it was marked as unsafe or redacted. lowest, highest: whether this one has
    the lowest or highest score of all scored answers to its question; of equal scores the first (see selection.py).
    """

    turns: Sequence[Turn]
    created: date | None = None
    score: float | None = None
    votes: int | None = None
    flagged: bool | None = None
    retrieved: bool | None = None
    lowest: bool | None = None
    highest: bool | None = None

    @property
    def rated(self) -> bool:
        """An answer with a score: preference data, not a dialogue that somebody had."""
        return self.score is not None

    @property
    def asked(self) -> Sequence[str]:
        return [turn["content"] for turn in self.turns if turn["role"] == "user"]

    @property
    def answered(self) -> Sequence[str]:
        return [turn["content"] for turn in self.turns if turn["role"] == "assistant"]


class UnknownShape(ValueError):
    """No reader knows the shape of the row."""


def conversation(row: Mapping[str, Any]) -> Conversation:
    """Raises UnknownShape, or Unreadable if the row holds no conversation that begins with a user's words."""
    turns = _rated(row) if _is_rated(row) else _turns(row)
    return Conversation(turns, _created(row), _score(row), _votes(row), _flagged(row), _retrieved(row))


def _turns(row: Mapping[str, Any]) -> list[Turn]:
    """Lists of messages, of `from` and `value`, and message trees of services, in the shapes that the survey also
    reads.
    """
    if not any(isinstance(row.get(name), list | dict) for name in HOLDS_TURNS):
        raise UnknownShape
    return turns_of(row)


HOLDS_TURNS = ("messages", "conversations", "conversation", "chat_messages", "turns", "mapping")
_QUERY = ("prompt", "instruction", "question", "query")
_REPLY = ("response", "answer", "output", "completion")


def _is_rated(row: Mapping[str, Any]) -> bool:
    return any(isinstance(row.get(name), str) for name in _QUERY) and _first(row, _REPLY, str) is not None


def _rated(row: Mapping[str, Any]) -> list[Turn]:
    """One question and one answer, as preference data holds them."""
    query, reply = _first(row, _QUERY, str), _first(row, _REPLY, str)
    input_text = row.get("input")
    whole = f"{query}\n\n{input_text}" if isinstance(input_text, str) and input_text.strip() else query
    turns = turns_of([{"role": "user", "content": whole}, {"role": "assistant", "content": reply}])
    if len(turns) < 2:
        raise UnreadableConversation
    return turns


def _first(row: Mapping[str, Any], names: Sequence[str], value_type: Any) -> Any:
    """The value of the first of these names that has this type; true and false do not count as numbers."""
    return next((row[n] for n in names if isinstance(row.get(n), value_type) and not isinstance(row[n], bool)), None)


def _created(row: Mapping[str, Any]) -> date | None:
    names = ("timestamp", "created_at", "create_time", "created", "date", "time")
    dates = [_date(row.get(name)) for name in names]
    dates += [_date(message.get(name)) for message in islice(_messages(row), 1) for name in names]
    return next((day for day in dates if day), None)


def _date(value: Any) -> date | None:
    """A time in seconds or milliseconds, or in ISO 8601; the day is that of its own time zone."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _LATEST else value, UTC).date()
        if isinstance(value, dict):  # as MongoDB and BSON write it
            return _date(value.get("$date"))
        return datetime.fromisoformat(value.strip().replace(" UTC", "")).date() if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _score(row: Mapping[str, Any]) -> float | None:
    score = _first(row, ("score", "rating", "overall_score", "quality", "helpfulness"), int | float)
    return float(score) if score is not None else None


def _votes(row: Mapping[str, Any]) -> int | None:
    """Votes on the conversation, and on its answers if they have any."""
    votes = [_vote(record) for record in (row, *_messages(row))]
    counted = [vote for vote in votes if vote is not None]
    return sum(counted) if counted else None


_WORDS = {"up": 1, "upvote": 1, "like": 1, "liked": 1, "thumbs_up": 1, "thumbsup": 1, "good": 1, "positive": 1}
_WORDS |= {"down": -1, "downvote": -1, "dislike": -1, "disliked": -1, "thumbs_down": -1, "bad": -1, "negative": -1}


def _vote(record: Mapping[str, Any]) -> int | None:
    up, down = (_first(record, names, int) for names in (("upvotes", "likes", "thumbs_up"), ("downvotes", "dislikes")))
    if up is not None or down is not None:
        return (up or 0) - (down or 0)
    vote = next((record[name] for name in ("vote", "feedback", "rating", "upvoted", "liked") if name in record), None)
    if isinstance(vote, bool):
        return 1 if vote else -1
    return _WORDS.get(vote.strip().casefold().replace(" ", "_")) if isinstance(vote, str) else None


def _flagged(row: Mapping[str, Any]) -> bool | None:
    flags = [value for record in (row, *_messages(row)) for value in _flags(record)]
    return any(flags) if flags else None


def _flags(record: Mapping[str, Any]) -> Iterator[bool]:
    for name in ("toxic", "redacted", "flagged", "unsafe", "nsfw"):
        if isinstance(record.get(name), bool):
            yield record[name]
    moderation = record.get("openai_moderation") or record.get("moderation")
    for entry in moderation if isinstance(moderation, list) else [moderation]:
        if isinstance(entry, dict) and isinstance(entry.get("flagged"), bool):
            yield entry["flagged"]


def _retrieved(row: Mapping[str, Any]) -> bool | None:
    names = ("retrieval", "retrieved", "web_search", "search", "browsing", "citations", "sources")
    marks = [
        record[name] for record in (row, *_messages(row)) for name in names if isinstance(record.get(name), bool | list)
    ]
    return any(bool(mark) for mark in marks) if marks else None


def _messages(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    turns = next((row[name] for name in HOLDS_TURNS if isinstance(row.get(name), list)), ())
    yield from (turn for turn in turns if isinstance(turn, dict))


# Scenarios: the rules that select conversations for a purpose, and the row that is made from one.


Row = dict[str, Any]


@dataclass(frozen=True)
class Scenario:
    """kind: of the projects that it is for. rules: names of its rules, unless others are chosen."""

    slug: str
    kind: str
    name: str | Promise
    about: str | Promise
    rules: Sequence[str]
    row: Callable[[Conversation], Row]


def _correction(talk: Conversation) -> Row:
    """The user's reaction to the first answer is the feedback that people refine; a rated answer has none."""
    feedback = {"feedback": talk.asked[1]} if len(talk.asked) > 1 else {}
    return _sample(talk, "Error Correction") | feedback


def _maintenance(talk: Conversation) -> Row:
    return _sample(talk, "Response Maintenance")


def _sample(talk: Conversation, scenario: str) -> Row:
    return {
        "bench_type": scenario,
        "user_query": talk.asked[0],
        "origin_first_response": next(iter(talk.answered), ""),
    }


def _use_case(talk: Conversation) -> Row:
    return {"question": talk.asked[0], "conversation": [dict(turn) for turn in talk.turns]}


SCENARIOS: Mapping[str, Scenario] = {
    scenario.slug: scenario
    for scenario in (
        Scenario(
            "error_correction",
            "feedback",
            _("Error correction"),
            _("Dialogues in which the assistant took something back, and the lowest-scored answer to each question."),
            (
                *("answered", "multi_turn", "since", "apology", "tokens"),
                *("no_retrieval", "unflagged", "lowest_scored", "score_below"),
            ),
            _correction,
        ),
        Scenario(
            "response_maintenance",
            "feedback",
            _("Response maintenance"),
            _("Dialogues that people voted for, and the highest-scored answer to each question."),
            ("answered", "tokens", "unflagged", "upvoted", "highest_scored", "score_above"),
            _maintenance,
        ),
        Scenario(
            "use_case",
            "use_case",
            _("Use cases"),
            _("Real questions from users, to be vetted and labelled with an intent."),
            ("tokens", "unflagged"),
            _use_case,
        ),
    )
}


def scenarios_of(kind: str) -> list[Scenario]:
    return [scenario for scenario in SCENARIOS.values() if scenario.kind == kind]
