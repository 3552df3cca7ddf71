"""Chats in the very words in which a model is asked: the wordings and the making of messages are those of its runs.

Only the last step of bridging, a judgement in the manner of another judge, is asked by no run; its wording is here.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from annotate.kinds.branching.preannotation import messages_of as bridging_messages
from annotate.kinds.judged import Judged
from annotate.kinds.protocol import CallFailed, Message, Prompts
from annotate.models import Project, Run
from annotate.services import prompts
from judging.strategies.base import Shown
from judging.strategies.branches.numbering import FAMILY
from judging.strategies.branches.strategies import messages_of, showing_b_first
from lib.texts import own
from lib.texts.fencing import SCOPE as SYSTEM
from lib.texts.fencing import fenced
from lib.texts.own import Texts

PROMPTS = Path(__file__).with_name("prompts")
CORRECT, BRANCHING = "correct", "branching"  # the scopes of the prompts of corrections, and of bridging
LANGUAGES = ("en", "zh")
NAMED = {
    "en": {"only": "The response:", "first": "Response A, the first:", "second": "Response B, the second:"},
    "zh": {"only": "回复：", "first": "回复 A（第一个）：", "second": "回复 B（第二个）："},
}


@dataclass(frozen=True)
class Wordings:
    """Of the steps of judging, of corrections and of bridging."""

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
        """With those that this run was planned with, where it has any."""
        planned = prompts.of_run(run)
        return replace(self, judging=planned) if planned.texts else self

    def of_correcting(self, run: Run) -> "Wordings":
        planned = prompts.of_run(run)
        return replace(self, correcting=planned) if planned.texts else self


def in_use(project: Project) -> Wordings:
    """Those that runs planned now would have."""
    return Wordings(*(prompts.in_use(project, scope) for scope in (FAMILY, CORRECT, BRANCHING)))


def _own_rule(run_prompts: Prompts) -> Texts:
    """The texts of the system scope among those of a run, where the project has written its own."""
    shipped = own.shipped_texts(SYSTEM)
    rules = {key: text for key, text in run_prompts.parts.items() if key[0] == SYSTEM}
    return {key: text for key, text in rules.items() if shipped.get(key[1:]) != text}


@dataclass(frozen=True)
class Material:
    """What a question of a judge or corrector is made of. b_first: the second answer stands above the first.

    rule: the texts of the system scope that the project of the run has written anew.
    """

    wording: str
    turns: Sequence[Message]
    first: str = ""
    second: str | None = None
    b_first: bool = False
    rule: Texts = field(default_factory=dict)

    def messages(self, language: str, texts: Mapping[str, str]) -> list[dict[str, str]]:
        case = Shown(Judged(self.turns), self.first, self.second, language=language)
        with own.using(self.rule):
            return messages_of(self.wording, case, texts, b_first=self.b_first)

    def as_json(self) -> list[Any]:
        parts = [self.wording, [dict(turn) for turn in self.turns], self.first, self.second, self.b_first]
        return [*parts, sorted(self.rule.values())] if self.rule else parts


def judge_chat(material: Material, language: str, texts: Mapping[str, str], answer: Any) -> list[Message]:
    """Three turns. answer: what becomes JSON."""
    return [*material.messages(language, texts), _assistant(answer)]


def bridging_chat(wording: str, language: str, texts: Mapping[str, str], answer: Any) -> list[Message]:
    return [*bridging_messages(wording, texts, language), _assistant(answer)]


def manner_chat(language: str, texts: Mapping[str, str], answer: str) -> list[Message]:
    """texts: slot -> text; `only`, `first` and `second` are responses, shown in the order in which they stand."""
    language = language if language in LANGUAGES else "en"
    responses = "\n\n".join(f"{NAMED[language][name]}\n\n{{{{ {name} }}}}" for name in texts if name in NAMED["en"])
    wording = _manner_wording(language).replace("{{ responses }}", responses)
    return [*fenced(wording, texts, language=language).messages(), _assistant(answer)]


def can_turn(wording: str) -> bool:
    """Whether the second answer can stand above the first in this wording, each under its own label."""
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
