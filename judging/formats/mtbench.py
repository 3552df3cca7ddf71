"""Votes of MT-Bench: a row is the vote of one expert, one author of the benchmark or one judge on two conversations.

The winner is named by its model, so the order in which a row, or a voter, had the two does not matter. A row may lack
both conversations: then it only says who prefers which model, and nobody can judge the pair again. Source of the
shape: the public human judgements of MT-Bench (arXiv 2306.05685).
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.rows import ImportRow
from judging.formats.fields import (
    MOST_AUTHOR,
    MOST_RATER,
    VoteFormat,
    checked_name,
    label_of,
    name_of,
    number_of,
    value_of,
)
from judging.formats.format import AnswerSide, BadJudgementValue, FileVote, JudgeStatement, Voted
from lib.texts.stored_sentences import say as _

PERSON = re.compile(r"(expert|author)(_\d+)?")
WINNERS: Mapping[Any, str | None] = {
    "model_a": "first",
    "model_b": "second",
    "tie": "tie",
    "tie (inconsistent)": "tie",  # the judge was asked in both orders, and the two did not agree
    "error": None,
}
SIDES = {"first": ("model_a", "conversation_a"), "second": ("model_b", "conversation_b")}
KEPT_OF_A_DIGEST = 12
KEY = re.compile(rf"mtbench-\d+-[12]-[0-9a-f]{{{KEPT_OF_A_DIGEST}}}", re.ASCII)


class MtBench(VoteFormat):
    slug = "mtbench"
    kinds = frozenset({"preference", "branching"})
    name = gettext_lazy("MT-Bench: votes of experts, authors and judges, by turn")

    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        value = row.value
        turn = _turn(value)
        has_texts = any(value.get(conversation) is not None for _model, conversation in SIDES.values())
        prompt = _questions_until(value, turn) if has_texts else _unknown(value, turn)
        sides = {
            choice: AnswerSide(name_of(value, model), _answer_text(value, text, turn) if has_texts else None)
            for choice, (model, text) in SIDES.items()
        }
        if sides["first"].author == sides["second"].author:
            raise BadJudgementValue("model_b", _("is the same model as model_a."))
        order = sorted(sides, key=lambda choice: (_digest(sides[choice].text or ""), sides[choice].author))
        choice = label_of(value, "winner", WINNERS)
        called = dict(zip(order, ("first", "second"), strict=True)).get(choice or "", choice)
        first, second = (sides[side_name] for side_name in order)
        votes, verdicts = _votes_and_statements(value, called)
        return Voted(
            line=row.line,
            key=_key(value, turn, prompt, first, second),
            facts={"prompt": prompt, "first": first.text or "", "second": second.text or ""},
            sides=[first, second],
            group=f"turn {turn}",
            votes=votes,
            said=verdicts,
        )


def _turn(value: Mapping[str, Any]) -> int:
    turn = number_of(value, "turn")
    if turn not in (1, 2):
        raise BadJudgementValue("turn", _("must be 1 or 2."))
    return turn


def _key(value: Mapping[str, Any], turn: int, prompt: str, first: AnswerSide, second: AnswerSide) -> str:
    """A key from the question, the turn and the texts, or the models if there are no texts; it contains no name."""
    number = number_of(value, "question_id")
    parts = [side.author if side.text is None else side.text for side in (first, second)]
    return f"mtbench-{number}-{turn}-{_digest(prompt, *parts)[:KEPT_OF_A_DIGEST]}"


def is_order_known(key: str) -> bool:
    """Whether a pair is stored in an order that a rater saw. For this format that is unknown: its votes and verdicts
    name models, and the answers are stored in the order of their digests."""
    return KEY.fullmatch(key) is None


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _questions_until(value: Mapping[str, Any], turn: int) -> str:
    """The questions up to this turn, which are the same in both conversations."""
    questions = [_messages_of(value, conversation, "user", turn) for _model, conversation in SIDES.values()]
    if questions[0] != questions[1]:
        raise BadJudgementValue("conversation_b", _("has other questions than conversation_a."))
    return "\n\n".join(questions[0])


def _unknown(value: Mapping[str, Any], turn: int) -> str:
    return f"Question {number_of(value, 'question_id')} of MT-Bench, turn {turn}: the file of votes holds no texts."


def _answer_text(value: Mapping[str, Any], conversation: str, turn: int) -> str:
    """The judged text: the reply of this turn, after the earlier ones."""
    return "\n\n―――\n\n".join(_messages_of(value, conversation, "assistant", turn))


def _messages_of(value: Mapping[str, Any], conversation: str, role: str, turns: int) -> list[str]:
    messages = value_of(value, conversation)
    if not isinstance(messages, list):
        raise BadJudgementValue(conversation, _("must be a list of messages."))
    contents = [
        _content(message, f"{conversation}[{index}]")
        for index, message in enumerate(messages)
        if _role(message) == role
    ]
    if len(contents) < turns:
        raise BadJudgementValue(conversation, _("ends before turn %(turn)d.") % {"turn": turns})
    return contents[:turns]


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


def _content(message: Mapping[str, Any], path: str) -> str:
    content = message.get("content")
    if not isinstance(content, str):
        raise BadJudgementValue(f"{path}.content", _("must be text."))
    return content


def _votes_and_statements(
    value: Mapping[str, Any], choice: str | None
) -> tuple[Sequence[FileVote], Sequence[JudgeStatement]]:
    """Votes of experts and authors; any other name is a judge, and its second part says how it was asked."""
    who = value_of(value, "judge")
    names = who if isinstance(who, list) and len(who) == 2 else [who, "pairwise"]
    judge_name, method = (
        checked_name(name, "judge", most) for name, most in zip(names, (MOST_AUTHOR, 80), strict=True)
    )
    if not PERSON.fullmatch(judge_name):
        instead = "" if choice else str(value["winner"])
        return [], [JudgeStatement(judge_name, method, path="winner", choice=choice, instead=instead)]
    if choice is None:
        raise BadJudgementValue("winner", _("is not a vote: a person's must be model_a, model_b or tie."))
    rater = checked_name(judge_name, "judge", MOST_RATER)
    return [FileVote(rater, {"choice": choice, "reason": "", "recognised": False})], []


FORMAT = MtBench()
