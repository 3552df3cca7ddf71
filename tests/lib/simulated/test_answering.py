"""Replies to conversations: in plain text, about what was asked, and as good as the model's skill."""

from statistics import mean

import pytest

from lib.simulated.candidate import merit, met_in, put_off_in
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer
from tests.annotate.engine.asked import CHINESE, QUERY, request

FEEDBACK = "You forgot the second step, so the result cannot be right. Please show the price after the rise as well."


def reply(model: str = "simulated-1", *turns: str, **knobs: float) -> str:
    roles = ["user", "assistant"]
    messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(turns or (QUERY, "80.", FEEDBACK))]
    content = answer(read(request(model=model, messages=messages)), Knobs(**knobs)).content
    assert content is not None
    return content


def test_a_reply_takes_up_every_demand_of_the_feedback_once() -> None:
    text = reply()
    taken_up = [*met_in(text), *put_off_in(text)]
    assert len(taken_up) == len(set(taken_up))
    assert {"You forgot the second step", "Please show the price after the rise as well"} <= set(taken_up)


def test_skill_is_the_share_of_demands_that_are_met() -> None:
    assert merit(reply(skill=1.0)) == 1.0
    assert merit(reply(skill=0.0)) == 0.0


def test_a_better_model_meets_all_that_a_worse_one_meets_and_more() -> None:
    merits: dict[str, list[float]] = {name: [] for name in ("simulated-strong", "simulated-fair", "simulated-weak")}
    for turn in range(40):
        feedback = f"{FEEDBACK} This is question number {turn} of all."
        met = [set(met_in(reply(model, QUERY, "80.", feedback))) for model in merits]
        assert met[0] >= met[1] >= met[2]
        for model, values in merits.items():
            values.append(merit(reply(model, QUERY, "80.", feedback)) or 0.0)
    strong, fair, weak = (mean(values) for values in merits.values())
    assert strong > fair + 0.15 > weak + 0.3


@pytest.mark.parametrize("turns", [("?",), ("",), ("a", "b", "“quoted” words"), ("<b>\n" * 9,)])
def test_what_asks_for_nothing_has_one_demand(turns: tuple[str, ...]) -> None:
    text = reply("simulated-strong", *turns)
    assert len([*met_in(text), *put_off_in(text)]) == 1


def test_chinese_is_answered_in_chinese_and_its_worth_is_read_too() -> None:
    text = reply("simulated-1", CHINESE, "好的。", "你漏掉了单位换算，请把计算过程写完整。", skill=1.0)
    assert text.isascii() is False
    assert "漏掉了单位换算" in "".join(met_in(text))
    assert merit(text) == 1.0


def test_the_worth_of_other_texts_is_not_known() -> None:
    assert merit(QUERY) is None


def test_a_request_with_data_in_it_is_no_conversation() -> None:
    text = f"Say what you think.\n<text>\n{QUERY}\n</text>"
    assert merit(answer(read(request(text)), Knobs()).content or "") is None
