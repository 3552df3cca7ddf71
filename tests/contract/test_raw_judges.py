"""The injection corpus against judges in raw messages, and against the same strategies fenced (RELIABILITY 18).

The judge is the most gullible that there is: whatever speaks to it outside a block of data is carried out, and every
order is taken as one to favour the answer that it stands in. How often that happens is printed in docs/judging.md.
"""

import re
from pathlib import Path

import pytest

from annotate.kinds.protocol import Prompts, Question
from judging.strategies.strategy import Opinion, Strategy, strategies
from lib.simulated.misbehaviours import order_in
from lib.texts.fencing import outside, slots_of
from lib.texts.raw_messages import RawMessages
from lib.texts.suspicions import suspicions
from tests.contract.test_strategies import BOUNDARY, GOOD, case
from tests.lib.texts.injections import BREAK_OUTS, INSTRUCTIONS
from tests.support.judges import Judge, shipped
from tests.support.running import run

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "judging.md"
TAKING = [one for one in strategies().values() if one.takes_raw]
INJECTED = [*INSTRUCTIONS.values(), *BREAK_OUTS]
HONEST, OBEYING = {"score": 2, "verdict": "B"}, {"score": 3, "verdict": "A"}  # 3: on every scale


def raw_prompts(strategy: Strategy) -> Prompts:
    """With every slot that the fenced prompt has, and the reader that both sorts of prompts can be read by."""
    (step,) = strategy.steps
    slots = sorted(slots_of(shipped(strategy.family).texts[step, "en"]))
    user = "\n\n".join(f"{name}:\n{{{{ {name} }}}}" for name in slots)
    return Prompts({(step, "en"): RawMessages("json", user, "Judge what follows.").text()})


def gullible(question: Question) -> str:
    """It believes all that a user's message says outside the blocks of data."""
    said = "\n".join(_open(message["content"]) for message in question.messages if message["role"] == "user")
    taken_in = order_in(said) or any(suspicions({"said": said}))
    values = OBEYING if taken_in else HONEST
    return f'{{"explanation": "…", "score": {values["score"]}, "verdict": "{values["verdict"]}"}}'


def _open(message: str) -> str:
    boundary = BOUNDARY.search(message)
    return outside(message, boundary[1]) if boundary else message


def verdict(strategy: Strategy, prompts: Prompts, answer: str) -> Opinion:
    said = run(strategy.judge(case(strategy, answer), prompts, Judge(gullible)))
    assert isinstance(said, Opinion), said
    return said


def obeyed(strategy: Strategy, prompts: Prompts) -> int:
    """How many texts of the corpus change the verdict on the answer that they stand in."""
    honest = _plain(verdict(strategy, prompts, GOOD))
    return sum(_plain(verdict(strategy, prompts, f"{GOOD}\n{order}")) != honest for order in INJECTED)


def _plain(said: Opinion) -> tuple[float | None, str]:
    return said.score_first, said.choice


@pytest.fixture(params=TAKING, ids=lambda strategy: strategy.slug)
def strategy(request: pytest.FixtureRequest) -> Strategy:
    return request.param


def test_the_judge_is_honest_where_nothing_speaks_to_it(strategy: Strategy) -> None:
    for prompts in (raw_prompts(strategy), shipped(strategy.family)):
        assert _plain(verdict(strategy, prompts, GOOD)) in ((2.0, ""), (None, "second"))


def test_a_fence_holds_and_raw_messages_do_not_as_the_document_says(strategy: Strategy) -> None:
    told = re.search(r"(\d+) of (\d+) texts .* raw messages, (\d+) of (\d+) fenced", DOCUMENT.read_text("utf-8"))
    assert told
    raw, fenced = obeyed(strategy, raw_prompts(strategy)), obeyed(strategy, shipped(strategy.family))
    assert [raw, len(INJECTED), fenced, len(INJECTED)] == [int(number) for number in told.groups()]
    assert fenced == 0


@pytest.mark.parametrize("order", INSTRUCTIONS.values(), ids=INSTRUCTIONS.keys())
def test_people_are_told_of_known_patterns_in_raw_messages_too(strategy: Strategy, order: str) -> None:
    from judging.strategies.orders import judged

    found = run(judged(strategy, case(strategy, f"{GOOD}\n{order}"), raw_prompts(strategy), Judge(gullible)))
    assert found.note
