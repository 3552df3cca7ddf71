"""What a candidate is asked and what a judge may see of an item. Pure; made by the kind from facts and final draft."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotate.kinds.protocol import Message


@dataclass(frozen=True)
class Asked:
    """What a candidate gets: chat messages, the last one a user's. temperature: None leaves it to the service.

    group: by which temperatures are chosen, such as the task.
    """

    messages: Sequence[Message]
    temperature: float | None = 0.0
    group: str = ""


@dataclass(frozen=True)
class Question:
    """One yes/no question of a checklist. weight: its share of the score, None where questions have none."""

    text: str
    weight: float | None = None


@dataclass(frozen=True)
class Standard:
    """One criterion that people have approved. levels: what scores from 1 on mean; weight: None where none is said."""

    name: str
    description: str
    levels: Sequence[str] = ()
    weight: float | None = None


@dataclass(frozen=True)
class Judged:
    """What a judge may see of an item beside the answers, and the labels by which reports divide its scores.

    messages: the conversation up to where the answer stands. rule: how met questions make a score: `weights` (sum of
    the weights of those met), `any` (1 where one is met), `all` (1 where every one is).
    scenario: which part of a published table the item counts in; "" where there is only one.
    labels: division -> the item's values there, such as `task` -> ["Coding"]; an item counts in each of them.
    counted_as: the ability that a perturbation is counted under, where it is not the one that its prompt tests.
    criteria: those of the item itself, which a judge is shown only where it is to go by them.
    """

    messages: Sequence[Message]
    checklist: Sequence[Question] = ()
    rule: str = "weights"
    scenario: str = ""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    criteria: Sequence[Standard] = ()
    counted_as: str = ""

    @property
    def sha256(self) -> str:
        """Of what every judge sees; neither labels nor the rule belong to it, nor criteria that few go by."""
        payload = [
            [dict(message) for message in self.messages],
            [[question.text, question.weight] for question in self.checklist],
        ]
        return hashlib.sha256(json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Pair:
    """A question with two answers that an item holds itself. group: the item's; label: what people prefer, `first`,
    `second` or `tie`; "" where nobody has said."""

    prompt: str
    authors: tuple[str, str]
    texts: tuple[str, str]
    group: str = ""
    label: str = ""


@dataclass(frozen=True)
class Preferred:
    """What people say of two answers that an item holds itself: `first`, `second` or `tie`, by the authors' names."""

    first: str
    second: str
    label: str
