"""Compares a request with a profile: refuses it in the service's own words, and leaves out what it ignores."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lib.simulated.faults import ServiceFault
from lib.simulated.profiles import Profile
from lib.simulated.requests import HARMLESS, READ, NotUnderstood

# Arguments that OpenAI knows and the simulated model does not take.
FURTHER = frozenset(
    {
        *("tools", "tool_choice", "functions", "function_call", "parallel_tool_calls", "stream_options", "modalities"),
        *("logprobs", "top_logprobs", "logit_bias", "audio", "prediction", "web_search_options"),
    }
)
ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
Body = Mapping[str, Any]


def read_as(profile: Profile, body: Any, api_version: str = "") -> Any:
    """The request as the service reads it, without what it ignores. Raises NotUnderstood."""
    if not isinstance(body, Mapping) or not profile.is_real:
        return body
    sent = {name: value for name, value in body.items() if value is not None and name not in profile.ignored}
    fault = next(_faults(profile, sent, api_version), None)
    if fault is not None:
        raise NotUnderstood.of(fault)
    accepted_names = READ | HARMLESS if profile.ignores_unknown else frozenset(sent)
    return {name: value for name, value in sent.items() if name in accepted_names}


def _faults(profile: Profile, body: Body, api_version: str) -> Iterator[ServiceFault]:
    """In the order in which the services look."""
    yield from _arguments(profile, body)
    yield from _values(profile, body)
    yield from _roles(profile, body)
    yield from _format(profile, body, api_version)


def _arguments(profile: Profile, body: Body) -> Iterator[ServiceFault]:
    known_names = READ | HARMLESS | FURTHER if profile.strict_arguments else frozenset(body)
    for name in sorted(set(body) - known_names | set(body) & set(profile.unrecognised)):
        yield ServiceFault(f"Unrecognized request argument supplied: {name}")
    for name, replacement in profile.unsupported.items():
        if name in body:
            hint = f" Use '{replacement}' instead." if replacement else ""
            message = f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
            yield ServiceFault(message, param=name, code="unsupported_parameter")


def _values(profile: Profile, body: Body) -> Iterator[ServiceFault]:
    only, temperature = profile.only_temperature, body.get("temperature")
    if only is not None and temperature is not None and temperature != only:
        value = json.dumps(temperature)
        message = (
            f"'temperature' does not support {value} with this model. Only the default ({only}) value is supported."
        )
        yield ServiceFault(f"Unsupported value: {message}", param="temperature", code="unsupported_value")
    effort = body.get("reasoning_effort")
    if profile.efforts and effort is not None and effort not in profile.efforts:
        supported = ", ".join(f"'{name}'" for name in profile.efforts[:-1]) + f", and '{profile.efforts[-1]}'"
        message = f"'reasoning_effort' does not support '{effort}' with this model. Supported values are: {supported}."
        yield ServiceFault(f"Unsupported value: {message}", param="reasoning_effort", code="unsupported_value")


def _roles(profile: Profile, body: Body) -> Iterator[ServiceFault]:
    messages = body.get("messages")
    roles = [message.get("role") for message in messages or [] if isinstance(message, Mapping)]
    for index, role in enumerate(roles):
        if profile.refused_role and role == profile.refused_role:
            message = f"Unsupported value: 'messages[{index}].role' does not support '{role}' with this model."
            yield ServiceFault(message, param=f"messages[{index}].role", code="unsupported_value")
    if profile.bare_template and roles[:1] == ["system"]:
        yield ServiceFault("System role not supported")
    if profile.bare_template and any(role != ("user", "assistant")[index % 2] for index, role in enumerate(roles)):
        yield ServiceFault(ALTERNATE)


def _format(profile: Profile, body: Body, api_version: str) -> Iterator[ServiceFault]:
    response_format = body.get("response_format")
    kind = response_format.get("type") if isinstance(response_format, Mapping) else None
    if profile.no_format and kind not in (None, "text"):
        yield profile.no_format
    too_old = not profile.schemas_since or api_version[:10] < profile.schemas_since
    if profile.no_schema and kind == "json_schema" and too_old:
        yield profile.no_schema
    if profile.wants_word and kind == "json_object" and "json" not in json.dumps(body.get("messages")).lower():
        message = (
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        )
        yield ServiceFault(message, param="messages")
