"""Questions as requests of the OpenAI protocol: schema, parameters and messages, as far as a service takes them."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from annotate.engine.capabilities import Capabilities
from annotate.engine.replies import storable
from annotate.kinds.protocol import Question, QuestionImage, schema_of
from annotate.models import Endpoint

LEFT_OUT = {"title", "default"}


@lru_cache(maxsize=512)
def response_format(answer: type[BaseModel]) -> dict[str, Any]:
    """The schema for strict structured output: every property required, no others allowed.

    It is not strict if a shape has names that are not known in advance.
    """
    schema = _closed(schema_of(answer))
    return {
        "type": "json_schema",
        "json_schema": {"name": answer.__name__, "schema": schema, "strict": not _open_ended(schema)},
    }


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict_schema: dict[str, Any] = {}
    for name, value in schema.items():
        if name in ("properties", "$defs"):  # their keys are names of fields, such as `title`
            strict_schema[name] = {field: _closed(part) for field, part in value.items()}
        elif name not in LEFT_OUT:
            strict_schema[name] = _closed(value)
    if "properties" in strict_schema and "additionalProperties" not in strict_schema:
        strict_schema["additionalProperties"] = False
    if strict_schema.get("additionalProperties") is False:
        strict_schema["required"] = list(strict_schema.get("properties", {}))
    return strict_schema


def _open_ended(schema: Any) -> bool:
    if isinstance(schema, list):
        return any(map(_open_ended, schema))
    if not isinstance(schema, dict):
        return False
    free = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    return free or any(map(_open_ended, schema.values()))


# Requests: a question in the terms of the protocol, as far as a service is known to take them.


# Names that every request has, or that decide what a call costs or does: no extra body may hold them.
NEVER_EXTRA = frozenset(
    {
        *("model", "messages", "n", "best_of", "stream", "stream_options", "tools", "tool_choice", "functions"),
        *("function_call", "parallel_tool_calls", "modalities", "audio", "prediction", "service_tier", "store"),
        *("web_search_options", "plugins", "models", "route", "provider", "transforms", "response_format", "metadata"),
        *("max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "reasoning_effort", "user"),
    }
)

# Sent as text if no response format can carry the schema.
IN_WORDS = "Answer with one JSON value that fits this JSON Schema, and with nothing else: {schema}"
# Parameters that an endpoint or a run may set for all questions.
PARAMETERS = ("temperature", "max_tokens", "top_p", "seed", "reasoning_effort", "extra_body")


def capabilities_of(endpoint: Endpoint) -> Capabilities:
    """What is known of its service."""
    return as_set(endpoint, Capabilities.stored(endpoint.capabilities))


def as_set(endpoint: Endpoint, capabilities: Capabilities) -> Capabilities:
    """The capabilities with the endpoint's setting: without strict JSON it is asked in words, whatever its service
    takes.
    """
    return capabilities if endpoint.strict_json else replace(capabilities, reply_format="text")


def sort_of(question: Question, capabilities: Capabilities) -> str:
    """The names of what is sent, such as `max_tokens+system`: a service treats questions of one sort alike."""
    names = {*_parameters(question, capabilities)}
    if capabilities.system_role != "user" and any(message["role"] == "system" for message in question.messages):
        names.add("system")
    if question.images:
        names.add("images")
    return "+".join(sorted(names)) or "plain"


def parameters_of(endpoint: Endpoint, run: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The parameters for all questions: the run's come before the endpoint's. See with_parameters."""
    settings = {name: getattr(endpoint, name) for name in PARAMETERS}
    return {name: value for name, value in settings.items() if value not in (None, "", {})} | dict(run or {})


def with_parameters(question: Question, parameters: Mapping[str, Any]) -> Question:
    """The question with the parameters of the endpoint or the run; others stay as the step sets them.

    parameters: temperature, max_tokens, top_p, seed, reasoning_effort, extra_body; missing ones are not set.
    """
    if not parameters:
        return question
    extra = {name: value for name, value in parameters.items() if name in ("top_p", "seed", "reasoning_effort")}
    return replace(
        question,
        temperature=parameters.get("temperature", question.temperature),
        max_tokens=parameters.get("max_tokens", question.max_tokens),
        parameters=extra | dict(parameters.get("extra_body") or {}),
    )


def body(
    model: str, question: Question, capabilities: Capabilities, addresses: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The body of the request. addresses: sha256 of each image of the question -> its data URL."""
    question_messages = [
        {"role": message["role"], "content": storable(message["content"])} for message in question.messages
    ]
    if question.answer is not None and capabilities.reply_format != "json_schema":
        question_messages = _with_schema(question_messages, question.answer)
    messages: list[dict[str, Any]] = _messages(question_messages, capabilities.system_role)
    if question.images:
        messages = _with_images(messages, question.images, addresses or {})
    return {"model": model, "messages": messages, **_parameters(question, capabilities)}


def _with_images(
    messages: list[dict[str, Any]], images: Sequence[QuestionImage], addresses: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The last user message in parts: its text, then each image after its title."""
    parts: list[dict[str, Any]] = []
    for image in images:
        parts.append({"type": "text", "text": storable(image.title)})
        parts.append({"type": "image_url", "image_url": {"url": addresses[image.sha256]}})
    index = max(index for index, message in enumerate(messages) if message["role"] == "user")
    content = [{"type": "text", "text": messages[index]["content"]}, *parts]
    return [*messages[:index], {**messages[index], "content": content}, *messages[index + 1 :]]


def _parameters(question: Question, capabilities: Capabilities) -> dict[str, Any]:
    optional = dict(question.parameters)
    if question.temperature is not None:
        optional["temperature"] = question.temperature
    sent = {name: value for name, value in optional.items() if name not in capabilities.omitted}
    if question.max_tokens is not None and capabilities.length_parameter:
        sent[capabilities.length_parameter] = question.max_tokens
    if question.answer is not None and capabilities.reply_format == "json_schema":
        sent["response_format"] = response_format(question.answer)
    elif question.answer is not None and capabilities.reply_format == "json_object":
        sent["response_format"] = {"type": "json_object"}
    return sent


def names_in(sent: Mapping[str, Any]) -> set[str]:
    """The names that a refusal may be about; `system` if instructions have a role of their own."""
    roles = {message["role"] for message in sent["messages"]}
    return {*sent} - {"model", "messages"} | ({"system"} if roles & {"system", "developer"} else set())


def described(sent: Mapping[str, Any]) -> dict[str, Any]:
    """What the ledger keeps of a request besides the question: parameters, type of the format, role of the
    instructions.

    Texts are left out, because the question holds them.
    """
    summary = {name: value for name, value in sent.items() if name not in ("model", "messages", "response_format")}
    if "response_format" in sent:
        summary["response_format"] = sent["response_format"]["type"]
    roles = {message["role"] for message in sent["messages"]}
    if "developer" in roles:
        summary["instructions"] = "developer"
    return summary


def _with_schema(messages: list[dict[str, str]], answer: type[BaseModel]) -> list[dict[str, str]]:
    """Adds the shape in words to the instructions, because no response format carries it."""
    roles = [message["role"] for message in messages]
    role = "system" if "system" in roles else "user"
    last_index = max((index for index, name in enumerate(roles) if name == role), default=None)
    words = IN_WORDS.format(schema=json.dumps(response_format(answer)["json_schema"]["schema"], ensure_ascii=False))
    if last_index is None:
        return [*messages, {"role": "user", "content": words}]
    message = {"role": role, "content": f"{messages[last_index]['content']}\n\n{words}"}
    return [*messages[:last_index], message, *messages[last_index + 1 :]]


def _messages(messages: list[dict[str, str]], system_role: str) -> list[dict[str, str]]:
    if system_role == "user":
        return _instructions_first(messages)
    return [message | {"role": system_role} if message["role"] == "system" else message for message in messages]


def _instructions_first(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Puts the instructions before the first user message, for chat templates that know no other role."""
    instructions = [message["content"] for message in messages if message["role"] == "system"]
    other_messages = [message for message in messages if message["role"] != "system"]
    if not instructions:
        return other_messages
    first_index = next((index for index, message in enumerate(other_messages) if message["role"] == "user"), None)
    if first_index is None:
        return [{"role": "user", "content": "\n\n".join(instructions)}, *other_messages]
    joined = "\n\n".join([*instructions, other_messages[first_index]["content"]])
    return [*other_messages[:first_index], {"role": "user", "content": joined}, *other_messages[first_index + 1 :]]


class NoKey(Exception):
    """The environment variable that the endpoint names is missing or holds no key."""


def key_of(endpoint: Endpoint) -> str:
    """The endpoint's key, or "" if it has none. Raises NoKey.

    It is read at each call, so that a changed key needs no restart.
    """
    if not endpoint.key_env:
        return ""
    key = os.environ.get(endpoint.key_env, "").strip()
    if not key:
        raise NoKey(f"The environment variable {endpoint.key_env} is not set where the worker runs.")
    if not key.isascii() or not key.isprintable():
        raise NoKey(f"The environment variable {endpoint.key_env} holds characters that no key has.")
    return key
