"""Training examples: chats of one step each, pairs of answers, the choice of a lead, and the wordings of the chats.

Wordings and messages are made by the same code as those of runs, so chats have exactly the words in which a model is
asked. Only the last step of bridging, a judgement in the manner of another judge, is asked by no run; its wording is
here.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from annotate.engine import prompts
from annotate.kinds.protocol import CallFailed, JudgedItem, Message, Prompts
from annotate.models import Project, Run
from annotate.releases.actions import ReleaseFilters
from judging.strategies.branches.criterion_scores import FAMILY
from judging.strategies.branches.strategies import messages_of, showing_b_first
from judging.strategies.strategy import ShownCase
from lib.texts import prompt_texts
from lib.texts.fencing import SCOPE as SYSTEM
from lib.texts.fencing import fenced
from lib.texts.prompt_texts import Texts

CRITERIA, GUIDELINES, JUDGEMENTS, CORRECTIONS = "criteria", "guidelines", "judgements", "corrections"
REVERSE_CRITERIA, REVERSE_GUIDELINES = "reverse_criteria", "reverse_guidelines"
REVERSE_JUDGEMENTS = "reverse_judgements"
BRANCHING = (CRITERIA, GUIDELINES, JUDGEMENTS, CORRECTIONS)
BRIDGED = (REVERSE_CRITERIA, REVERSE_GUIDELINES, REVERSE_JUDGEMENTS)
STEPS = (*BRANCHING, *BRIDGED)
PAIRS = "preferences.dpo"
FILES = (*STEPS, PAIRS)

PEOPLE = "people"
SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}
SPLITS = tuple(SHARES)
# Verdicts of our own judges to include: those equal in both orders, those that also agree with people, all readable
# ones, none.
CONSISTENT, AGREEING, ALL, NONE = "consistent", "agreeing", "all", "none"
JUDGES = (CONSISTENT, AGREEING, ALL, NONE)


@dataclass(frozen=True)
class TrainingChoice:
    """filters: which items, and the splits into which they fall. judges: one of JUDGES."""

    filters: ReleaseFilters = field(default_factory=lambda: ReleaseFilters(splits=dict(SHARES)))
    judges: str = CONSISTENT

    def split_of(self, query: str) -> str:
        """The split of a query: the same for all rows about it, regardless of blanks."""
        return self.filters.split_of(folded(query)) or SPLITS[0]


@dataclass(frozen=True)
class Chat:
    """One turn of one step. query: the first request. source: `people`, or the judge.

    parts: the input from which the messages are made lazily, because making them takes longest.
    """

    step: str
    query: str
    parts: Sequence[Any]
    worded: Callable[..., Sequence[Message]]
    key: str
    source: str = PEOPLE

    @property
    def messages(self) -> Sequence[Message]:
        return self.worded(*self.parts)

    def said(self) -> Any:
        """A key that is equal for chats with equal messages."""
        return [list(part.items()) if isinstance(part, Mapping) else part for part in self.parts]

    def row(self, split: str) -> dict[str, Any]:
        messages = [dict(message) for message in self.messages]
        return {"messages": messages, "step": self.step, "split": split} | _origin(self)


@dataclass(frozen=True)
class TrainingPair:
    """A better and a worse answer to one prompt, a text or a list of turns.

    sort: `correction` (better: what people made of the other), `scores` (the larger sum), `label` (people's label,
    where nobody gave scores), `votes` (most people), or `verdict` (a judge, in both orders).
    margin: by how much, 0 to 1; None where nothing says it.
    """

    query: str
    prompt: Any
    chosen: str
    rejected: str
    sort: str
    key: str
    source: str = PEOPLE
    margin: float | None = None
    votes: int | None = None
    step: str = PAIRS

    def said(self) -> Any:
        return [self.prompt, self.chosen, self.rejected]

    def row(self, split: str) -> dict[str, Any]:
        record = {"prompt": self.prompt, "chosen": self.chosen, "rejected": self.rejected, "sort": self.sort}
        return record | {"margin": self.margin, "votes": self.votes, "split": split} | _origin(self)


Example = Chat | TrainingPair


def _origin(example: Example) -> dict[str, Any]:
    return {"query": query_id(example.query), "key": example.key, "source": example.source}


def folded(query: str) -> str:
    return " ".join(query.split())


def query_id(query: str) -> str:
    """The id of a query in rows, whatever their split and step."""
    return hashlib.sha256(folded(query).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def conversation_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """A conversation as one text; a single turn unchanged."""
    if len(messages) == 1:
        return str(messages[0]["content"])
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)


# Wordings.


PROMPTS = Path(__file__).with_name("prompts")
CORRECT = "correct"  # the scope of the prompts of corrections
LANGUAGES = ("en", "zh")
NAMED = {
    "en": {"only": "The response:", "first": "Response A, the first:", "second": "Response B, the second:"},
    "zh": {"only": "回复：", "first": "回复 A（第一个）：", "second": "回复 B（第二个）："},
}


@dataclass(frozen=True)
class Wordings:
    """The wordings of the steps of judging, of corrections and of bridging."""

    judging: Prompts
    correcting: Prompts
    bridging: Prompts

    @cached_property
    def rule_of_judging(self) -> Texts:
        return _own_rule(self.judging)

    @cached_property
    def rule_of_correcting(self) -> Texts:
        return _own_rule(self.correcting)

    def of_judging(self, run: Run) -> "Wordings":
        """The wordings with those of this run, if it has any."""
        planned = prompts.of_run(run)
        return replace(self, judging=planned) if planned.texts else self

    def of_correcting(self, run: Run) -> "Wordings":
        planned = prompts.of_run(run)
        return replace(self, correcting=planned) if planned.texts else self


def in_use(project: Project) -> Wordings:
    """The wordings that a run planned now would have; none of bridging for a kind without such runs."""
    bridging = prompts.in_use(project, project.kind.slug) if project.kind.bridging_steps else Prompts({})
    return Wordings(prompts.in_use(project, FAMILY), prompts.in_use(project, CORRECT), bridging)


def _own_rule(run_prompts: Prompts) -> Texts:
    """The texts of the system scope among those of a run, if the project has written its own."""
    shipped = prompt_texts.shipped_texts(SYSTEM)
    rules = {key: text for key, text in run_prompts.parts.items() if key[0] == SYSTEM}
    return {key: text for key, text in rules.items() if shipped.get(key[1:]) != text}


@dataclass(frozen=True)
class QuestionMaterial:
    """The input of a question to a judge or corrector. b_first: the second answer is above the first.

    rule: the texts of the system scope that the project of the run has written anew.
    """

    wording: str
    turns: Sequence[Message]
    first: str = ""
    second: str | None = None
    b_first: bool = False
    rule: Texts = field(default_factory=dict)

    def messages(self, language: str, texts: Mapping[str, str]) -> list[dict[str, str]]:
        case = ShownCase(JudgedItem(self.turns), self.first, self.second, language=language)
        with prompt_texts.using(self.rule):
            return messages_of(self.wording, case, texts, b_first=self.b_first)

    def as_json(self) -> list[Any]:
        parts = [self.wording, [dict(turn) for turn in self.turns], self.first, self.second, self.b_first]
        return [*parts, sorted(self.rule.values())] if self.rule else parts


def judge_chat(material: QuestionMaterial, language: str, texts: Mapping[str, str], answer: Any) -> list[Message]:
    """A chat of three turns. answer: becomes JSON."""
    return [*material.messages(language, texts), _assistant(answer)]


def bridging_chat(wording: str, language: str, texts: Mapping[str, str], answer: Any) -> list[Message]:
    return [*fenced(wording, texts, language=language).messages(), _assistant(answer)]


def manner_chat(language: str, texts: Mapping[str, str], answer: str) -> list[Message]:
    """texts: slot -> text; `only`, `first` and `second` are responses, shown in their order in the mapping."""
    language = language if language in LANGUAGES else "en"
    responses = "\n\n".join(f"{NAMED[language][name]}\n\n{{{{ {name} }}}}" for name in texts if name in NAMED["en"])
    wording = _manner_wording(language).replace("{{ responses }}", responses)
    return [*fenced(wording, texts, language=language).messages(), _assistant(answer)]


def can_turn(wording: str) -> bool:
    """Whether the second answer can be above the first in this wording, each under its own label."""
    try:
        showing_b_first(wording)
    except CallFailed:
        return False
    return True


def _assistant(answer: Any) -> Message:
    content = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, allow_nan=False)
    return {"role": "assistant", "content": content}


@cache
def _manner_wording(language: str) -> str:
    return (PROMPTS / f"reverse-judgement.{language}.md").read_text("utf-8").strip()
