"""The steps of pre-annotating feedback: each is recognised, and its answer is what the step asks for."""

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotate.kinds.feedback import preannotation
from annotate.kinds.feedback.kind import KIND
from annotate.kinds.feedback.shapes import DEFICIENCIES, FEEDBACK_TYPES, TASKS, FeedbackFacts, FeedbackOptions
from annotate.kinds.protocol import Prompts, Question, Reply
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer
from lib.simulated.shapes import shapes, task_label
from tests.annotate.engine.asked import CHINESE, QUERY
from tests.support.running import run

FOLDER = Path(preannotation.__file__).parent / "prompts"
PROMPTS = Prompts(
    {(name, language): text.read_text() for text in FOLDER.glob("*.md") for name, language in [text.stem.split(".")]}
)
FIRST = {
    "en": "The two percentages cancel each other out, so the coat costs 80 euros again, as before.",
    "zh": "圆锥的侧面积公式是底面积乘以高，代入半径三厘米和高四厘米，得到十二π平方厘米。",
}


def facts(scenario: str, language: str, query: str = "") -> FeedbackFacts:
    asked = query or {"en": QUERY, "zh": CHINESE}[language]
    return FeedbackFacts(bench_type=scenario, user_query=asked, origin_first_response=FIRST[language])


class Model:
    """Asks the simulated model without a network."""

    def __init__(self, **knobs: Any) -> None:
        self.knobs = Knobs(**knobs)
        self.said: dict[str, Any] = {}

    async def __call__(self, question: Question, /) -> Reply:
        assert question.answer is not None
        schema = {"name": question.answer.__name__, "schema": question.answer.model_json_schema()}
        format_ = {"type": "json_schema", "json_schema": schema}
        messages = [dict(message) for message in question.messages]
        asked = read({"model": "simulated-1", "messages": messages, "response_format": format_})
        assert any(shape.answers(asked) for shape in shapes()), f"no shape knows {question.step}"
        reply = answer(asked, self.knobs)
        self.said[question.step] = reply.value
        return Reply(reply.content or "", question.answer.model_validate_json(reply.content or ""))

    def talk(self, given: FeedbackFacts, language: str) -> preannotation.FeedbackTalk:
        return preannotation.talk(given, PROMPTS, self, language)

    def correct(self, given: FeedbackFacts, language: str) -> Any:
        return run(preannotation.correct(self.talk(given, language), given, FeedbackOptions()))

    def maintain(self, given: FeedbackFacts, language: str) -> Any:
        return run(preannotation.maintain(self.talk(given, language), given, FeedbackOptions()))

    def classify(self, query: str) -> str:
        given = facts("Error Correction", "en", query)
        return run(preannotation.classify(self.talk(given, "en"), FeedbackOptions()))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_chain_of_error_correction_ends_in_a_draft_that_lacks_only_its_task(language: str) -> None:
    given = facts("Error Correction", language)
    for seed in range(20):
        made = Model(seed=seed, skill=1.0).correct(given, language)
        draft = KIND.read_draft(made.draft)
        assert [found.path for found in KIND.problems(given, draft, KIND.options())] == ["task_type"]
        assert KIND.doubts(given, draft, KIND.options()) == []
        assert made.doubts == []
        assert set(draft.error_type or []) <= set(DEFICIENCIES)
        assert set(draft.feedback_type) <= set(FEEDBACK_TYPES["Error Correction"])


def test_answers_of_a_chinese_item_are_chinese_and_quote_it() -> None:
    made = Model(skill=1.0).correct(facts("Error Correction", "zh"), "zh")
    texts = [
        made.draft["feedback"],
        made.draft["reference_first_response"],
        *(row[0] for row in made.draft["checklist"]),
    ]
    assert all(re.search(r"[\u4e00-\u9fff]", text) and not re.search("[A-Za-z]{4}", text) for text in texts)
    assert any(clause in made.draft["feedback"] for clause in FIRST["zh"].rstrip("。").split("，"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_response_maintenance_gets_three_different_candidates_for_each_type(language: str) -> None:
    given = facts("Response Maintenance", language)
    for seed in range(10):
        made = Model(seed=seed, skill=1.0).maintain(given, language)
        assert Counter(one.label for one in made.candidates) == dict.fromkeys(FEEDBACK_TYPES["Response Maintenance"], 3)
        assert len({one.draft["feedback"] for one in made.candidates}) == 12
        assert made.doubts == []
        assert all(isinstance(question, str) for question in made.draft["checklist"])


def test_without_skill_weights_do_not_add_up_and_a_question_is_open() -> None:
    model = Model(skill=0.0)
    made = model.correct(facts("Error Correction", "en"), "en")
    total = math.fsum(row["weight"] for row in model.said["checklist"]["checklist"])
    assert math.isclose(total, 0.9)
    assert [found.path for found in made.doubts] == ["checklist"]
    assert made.draft["checklist"][-1][0].startswith("How does")


QUERIES = {
    "Coding;Code Generation": "Write a Python function that returns the longest common prefix of a list of words.",
    "Text Error Correction;Typo Detection": "下面这段话有没有错别字，请找出来：他再家里等了很久。",
    "Text Translation;Chinese to English": "请把“欲速则不达”翻译成英文，并解释为什么这样翻译。",
    "Mathematics;Combinatorial Probability": "Two dice are thrown. What is the probability of a sum of seven?",
    "Text Extraction;Summary": "用三十字概括上述内容：核电与核武器不能一概而论，但事故之后的顾虑已经深入社会。",
}


def test_a_skilled_model_recognises_tasks_by_their_words() -> None:
    assert {label: Model(skill=1.0).classify(query) for label, query in QUERIES.items()} == {
        label: label for label in QUERIES
    }


def test_skill_is_the_share_of_tasks_that_are_recognised() -> None:
    query = QUERIES["Coding;Code Generation"]
    said = [Model(skill=0.7).classify(f"{query} ({number})") for number in range(300)]
    # 300 draws of 0.7: four standard deviations are 0.106.
    assert abs(said.count("Coding;Code Generation") / 300 - 0.7) < 0.106
    assert Model(skill=0.0).classify(query) != "Coding;Code Generation"


def test_words_are_known_for_every_task_of_the_published_taxonomy() -> None:
    assert set(task_label.words()) == set(preannotation.labels_of(TASKS))


def test_labels_of_another_taxonomy_are_recognised_by_their_names() -> None:
    assert task_label.best("how do I prune my roses", ["Kitchen;Soups", "Garden;Roses"]) == "Garden;Roses"
