"""What all commands share: `--json`, exit codes, and how a refusal is said."""

import gc
import json
import sys
from argparse import ArgumentTypeError
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, ProgrammingError

from annotate.acting import acting, command_line
from annotate.engine.wire import PARAMETERS
from annotate.models import Endpoint, Project


class ContractCommand(BaseCommand):
    """A command of the contract: exit 0 ok, 1 refused with a message on stderr, 2 usage.

    With --json one JSON object goes to stdout and nothing else does.
    """

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            with acting(command_line(type(self).__module__.rpartition(".")[2])):
                return super().execute(*args, **options)
        except (OperationalError, ProgrammingError) as fault:
            raise CommandError(
                f"The database is not ready: {fault}. Run `manage.py migrate`, then `manage.py doctor`.", returncode=1
            ) from fault

    def report(self, value: dict[str, Any], *, as_json: bool, text: str) -> None:
        self.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) if as_json else text)

    def refuse(self, message: str) -> NoReturn:
        """Say why on stderr and leave with exit code 1."""
        raise CommandError(message, returncode=1)

    def misuse(self, message: str) -> NoReturn:
        """Say on stderr what is wrong with the arguments and leave with exit code 2."""
        self.stderr.write(message)
        sys.exit(2)

    def split_shares(self, pairs: list[str]) -> dict[str, float]:
        """The shares of splits by name, from `NAME=SHARE`. Another text is misuse."""
        shares = {}
        for pair in pairs:
            name, _equals, share = pair.partition("=")
            try:
                shares[name] = float(share)
            except ValueError:
                self.misuse(f"--split {pair}: write NAME=SHARE, such as train=0.8.")
        return shares

    def project(self, slug: str) -> Project:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            slugs = ", ".join(Project.objects.values_list("slug", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no project {slug!r}. Projects: {slugs}.", returncode=1)
        return project


def collect_garbage_rarely() -> None:
    """For a command that makes many short-lived objects and then ends: collecting after every 700 costs a tenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def key_values(pairs: list[str]) -> dict[str, Any]:
    """`key=value` arguments; a value that reads as JSON becomes that value. A pair without = ends with usage (2)."""
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            sys.stderr.write(f"--option {pair!r}: write key=value.\n")
            sys.exit(2)
        try:
            values[key] = json.loads(value)
        except ValueError:
            values[key] = value
    return values


# Options of commands for what is sent beside a question: temperature and the like.


def json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ArgumentTypeError(f'{text!r} is not a JSON object; write one such as {{"top_k": 20}}')
    return value


def add_parameters(parser: CommandParser, *, temperature: bool = True) -> None:
    """temperature: False for a command that has an option of this name for its own steps."""
    if temperature:
        parser.add_argument(
            "--temperature", type=float, metavar="T", help="for all steps, overriding their own setting"
        )
    parser.add_argument("--top-p", type=float, metavar="P")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--reasoning-effort", choices=Endpoint.Effort.values, help="for reasoning models")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="limit per reply, reasoning included")
    parser.add_argument(
        "--extra-body", type=json_object, metavar="JSON", help="further request parameters that the endpoint allows"
    )


def parameters_in(options: dict[str, Any], *, temperature: bool = True) -> dict[str, Any]:
    """Those that were given."""
    names = (name for name in PARAMETERS if name != "temperature" or temperature)
    return {name: options[name] for name in names if options.get(name) is not None}
