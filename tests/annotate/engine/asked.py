"""Requests to the simulated model, as clients send them."""

from typing import Any

from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer

QUERY = "A coat costs 80 euros, the price rises by 20 %, then falls by 20 %. What does it cost at the end?"
CHINESE = "一个圆锥的底面半径是 3 cm，高是 4 cm，求它的侧面积，并写出每一步的计算过程。"


def request(text: str = QUERY, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A body of /v1/chat/completions."""
    body: dict[str, Any] = {"model": "simulated-1", "messages": [{"role": "user", "content": text}]}
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "Answer", "schema": schema}}
    return body | more


def value(schema: dict[str, Any], text: str = QUERY, **knobs: Any) -> Any:
    """What is answered to a request with this schema."""
    return answer(read(request(text, schema)), Knobs(**knobs)).value


def closed(**properties: Any) -> dict[str, Any]:
    """An object with these properties, all required, as strict services want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
