"""Chains of additions: a simulated candidate errs the more often the longer the chain and the less its skill."""

import re

from lib.simulated.drawing import Draw
from lib.simulated.material import Material

CHAIN = re.compile(r"^\s*(\d+(?:[ \t]*\+[ \t]*\d+)+)\s*$", re.MULTILINE)  # alone in its line
ADDED = 6  # additions after which the share of right sums is the skill itself
SLIPS = (-100, -10, -1, 1, 10, 100)
SAID = (
    ("{chain} = {sum}", "Adding one after the other:\n{steps}\nThe sum is {sum}.", "**{sum}**"),
    ("{chain} = {sum}", "逐个相加：\n{steps}\n总和是 {sum}。", "**{sum}**"),
)


def chain_in(material: Material) -> list[int]:
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
