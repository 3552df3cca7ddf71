import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from annotate.engine.budget import most_tokens_in, tokens_in, tokens_of
from annotate.engine.capabilities import Capabilities
from annotate.engine.wire import body, described, names_in, parameters_of, sort_of, with_parameters
from annotate.kinds.protocol import Question, QuestionImage
from annotate.models import Endpoint
from tests.support.small_purpose import Word

MESSAGES = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Which word?"},
    {"role": "assistant", "content": "Which?"},
    {"role": "user", "content": "Any."},
]
QUESTION = Question("step", MESSAGES, Word, max_tokens=50)
MINIMAL = Capabilities("text", "", "user", ("temperature",))


def test_a_service_that_takes_everything_is_sent_everything() -> None:
    sent = body("moon-1", QUESTION, Capabilities())
    assert (sent["model"], sent["messages"]) == ("moon-1", MESSAGES)
    assert (sent["temperature"], sent["max_tokens"], sent["response_format"]["type"]) == (0.0, 50, "json_schema")
    assert names_in(sent) == {"temperature", "max_tokens", "response_format", "system"}
    assert described(sent) == {"temperature": 0.0, "max_tokens": 50, "response_format": "json_schema"}
    assert sort_of(QUESTION, Capabilities()) == "max_tokens+response_format+system+temperature"


def test_a_service_that_takes_nothing_but_messages_is_told_all_in_words() -> None:
    sent = body("moon-1", QUESTION, MINIMAL)
    assert set(sent) == {"model", "messages"}
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    first = sent["messages"][0]["content"]
    assert first.startswith("Be short.\n\n")
    assert '"number"' in first
    assert first.endswith("\n\nWhich word?")
    assert names_in(sent) == set()
    assert sort_of(QUESTION, MINIMAL) == "plain"


def test_instructions_can_be_a_developer_message_and_json_an_object() -> None:
    sent = body("moon-1", QUESTION, Capabilities("json_object", "max_completion_tokens", "developer"))
    assert sent["messages"][0]["role"] == "developer"
    assert '"number"' in sent["messages"][0]["content"]
    assert (sent["response_format"], sent["max_completion_tokens"]) == ({"type": "json_object"}, 50)
    assert described(sent) == {
        "temperature": 0.0,
        "max_completion_tokens": 50,
        "response_format": "json_object",
        "instructions": "developer",
    }


def test_the_schema_stands_in_the_last_turn_where_there_are_no_instructions() -> None:
    question = Question("step", MESSAGES[1:], Word)
    sent = body("m", question, MINIMAL)["messages"]
    assert '"number"' in sent[-1]["content"]
    assert '"number"' not in sent[0]["content"]


def test_the_run_is_heard_before_the_endpoint_and_the_endpoint_before_the_step() -> None:
    endpoint = Endpoint(temperature=0.3, top_p=0.9, reasoning_effort="low", extra_body={"top_k": 5})
    parameters = parameters_of(endpoint, {"temperature": 1.0, "seed": 0})
    asked = with_parameters(QUESTION, parameters)
    assert (asked.temperature, asked.max_tokens) == (1.0, 50)
    sent: dict[str, Any] = body("m", asked, Capabilities(omitted=("top_p",)))
    rest = {name: value for name, value in sent.items() if name not in ("model", "messages", "response_format")}
    assert rest == {"temperature": 1.0, "max_tokens": 50, "seed": 0, "reasoning_effort": "low", "top_k": 5}
    assert asked.digest("m") != QUESTION.digest("m")
    assert with_parameters(QUESTION, {}).digest("m") == QUESTION.digest("m")


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        Question("other", MESSAGES[:1], temperature=None),
        Question(
            "s", [{"role": "user", "content": "“月” \ud83d"}], Word, parameters={"top_p": 0.5, "extra": {"b": [1]}}
        ),
    ],
)
def test_a_digest_is_that_of_the_whole_body_with_sorted_names(question: Question) -> None:
    """Stored replies are found by it, so it must never change."""
    whole = json.dumps({"model": "moon-1", **question.body()}, sort_keys=True, ensure_ascii=False)
    assert question.digest("moon-1") == hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


IMAGE = QuestionImage("Image 1: Before", "gpt/a.png", "0a" * 32, "image/png", 70, 12)
WITH_IMAGE = replace(QUESTION, images=[IMAGE])


@pytest.mark.parametrize("system_role", ["system", "user"])
def test_images_are_parts_of_the_last_user_message_after_its_text(system_role: str) -> None:
    capabilities = Capabilities(system_role=system_role, reply_format="text")
    addresses = {IMAGE.sha256: "data:image/png;base64,AAAA"}
    plain = body("m", QUESTION, capabilities)["messages"]
    *others, last = body("m", WITH_IMAGE, capabilities, addresses)["messages"]
    assert (others, last["role"]) == (plain[:-1], "user")
    assert last["content"] == [
        {"type": "text", "text": plain[-1]["content"]},
        {"type": "text", "text": "Image 1: Before"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    assert sort_of(WITH_IMAGE, capabilities) != sort_of(QUESTION, capabilities)


def test_the_digest_of_an_image_is_that_of_its_content() -> None:
    assert replace(QUESTION, images=[replace(IMAGE, name="b.png")]).digest("m") == WITH_IMAGE.digest("m")
    assert replace(QUESTION, images=[replace(IMAGE, sha256="0b" * 32)]).digest("m") != WITH_IMAGE.digest("m")
    assert WITH_IMAGE.digest("m") != QUESTION.digest("m")


def test_tokens_of_images_are_estimated_by_their_pixels_and_have_an_upper_bound() -> None:
    large = replace(QUESTION, images=[replace(IMAGE, pixels=750 * 100), replace(IMAGE, pixels=10**7)])
    title = tokens_of(IMAGE.title)
    assert tokens_in(large) - tokens_in(QUESTION) == 100 + 1600 + 2 * title
    assert most_tokens_in(large) - most_tokens_in(QUESTION) > 2 * 48_169  # gpt-4o-mini, at most
