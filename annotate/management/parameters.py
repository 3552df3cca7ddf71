"""Options of commands for what is sent beside a question: temperature and the like."""

import json
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from annotate.llm.wire import PARAMETERS
from annotate.models import Endpoint


def json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ArgumentTypeError(f'{text!r} is no JSON object; write one such as {{"top_k": 20}}')
    return value


def add_parameters(parser: CommandParser, *, temperature: bool = True) -> None:
    """temperature: False for a command that has an option of this name for its own steps."""
    if temperature:
        parser.add_argument("--temperature", type=float, metavar="T", help="of every question, whatever its step asks")
    parser.add_argument("--top-p", type=float, metavar="P")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--reasoning-effort", choices=Endpoint.Effort.values, help="of reasoning models")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="of a reply, reasoning included")
    parser.add_argument(
        "--extra-body", type=json_object, metavar="JSON", help="more parameters, with names that the endpoint allows"
    )


def parameters_in(options: dict[str, Any], *, temperature: bool = True) -> dict[str, Any]:
    """Those that were given."""
    names = (name for name in PARAMETERS if name != "temperature" or temperature)
    return {name: options[name] for name in names if options.get(name) is not None}
