"""Error responses of services. A fault is the error itself; a dialect is the format in which a service sends it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

INVALID = "invalid_request_error"
GATEWAY = "gateway"  # sent by the gateway in front of the models, in its own format
VLLM_TYPES = {400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError", 429: "RateLimitError"}
OLLAMA_TYPES = {400: INVALID, 404: "not_found_error"}


@dataclass(frozen=True)
class ServiceFault:
    """What a service has to say instead of an answer. param, code: None where it names none."""

    message: str
    status: int = 400
    type: str = INVALID
    param: str | None = None
    code: str | None = None


Dialect = Callable[[ServiceFault], dict[str, Any]]


def openai(fault: ServiceFault) -> dict[str, Any]:
    """The form of the protocol itself."""
    return {"error": {"message": fault.message, "type": fault.type, "param": fault.param, "code": fault.code}}


def vllm(fault: ServiceFault) -> dict[str, Any]:
    """A flat object whose code is the status; its key check is older than that form."""
    if fault.status == 401:
        return {"error": "Unauthorized"}
    name = VLLM_TYPES.get(fault.status, "InternalServerError")
    return {"object": "error", "message": fault.message, "type": name, "param": None, "code": fault.status}


def vllm_nested(fault: ServiceFault) -> dict[str, Any]:
    """The same from vLLM 0.10.1 on: inside `error`, as the protocol has it."""
    flat = vllm(fault)
    return {"error": {name: flat[name] for name in flat if name != "object"}} if "object" in flat else flat


def ollama(fault: ServiceFault) -> dict[str, Any]:
    """The form of the protocol with neither param nor code; the type follows the status."""
    name = OLLAMA_TYPES.get(fault.status, "api_error")
    return {"error": {"message": fault.message, "type": name, "param": None, "code": None}}


def azure(fault: ServiceFault) -> dict[str, Any]:
    """The gateway knows code and message; the models behind it say the rest in the form of the protocol."""
    if fault.type == GATEWAY:
        return {"error": {"code": fault.code, "message": fault.message}}
    return openai(fault)


def openrouter(fault: ServiceFault) -> dict[str, Any]:
    """The code is a status; what a provider said stands as JSON text inside."""
    if fault.type == GATEWAY:
        return {"error": {"message": fault.message, "code": fault.status}, "user_id": "user_simulated"}
    provider = {"raw": json.dumps(openai(fault)), "provider_name": "Simulated"}
    wrapped = {"message": "Provider returned error", "code": fault.status, "metadata": provider}
    return {"error": wrapped, "user_id": "user_simulated"}


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "openai": openai,
        "vllm": vllm,
        "vllm-0.10": vllm_nested,
        "ollama": ollama,
        "azure": azure,
        "openrouter": openrouter,
    }
)
WRONG_KEY: Mapping[str, ServiceFault] = MappingProxyType(
    {
        "openai": ServiceFault("Incorrect API key provided.", 401, INVALID, code="invalid_api_key"),
        "vllm": ServiceFault("Unauthorized", 401),
        "vllm-0.10": ServiceFault("Unauthorized", 401),
        "azure": ServiceFault(
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for "
            "an active subscription and use a correct regional API endpoint for your resource.",
            401,
            GATEWAY,
            code="401",
        ),
        "openrouter": ServiceFault("No auth credentials found", 401, GATEWAY),
    }
)


def filtered_prompt() -> dict[str, Any]:
    """The body with which Azure refuses a prompt that its content filter caught."""
    mild = {"filtered": False, "severity": "safe"}
    filter_results = {
        "hate": mild,
        "jailbreak": {"filtered": False, "detected": False},
        "self_harm": mild,
        "sexual": mild,
    }
    inner = {
        "code": "ResponsibleAIPolicyViolation",
        "content_filter_result": filter_results | {"violence": {"filtered": True, "severity": "medium"}},
    }
    message = (
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please "
        "modify your prompt and retry. To learn more about our content filtering policies please read our "
        "documentation: https://go.microsoft.com/fwlink/?linkid=2198766"
    )
    error = {"message": message, "type": None, "param": "prompt", "code": "content_filter", "status": 400}
    return {"error": error | {"innererror": inner}}
