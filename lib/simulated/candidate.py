"""Replies of a simulated candidate to a conversation, whose quality can be read from the text; and sums.

A reply answers every demand in its own sentence, which either meets the demand or puts it off. The share of met demands
is the skill; `merit` reads it from the text, so that a judge can tell authors apart.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import MessageMaterial, fragments, topic
from lib.simulated.requests import ChatRequest
from lib.simulated.wording import BARE, SentenceWording

MOST_DEMANDS = 8
# Model names with a fixed skill, which replaces the service's own.
SKILLS: Mapping[str, float] = MappingProxyType(
    {"simulated-strong": 0.95, "simulated-fair": 0.65, "simulated-weak": 0.3}
)
# (English, Chinese), each with one {part}. A sentence of one list never looks like one of the other.
MET = (
    [
        "On “{part}”: this is now worked out in full and checked.",
        "As for “{part}”, here is the correct version with its reason.",
        "I have taken “{part}” into account and settled it.",
    ],
    [
        "关于“{part}”：这一点已完整推导并核对。",
        "针对“{part}”，这里给出正确的说法和理由。",
        "“{part}”这一点已经考虑并处理好了。",
    ],
)
PUT_OFF = (
    [
        "About “{part}” I have nothing to add.",
        "I leave “{part}” as it stood before.",
        "Whether “{part}” matters here may remain open.",
    ],
    ["关于“{part}”，我没有补充。", "“{part}”这部分保持原样。", "“{part}”是否重要，这里暂不讨论。"],
)


def skill_of(model: str, knobs: Knobs) -> float:
    """By the model's name where it is one of SKILLS, else the service's own."""
    return SKILLS.get(model, knobs.skill)


def answered(request: ChatRequest, draw: Draw, knobs: Knobs) -> str:
    """A reply in the language of the last turn, which quotes what it takes up. The same for the same request."""
    wording, skill = SentenceWording(request.material, draw), skill_of(request.model, knobs)
    lines = [wording.sentence("follow_up" if _is_follow_up(request.material) else "opening", "answer")]
    # The order of met demands depends on the conversation and not on the model: a better model meets all that a worse
    # one does.
    chance = Draw(knobs.seed, repr(request.material.said))
    for index, demand in enumerate(demands(request.material)):
        patterns = (MET if chance.happens(skill, "met", index) else PUT_OFF)[wording.is_chinese]
        lines.append(draw.one(patterns, "manner", index).replace("{part}", demand))
    return ("" if wording.is_chinese else " ").join([*lines, wording.sentence("closing", "answer")])


def demands(material: MessageMaterial) -> list[str]:
    """What the last turn asks for, clause by clause, then what the first one asked; at least one."""
    turns = [text for role, text in material.said if role == "user"] or [material.main]
    clauses = fragments([turns[-1], turns[0]])[:MOST_DEMANDS]
    return [_quotable(clause) for clause in clauses or [topic(turns[-1]) or BARE["part"][material.is_chinese]]]


def merit(text: str) -> float | None:
    """Share of the demands that a text meets, 0..1; None where nothing of it was written by `answered`."""
    met, put_off = len(met_in(text)), len(put_off_in(text))
    return met / (met + put_off) if met + put_off else None


def met_in(text: str) -> list[str]:
    """The demands that a text says it has met, as quoted there."""
    return list(_quoted(text, MET))


def put_off_in(text: str) -> list[str]:
    return list(_quoted(text, PUT_OFF))


def _quoted(text: str, patterns: tuple[Sequence[str], Sequence[str]]) -> Iterator[str]:
    for pattern in (*patterns[0], *patterns[1]):
        prefix, suffix = pattern.split("{part}")
        yield from re.findall(f"{re.escape(prefix)}([^“”]+){re.escape(suffix)}", text)


def _quotable(text: str) -> str:
    return text.replace("“", "").replace("”", "")


def _is_follow_up(material: MessageMaterial) -> bool:
    return any(role == "assistant" for role, _text in material.said)


# Chains of additions: errors are more frequent the longer the chain and the lower the skill.


CHAIN = re.compile(r"^\s*(\d+(?:[ \t]*\+[ \t]*\d+)+)\s*$", re.MULTILINE)  # alone in its line
ADDED = 6  # additions after which the share of right sums is the skill itself
SLIPS = (-100, -10, -1, 1, 10, 100)
SAID = (
    ("{chain} = {sum}", "Adding one after the other:\n{steps}\nThe sum is {sum}.", "**{sum}**"),
    ("{chain} = {sum}", "逐个相加：\n{steps}\n总和是 {sum}。", "**{sum}**"),
)


def chain_in(material: MessageMaterial) -> list[int]:
    """The numbers that the last turn of the user asks to add; [] where it asks for nothing of the sort."""
    turns = [text for role, text in material.said if role == "user"]
    match = CHAIN.search(turns[-1]) if turns else None
    return [int(number) for number in match[1].split("+")] if match else []


def added(numbers: list[int], skill: float, draw: Draw, *, is_chinese: bool) -> str:
    """The sum in one of several manners, right with a chance of skill^(additions / ADDED)."""
    slip = 0 if draw.happens(skill ** ((len(numbers) - 1) / ADDED), "adds") else draw.one(SLIPS, "slip")
    total, steps = numbers[0], []
    for number in numbers[1:]:
        previous, total = total, total + number
        steps.append(f"{previous} + {number} = {total}")
    if slip:
        total += slip
        steps[-1] = f"{steps[-1].rpartition(' ')[0]} {total}"
    manner = draw.one(SAID[is_chinese], "manner")
    words = {"{chain}": " + ".join(map(str, numbers)), "{steps}": "\n".join(steps), "{sum}": str(total)}
    for slot, word in words.items():
        manner = manner.replace(slot, word)
    return manner
