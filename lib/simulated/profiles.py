"""Profiles of services that the simulated model can imitate: what each refuses, ignores and adds, as data.

Error messages are the services' own, as their users report them. `read_as` compares a request with a profile.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from lib.simulated.faults import GATEWAY, ServiceFault
from lib.simulated.requests import HARMLESS, READ, NotUnderstood, images_in

DEFAULT_PROFILE = "simulated"
HIDDEN = ""  # the reasoning is counted and not shown


@dataclass(frozen=True)
class Profile:
    """One service, or one sort of model behind it.

    dialect: form of its errors, see faults.py. unsupported: parameter -> the one to use instead, "" for none.
    unrecognised: parameters it has never heard of. strict_arguments: so with every argument that OpenAI does not know;
    ignores_unknown: passes over them. ignored: parameters it takes without effect. only_temperature: the one it takes.
    efforts: values of `reasoning_effort`, empty where it is no matter. refused_role: role that no message may have.
    bare_template: its chat template knows user and assistant in turn and nothing else.
    no_schema: what it says to json_schema; schemas_since: only of API versions before this one.
    no_format: what it says to any response_format. no_images: so to an image.
    wants_word: json_object wants the word JSON in the messages.
    reasoning: field of the message in which its reasoning stands, HIDDEN, or None where it does not reason;
    counts_reasoning: whether the usage says how many tokens of it there were.
    by_deployment: addressed as Azure is, with the key in `api-key`. has_keys: whether it looks at keys at all.
    refuses_long: whether a prompt beyond the context is refused, else it is cut. evaluator: see service.py.
    """

    dialect: str = "openai"
    unsupported: Mapping[str, str] = field(default_factory=dict)
    unrecognised: tuple[str, ...] = ()
    strict_arguments: bool = False
    ignores_unknown: bool = False
    ignored: tuple[str, ...] = ()
    only_temperature: float | None = None
    efforts: tuple[str, ...] = ()
    refused_role: str = ""
    bare_template: bool = False
    no_schema: ServiceFault | None = None
    schemas_since: str = ""
    no_format: ServiceFault | None = None
    no_images: ServiceFault | None = None
    wants_word: bool = False
    reasoning: str | None = None
    counts_reasoning: bool = False
    by_deployment: bool = False
    has_keys: bool = True
    refuses_long: bool = True
    evaluator: str = ""

    @property
    def is_real(self) -> bool:
        """Whether the profile is that of a real service; the default profile is the simulated model's own."""
        return self is not PROFILES[DEFAULT_PROFILE]


UNSUPPORTED_BY_REASONERS = MappingProxyType(
    {
        "max_tokens": "max_completion_tokens",
        **dict.fromkeys(
            ("top_p", "stop", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias"), ""
        ),
    }
)
NO_SCHEMA = ServiceFault(
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about "
    "supported models at the Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs"
)
OLD_VERSION = ServiceFault(
    "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later",
    type=GATEWAY,
    code="BadRequest",
)
NO_ENDPOINTS = ServiceFault(
    "No endpoints found that can handle the requested parameters. To learn more about provider routing, visit: "
    "https://openrouter.ai/docs/guides/routing/provider-selection",
    404,
    GATEWAY,
)
NO_FORMAT = ServiceFault("response_format is not supported by this model")
NO_IMAGES = ServiceFault(
    "Invalid content type. image_url is only supported by certain models.", param="messages.[1].content.[1].type"
)
OLDER = Profile(
    strict_arguments=True, unrecognised=("reasoning_effort",), no_schema=NO_SCHEMA, wants_word=True
)  # than json_schema and reasoning; `developer` is taken as `system`
PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        DEFAULT_PROFILE: Profile(),
        "gpt-5": Profile(
            unsupported=UNSUPPORTED_BY_REASONERS,
            strict_arguments=True,
            only_temperature=1,
            efforts=("minimal", "low", "medium", "high"),
            wants_word=True,
            reasoning=HIDDEN,
            counts_reasoning=True,
        ),
        "o-series": Profile(
            unsupported=UNSUPPORTED_BY_REASONERS,
            strict_arguments=True,
            only_temperature=1,
            efforts=("low", "medium", "high"),
            refused_role="system",
            wants_word=True,
            reasoning=HIDDEN,
            counts_reasoning=True,
        ),
        "gpt-4-turbo": OLDER,
        "gpt-3.5-turbo": replace(OLDER, no_images=NO_IMAGES),
        **{
            name: Profile(dialect=name, ignores_unknown=True, bare_template=True, reasoning="reasoning_content")
            for name in ("vllm", "vllm-0.10")
        },
        "ollama": Profile(
            dialect="ollama",
            ignores_unknown=True,
            ignored=("max_completion_tokens",),
            reasoning="reasoning",
            has_keys=False,
            refuses_long=False,
        ),
        "azure": Profile(
            dialect="azure",
            unrecognised=("reasoning_effort",),
            strict_arguments=True,
            no_schema=OLD_VERSION,
            schemas_since="2024-08-01",
            wants_word=True,
            by_deployment=True,
        ),
        "openrouter": Profile(
            dialect="openrouter",
            ignores_unknown=True,
            no_schema=NO_ENDPOINTS,
            wants_word=True,
            reasoning="reasoning",
            counts_reasoning=True,
        ),
        **{
            name: Profile(dialect="vllm", ignores_unknown=True, no_format=NO_FORMAT, evaluator=name)
            for name in ("prometheus-2", "auto-j", "judgelm")
        },
    }
)


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
    if profile.no_images and any(images_in(body)):
        yield profile.no_images
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
