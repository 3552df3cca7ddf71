"""The simulated judge: yes by the merit of a text, with a character that can be turned."""

import json
from typing import Any

import pytest

from annotate.kinds.protocol import ChecklistQuestion, JudgedItem
from judging.strategies.checklist.strategies import STRATEGIES
from judging.strategies.strategy import Opinion
from lib.simulated.candidate import MET, PUT_OFF, answered
from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from tests.annotate.engine.asked import request
from tests.support.judges import UNWEIGHED, WEIGHED, shipped, shown, simulated
from tests.support.running import run

(CHECKLIST,) = STRATEGIES
MANY = JudgedItem(WEIGHED.messages, [ChecklistQuestion(f"Is number {n} dealt with?", 0.01) for n in range(100)])


def text(met: int, put_off: int) -> str:
    return " ".join([*(MET[0][0].format(part="it") for _ in range(met)),
                     *(PUT_OFF[0][0].format(part="it") for _ in range(put_off))])  # fmt: skip


def opinion(of: str, judged: JudgedItem = MANY, model: str = "simulated-judge", **more: Any) -> Opinion:
    language = more.pop("language", "en")
    said = run(CHECKLIST.judge(shown(judged, of, language=language), shipped("checklist"), simulated(model, **more)))
    assert isinstance(said, Opinion)
    return said


def met(said: Opinion) -> set[str]:
    return {piece.axis for piece in said.pieces if piece.score_first}


def test_a_better_text_meets_all_that_a_worse_one_does_and_more() -> None:
    found = [met(opinion(text(n, 10 - n))) for n in (0, 2, 5, 8, 10)]
    assert found[0] == set()
    assert found[0] < found[1] < found[2] < found[3] < found[4]
    assert len(found[4]) == 100
    assert 35 <= len(found[2]) <= 65  # of a hundred, at a merit of one half


def test_what_the_simulated_candidates_write_ranks_as_their_skill() -> None:
    asked = read(request("Compare the three offers, name the cheapest one, and say what the delivery costs."))
    scores = [
        opinion(answered(asked, Draw(1, asked.digest), Knobs(skill=skill))).score_first for skill in (0.05, 0.5, 1.0)
    ]
    assert scores == sorted(scores)
    assert scores[0] < scores[2]


@pytest.mark.parametrize("model", ["simulated-judge-severe", "simulated-judge-lenient"])
def test_severity_and_leniency_move_every_score_one_way(model: str) -> None:
    plain, leaning = met(opinion(text(5, 5))), met(opinion(text(5, 5), model=model))
    assert (leaning < plain) if model.endswith("severe") else (leaning > plain)
    assert (
        met(opinion(text(5, 5), biases={"severity": 0.4} if model.endswith("severe") else {"leniency": 0.4})) == leaning
    )


def test_noise_decides_by_a_coin_that_falls_the_same_way_every_time() -> None:
    once, again = (met(opinion(text(10, 0), model="simulated-judge-noisy")) for _ in range(2))
    assert once == again
    assert 60 <= len(once) < 95  # a hundred are met; four in ten are decided by a coin


def test_a_prompt_that_asks_for_quotes_leaves_less_noise() -> None:
    plain = met(opinion(text(10, 0), model="simulated-judge-noisy"))
    steadier = shipped("checklist")
    steadier.texts["verdicts", "en"] += "\n\nQuote the words that decide a question."  # type: ignore[index]
    said = run(CHECKLIST.judge(shown(MANY, text(10, 0)), steadier, simulated("simulated-judge-noisy")))
    assert isinstance(said, Opinion)
    assert plain < met(said)
    assert len(met(said)) > 85


def test_a_careless_judge_is_joined_all_the_same_and_flagged() -> None:
    said = opinion(text(10, 0), model="simulated-judge-careless")
    assert said.score_first == pytest.approx(1.0)
    flagged = [piece for piece in said.pieces if piece.joined != "exact"]
    assert 20 <= len(flagged) <= 60
    assert not [piece for piece in said.pieces if piece.joined in ("none", "surplus")]
    assert "the judge wrote" in said.note


def test_it_answers_in_the_language_it_is_asked_in() -> None:
    ask = simulated()
    run(CHECKLIST.judge(shown(UNWEIGHED, "fine", language="zh"), shipped("checklist"), ask))
    said = json.loads(ask.says(ask.asked[0]))
    assert {each["result"] for each in said.values()} <= {"是", "否"}
    assert all("回应" in each["reason"] for each in said.values())


def test_every_judge_is_a_model_of_the_service(model_server: Any) -> None:
    names = {one["id"] for one in model_server.client.get("/v1/models").json()["data"]}
    assert {"simulated-judge", "simulated-judge-severe", "simulated-judge-careless"} <= names
