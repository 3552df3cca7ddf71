"""What the simulated model refuses, takes and adds under the profile of each service: over HTTP, body by body."""

import json
import re
from typing import Any

import httpx2
import pytest

from lib.simulated.knobs import BadKnob, Knobs
from lib.simulated.profiles import DEFAULT_PROFILE, PROFILES
from lib.texts.fencing import fenced
from tests.annotate.engine.asked import QUERY, closed, request
from tests.support.model_server import ModelServer, running_model_server

SCHEMA = closed(score={"type": "integer", "minimum": 1, "maximum": 5})
IN_TEXT = f"{QUERY}\nAnswer as JSON of this schema: {json.dumps(SCHEMA)}"
JSON_SCHEMA = {"type": "json_schema", "json_schema": {"name": "Answer", "schema": SCHEMA, "strict": True}}
JSON_OBJECT = {"type": "json_object"}
DEPLOYMENT = "/openai/deployments/judge/chat/completions"
NEW, OLD = "2024-10-21", "2024-06-01"
GUIDE = (
    "Learn more about supported models at the Structured Outputs guide: "
    "https://platform.openai.com/docs/guides/structured-outputs"
)
OPENAI = ("gpt-5", "o-series", "gpt-4-turbo", "gpt-3.5-turbo")
REASONERS, OLDER = OPENAI[:2], OPENAI[2:]
EVALUATORS = ("prometheus-2", "auto-j", "judgelm")
Body = dict[str, Any]


def said(*roles: str, text: str = QUERY) -> list[Body]:
    return [{"role": role, "content": text} for role in roles]


def ask(server: ModelServer, profile: str, body: Body, version: str = NEW) -> httpx2.Response:
    """One request as the service is addressed: Azure by deployment, version and its own header."""
    server.turn(profile=profile)
    if PROFILES[profile].by_deployment:
        return server.client.post(DEPLOYMENT, params={"api-version": version}, json=body, headers={"api-key": "k"})
    return server.ask(body)


def refusal(server: ModelServer, profile: str, body: Body, version: str = NEW) -> tuple[int, Any]:
    answer = ask(server, profile, body, version)
    return answer.status_code, answer.json()


def reply(server: ModelServer, profile: str, body: Body, version: str = NEW) -> Body:
    answer = ask(server, profile, body, version)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def message(whole: Body) -> Body:
    return dict(whole["choices"][0]["message"])


def of_openai(text: str, param: str | None = None, code: str | None = None) -> tuple[int, Body]:
    return 400, {"error": {"message": text, "type": "invalid_request_error", "param": param, "code": code}}


def of_vllm(text: str) -> tuple[int, Body]:
    return 400, {"object": "error", "message": text, "type": "BadRequestError", "param": None, "code": 400}


# --- OpenAI -----------------------------------------------------------------------------------------------------------
MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
    "unsupported_parameter",
)
TOP_P = ("Unsupported parameter: 'top_p' is not supported with this model.", "top_p", "unsupported_parameter")
TEMPERATURE = (
    "Unsupported value: 'temperature' does not support {} with this model. Only the default (1) value is supported."
)


@pytest.mark.parametrize("profile", REASONERS)
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"max_tokens": 64}, MAX_TOKENS),
        ({"max_tokens": 64, "temperature": 0}, MAX_TOKENS),
        ({"top_p": 0.9}, TOP_P),
        (
            {"stop": ["\n"]},
            ("Unsupported parameter: 'stop' is not supported with this model.", "stop", "unsupported_parameter"),
        ),
        ({"temperature": 0}, (TEMPERATURE.format("0"), "temperature", "unsupported_value")),
        ({"temperature": 0.0}, (TEMPERATURE.format("0.0"), "temperature", "unsupported_value")),
        ({"top_k": 3}, ("Unrecognized request argument supplied: top_k",)),
    ],
)
def test_reasoners_refuse_what_openai_refuses(
    model_server: ModelServer, profile: str, sent: Body, expected: tuple[str, ...]
) -> None:
    assert refusal(model_server, profile, request(**sent)) == of_openai(*expected)


@pytest.mark.parametrize("profile", REASONERS)
def test_reasoners_take_the_rest_and_count_their_reasoning(model_server: ModelServer, profile: str) -> None:
    body = request(messages=said("developer", "user"), temperature=1, max_completion_tokens=2000)
    whole = reply(model_server, profile, body | {"response_format": JSON_SCHEMA, "reasoning_effort": "high"})
    usage = whole["usage"]
    assert json.loads(message(whole)["content"])["score"] in range(1, 6)
    assert set(message(whole)) == {"role", "content", "refusal"}
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 576}
    assert usage["completion_tokens"] > 576
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_reasoning_takes_the_tokens_of_the_answer(model_server: ModelServer) -> None:
    whole = reply(model_server, "gpt-5", request(max_completion_tokens=64))
    assert message(whole)["content"] == ""
    assert whole["choices"][0]["finish_reason"] == "length"
    assert whole["usage"]["completion_tokens"] == 64
    assert whole["usage"]["completion_tokens_details"] == {"reasoning_tokens": 64}


def test_an_effort_that_does_not_exist_is_refused(model_server: ModelServer) -> None:
    text = (
        "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. "
        "Supported values are: 'low', 'medium', and 'high'."
    )
    body = request(reasoning_effort="minimal")
    assert refusal(model_server, "o-series", body) == of_openai(text, "reasoning_effort", "unsupported_value")
    assert reply(model_server, "gpt-5", body)["usage"]["completion_tokens_details"] == {"reasoning_tokens": 0}


def test_only_the_o_series_refuses_the_role_system(model_server: ModelServer) -> None:
    body = request(messages=said("system", "user"))
    text = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
    assert refusal(model_server, "o-series", body) == of_openai(text, "messages[0].role", "unsupported_value")
    for profile in set(OPENAI) - {"o-series"}:
        assert message(reply(model_server, profile, body))["content"]


@pytest.mark.parametrize("profile", OLDER)
def test_older_models_refuse_schemas_and_reasoning(model_server: ModelServer, profile: str) -> None:
    schema = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. " + GUIDE
    effort = "Unrecognized request argument supplied: reasoning_effort"
    assert refusal(model_server, profile, request(response_format=JSON_SCHEMA)) == of_openai(schema)
    assert refusal(model_server, profile, request(reasoning_effort="low")) == of_openai(effort)


@pytest.mark.parametrize("profile", [*OPENAI, "azure"])
def test_a_json_object_wants_the_word_json(model_server: ModelServer, profile: str) -> None:
    text = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    body = request(response_format=JSON_OBJECT)
    assert refusal(model_server, profile, body) == of_openai(text, "messages")
    assert json.loads(message(reply(model_server, profile, body | request("Say it as Json.")))["content"])
    whole = reply(model_server, profile, body | request(IN_TEXT))
    assert json.loads(message(whole)["content"])["score"] in range(1, 6)


@pytest.mark.parametrize("profile", [*OLDER, "azure"])
def test_older_models_take_what_they_always_took(model_server: ModelServer, profile: str) -> None:
    body = request(messages=said("developer", "user"), max_tokens=9, temperature=0, top_p=0.9, seed=3, stop=None)
    whole = reply(model_server, profile, body)
    assert whole["usage"]["completion_tokens"] == 9
    assert set(whole["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


# --- services of one's own --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("roles", "text"),
    [
        (("system", "user"), "System role not supported"),
        (("developer", "user"), "Conversation roles must alternate user/assistant/user/assistant/..."),
        (("user", "user"), "Conversation roles must alternate user/assistant/user/assistant/..."),
    ],
)
def test_vllm_refuses_what_the_chat_template_refuses(
    model_server: ModelServer, roles: tuple[str, ...], text: str
) -> None:
    assert refusal(model_server, "vllm", request(messages=said(*roles))) == of_vllm(text)
    nested = {"error": {"message": text, "type": "BadRequestError", "param": None, "code": 400}}
    assert refusal(model_server, "vllm-0.10", request(messages=said(*roles))) == (400, nested)


def test_vllm_takes_schemas_and_anything_unknown_and_shows_its_reasoning_apart(model_server: ModelServer) -> None:
    body = request(messages=said("user", "assistant", "user"), response_format=JSON_SCHEMA, temperature=0)
    whole = reply(model_server, "vllm", body | {"top_k": 1, "repetition_penalty": 1.1, "max_tokens": 900})
    assert json.loads(message(whole)["content"])["score"] in range(1, 6)
    assert message(whole)["reasoning_content"]
    assert "reasoning" not in message(whole)
    assert "completion_tokens_details" not in whole["usage"]


def test_vllm_says_its_own_words_about_keys_and_long_prompts(model_server: ModelServer) -> None:
    model_server.turn(profile="vllm", context_length=5)
    status, body = refusal(model_server, "vllm", request())
    assert (status, body["object"], body["type"]) == (400, "error", "BadRequestError")
    assert "maximum context length is 5 tokens" in body["message"]
    model_server.turn(key="secret")
    assert refusal(model_server, "vllm", request()) == (401, {"error": "Unauthorized"})


def test_ollama_passes_over_what_it_does_not_know(model_server: ModelServer) -> None:
    model_server.turn(context_length=5, key="secret")
    body = request(messages=said("system", "user"), temperature=0, reasoning_effort="low", top_k=3)
    whole = reply(model_server, "ollama", body | {"max_completion_tokens": 1, "response_format": JSON_SCHEMA})
    assert json.loads(message(whole)["content"])["score"] in range(1, 6)
    assert whole["choices"][0]["finish_reason"] == "stop"
    assert message(whole)["reasoning"]


def test_ollama_cuts_at_max_tokens_and_refuses_in_the_form_of_the_protocol(model_server: ModelServer) -> None:
    assert reply(model_server, "ollama", request(max_tokens=1))["choices"][0]["finish_reason"] == "length"
    status, body = refusal(model_server, "ollama", request(messages=[]))
    assert (status, set(body), set(body["error"])) == (400, {"error"}, {"message", "type", "param", "code"})
    assert (body["error"]["type"], body["error"]["param"]) == ("invalid_request_error", None)


# --- Azure ------------------------------------------------------------------------------------------------------------
def test_azure_refuses_schemas_before_the_version_that_has_them(model_server: ModelServer) -> None:
    body = request(response_format=JSON_SCHEMA)
    text = "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later"
    assert refusal(model_server, "azure", body, OLD) == (400, {"error": {"code": "BadRequest", "message": text}})
    for version in ("2024-08-01-preview", NEW):
        assert json.loads(message(reply(model_server, "azure", body, version))["content"])["score"]


def test_azure_is_addressed_by_deployment_and_version(model_server: ModelServer) -> None:
    missing = {"error": {"code": "404", "message": "Resource not found"}}
    assert reply(model_server, "azure", {"messages": said("user")})["model"] == "judge"
    for path, query in (("/v1/chat/completions", {"api-version": NEW}), (DEPLOYMENT, {})):
        answer = model_server.client.post(path, params=query, json=request(), headers={"api-key": "k"})
        assert (answer.status_code, answer.json()) == (404, missing)
    model_server.reset()
    assert model_server.client.post(DEPLOYMENT, json=request()).json()["error"]["code"] == "unknown_url"


def test_azure_wants_its_key_in_a_header_of_its_own(model_server: ModelServer) -> None:
    model_server.turn(profile="azure", key="secret")
    for headers in ({}, {"api-key": "other"}, {"Authorization": "Bearer secret"}):
        answer = model_server.client.post(DEPLOYMENT, params={"api-version": NEW}, json=request(), headers=headers)
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "401"
        assert answer.json()["error"]["message"].startswith("Access denied due to invalid subscription key")
    right = {"api-key": "secret"}
    answer = model_server.client.post(DEPLOYMENT, params={"api-version": NEW}, json=request(), headers=right)
    assert answer.status_code == 200


def test_azure_filters_a_prompt_with_an_inner_error(model_server: ModelServer) -> None:
    model_server.misbehave("filters_prompt")
    status, body = refusal(model_server, "azure", request())
    error = body["error"]
    assert (status, error["status"], error["param"], error["type"]) == (400, 400, "prompt", None)
    assert error["code"] == "content_filter"
    assert error["innererror"]["content_filter_result"]["violence"] == {"filtered": True, "severity": "medium"}


# --- OpenRouter -------------------------------------------------------------------------------------------------------
def test_openrouter_finds_no_endpoint_for_a_schema(model_server: ModelServer) -> None:
    text = (
        "No endpoints found that can handle the requested parameters. To learn more about provider routing, visit: "
        "https://openrouter.ai/docs/guides/routing/provider-selection"
    )
    expected = {"error": {"message": text, "code": 404}, "user_id": "user_simulated"}
    assert refusal(model_server, "openrouter", request(response_format=JSON_SCHEMA)) == (404, expected)


def test_openrouter_wraps_what_a_provider_says(model_server: ModelServer) -> None:
    status, body = refusal(model_server, "openrouter", request(response_format=JSON_OBJECT))
    assert (status, body["error"]["code"], body["error"]["message"]) == (400, 400, "Provider returned error")
    inner = json.loads(body["error"]["metadata"]["raw"])["error"]
    assert inner["message"].startswith("'messages' must contain the word 'json'")
    assert inner["param"] == "messages"


def test_openrouter_fails_within_a_200_when_it_is_told_to(model_server: ModelServer) -> None:
    model_server.misbehave("fails_within_200")
    answer = ask(model_server, "openrouter", request())
    assert (answer.status_code, set(answer.json())) == (200, {"error", "user_id"})
    assert answer.json()["error"]["code"] == 502
    assert message(reply(model_server, "openrouter", request()))["content"]


def test_openrouter_takes_the_rest_and_shows_its_reasoning(model_server: ModelServer) -> None:
    body = request(messages=said("system", "user"), temperature=0, top_p=0.5, max_tokens=900, provider={"only": ["x"]})
    whole = reply(model_server, "openrouter", body)
    assert message(whole)["reasoning"]
    assert whole["usage"]["completion_tokens_details"]["reasoning_tokens"] > 0


def test_a_misbehaviour_is_said_in_the_form_of_the_service(model_server: ModelServer) -> None:
    model_server.misbehave("rate_limited", times=2, retry_after="3")
    answer = ask(model_server, "openrouter", request())
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "3")
    assert answer.json()["error"]["message"] == "Provider returned error"
    assert refusal(model_server, "vllm", request())[1]["type"] == "RateLimitError"


# --- trained evaluators -----------------------------------------------------------------------------------------------
BLOCKS = {
    "turn_1": "What is 12 + 30?",
    "answer": "12 + 30 = 42. That is the sum.",
    "second": "12 + 30 = 44. That is teh sum.",
}
SINGLE = "Judge the answer.\n\n{{ turn_1 }}\n\n{{ answer }}"
PAIR = SINGLE + "\n\n{{ second }}"
TEMPLATES = {
    "prometheus-2": "###Task Description:\nJudge.\n\n###Instruction:\n{turn_1}\n\n###Response A:\n{answer}\n\n"
    "###Response B:\n{second}\n\n###Score Rubric:\n[Is it right?]\n\n###Feedback: ",
    "auto-j": "[BEGIN DATA]\n***\n[Query]: {turn_1}\n***\n[Response 1]: {answer}\n***\n[Response 2]: {second}\n***\n"
    "[END DATA]",
    "judgelm": "[Question]\n{turn_1}\n\n[The Start of Assistant 1's Answer]\n{answer}\n\n"
    "[The End of Assistant 1's Answer]\n\n[The Start of Assistant 2's Answer]\n{second}\n\n"
    "[The End of Assistant 2's Answer]\n\n[System]\nJudge.",
}
FIRST_IS_BETTER = {
    "prometheus-2": r"Feedback: .+ \[RESULT\] A",
    "auto-j": r"(?s).+\n\nSo, the final decision is Response 1\.",
    "judgelm": r"(?s)10 [1-9]\n.+",
}
GOOD_SCORE = {
    "prometheus-2": r"Feedback: .+ \[RESULT\] 5",
    "auto-j": r"(?s).+\n\nRating: \[\[10\]\]",
    "judgelm": r"(?s)10\n.+",
}


def matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def judged(template: str, texts: dict[str, str], **more: Any) -> Body:
    return request(messages=fenced(template, texts).messages(), temperature=0, **more)


@pytest.mark.parametrize("profile", EVALUATORS)
def test_evaluators_answer_in_their_own_form(model_server: ModelServer, profile: str) -> None:
    for template, forms in ((PAIR, FIRST_IS_BETTER), (SINGLE, GOOD_SCORE)):
        text = message(reply(model_server, profile, judged(template, BLOCKS)))["content"]
        assert matches(forms[profile], text), text


@pytest.mark.parametrize("profile", EVALUATORS)
def test_evaluators_read_the_template_they_were_trained_on(model_server: ModelServer, profile: str) -> None:
    text = TEMPLATES[profile].format(**BLOCKS)
    assert matches(FIRST_IS_BETTER[profile], message(reply(model_server, profile, request(text)))["content"])
    swapped = TEMPLATES[profile].format(**BLOCKS | {"answer": BLOCKS["second"], "second": BLOCKS["answer"]})
    assert not matches(FIRST_IS_BETTER[profile], message(reply(model_server, profile, request(swapped)))["content"])


@pytest.mark.parametrize("profile", EVALUATORS)
def test_evaluators_refuse_any_form_and_pass_over_a_schema(model_server: ModelServer, profile: str) -> None:
    for form in (JSON_SCHEMA, JSON_OBJECT):
        expected = of_vllm("response_format is not supported by this model")
        assert refusal(model_server, profile, judged(PAIR, BLOCKS, response_format=form)) == expected
    text = message(reply(model_server, profile, judged(f"{PAIR}\n{json.dumps(SCHEMA)}", BLOCKS)))["content"]
    assert matches(FIRST_IS_BETTER[profile], text)


# --- all --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("profile", PROFILES)
def test_a_plain_question_is_answered_the_same_each_time_and_marked(model_server: ModelServer, profile: str) -> None:
    answers = [ask(model_server, profile, request()) for _again in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert message(answers[0].json())["content"]
    assert answers[0].headers["X-Touchstone-Simulated"] == "1"


def test_without_a_profile_it_is_what_it_always_was(model_server: ModelServer) -> None:
    body = request(messages=said("system", "developer", "user"), max_tokens=90, temperature=0, reasoning_effort="low")
    assert Knobs().profile == DEFAULT_PROFILE
    whole = model_server.ask(body | {"response_format": JSON_SCHEMA}).json()
    assert set(message(whole)) == {"role", "content", "refusal"}
    assert set(whole["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


def test_a_profile_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadKnob, match="no profile 'gpt-9'"):
        Knobs(profile="gpt-9")


def test_a_process_may_have_a_profile_from_the_beginning() -> None:
    with running_model_server("--latency=0", "--profile=vllm") as server:
        assert server.ask(request(messages=said("system", "user"))).json() == of_vllm("System role not supported")[1]
        server.turn(profile="gpt-5")
        server.reset()
        assert server.client.get("/control/knobs").json()["profile"] == "vllm"
