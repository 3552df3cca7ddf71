"""For what conversations are collected: the rules that choose them, and the row that is made of one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.formats.chatlog.conversations import Conversation

Row = dict[str, Any]


@dataclass(frozen=True)
class Scenario:
    """kind: of whose projects. rules: names of those that choose, as long as nobody says otherwise."""

    slug: str
    kind: str
    name: str | Promise
    about: str | Promise
    rules: Sequence[str]
    row: Callable[[Conversation], Row]


def _correction(talk: Conversation) -> Row:
    """What the user said to the first answer is the feedback that people refine; a rated answer has none."""
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
            _("Dialogues in which the assistant took something back, and of scored answers to a question the worst."),
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
            _("Dialogues that people voted for, and of scored answers to a question the best."),
            ("answered", "tokens", "unflagged", "upvoted", "highest_scored", "score_above"),
            _maintenance,
        ),
        Scenario(
            "use_case",
            "use_case",
            _("Use cases"),
            _("What people really asked, to be vetted and given an intent."),
            ("tokens", "unflagged"),
            _use_case,
        ),
    )
}


def scenarios_of(kind: str) -> list[Scenario]:
    return [scenario for scenario in SCENARIOS.values() if scenario.kind == kind]
