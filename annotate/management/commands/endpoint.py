from argparse import ArgumentTypeError, BooleanOptionalAction
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.engine import endpoints
from annotate.engine.capabilities import Capabilities
from annotate.engine.endpoints import BadEndpoint, key_is_set
from annotate.engine.wire import PARAMETERS
from annotate.management.command import ContractCommand, add_parameters
from annotate.models import Endpoint

NONE_IF_ZERO = ("requests_a_minute", "tokens_a_minute", "context_length")
OPTIONS = {"strict_json": "--json-schema"}
USAGE = 2


def usd(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite():
        raise ArgumentTypeError(f"{text!r} is not an amount of USD; write a number such as 0.25")
    return amount


def names(text: str) -> list[str]:
    return sorted({name.strip() for name in text.split(",") if name.strip()})


class Command(ContractCommand):
    help = "Create or change a model service. This approves its address, even if it is on this machine."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name")
        parser.add_argument("--base-url", metavar="URL", help="such as https://models.example.org/v1, or simulated")
        parser.add_argument("--model")
        parser.add_argument("--key-env", metavar="VAR", help="name of the environment variable that holds the key")
        parser.add_argument("--price-in", type=usd, metavar="USD", help="per million input tokens")
        parser.add_argument("--price-out", type=usd, metavar="USD", help="per million output tokens")
        parser.add_argument("--max-in-flight", type=int, metavar="N", help="concurrent calls, over all workers")
        parser.add_argument("--requests-a-minute", type=int, metavar="N", help="0: no limit")
        parser.add_argument("--tokens-a-minute", type=int, metavar="N", help="0: no limit")
        parser.add_argument("--context-length", type=int, metavar="TOKENS", help="0: unknown")
        parser.add_argument("--deadline", type=int, metavar="SECONDS", help="timeout of a call")
        parser.add_argument("--attempts", type=int, metavar="N", help="per step")
        parser.add_argument("--json-schema", dest="strict_json", action=BooleanOptionalAction, default=None)
        parser.add_argument(
            "--takes-images",
            action=BooleanOptionalAction,
            default=None,
            help="the model sees images; they are sent with questions about items that show some",
        )
        parser.add_argument("--api-version", metavar="VERSION", help="for Azure; the key is then sent as api-key")
        add_parameters(parser)
        parser.add_argument(
            "--extra-allowed",
            type=names,
            metavar="NAME,…",
            help="parameters allowed in the extra body, here and in runs",
        )
        parser.add_argument(
            "--forget", action="store_true", help="discard what was learned about the service's capabilities"
        )
        parser.add_argument("--simulated", action=BooleanOptionalAction, default=None)
        parser.add_argument(
            "--retire", action="store_true", help="retire it: it can no longer be chosen, its runs are kept"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        endpoint = Endpoint.objects.filter(name=options["name"]).first()
        if options["retire"]:
            self._retire(endpoint, options)
            return
        if endpoint and options["forget"]:
            endpoints.forget_learned(endpoint)
            endpoint.refresh_from_db()
        values = {name: options[name] for name in COLUMNS if options[name] is not None}
        values |= {name: None for name in NONE_IF_ZERO if options[name] == 0}
        try:
            written = self._change(endpoint, values) if endpoint else self._create(options["name"], values)
        except BadEndpoint as bad:
            raise CommandError(_fault_lines(bad), returncode=1) from bad
        self._report(written, created=endpoint is None, as_json=options["json"])

    def _create(self, name: str, values: dict[str, Any]) -> Endpoint:
        if missing := [f"--{column.replace('_', '-')}" for column in ("base_url", "model") if column not in values]:
            raise CommandError(
                f"There is no endpoint {name!r} yet; to create it, give {' and '.join(missing)}.", returncode=USAGE
            )
        return endpoints.create(by=None, name=name, **values)

    @staticmethod
    def _change(endpoint: Endpoint, values: dict[str, Any]) -> Endpoint:
        return endpoints.change(endpoint, by=None, **values)

    def _retire(self, endpoint: Endpoint | None, options: dict[str, Any]) -> None:
        if endpoint is None:
            endpoint_names = ", ".join(Endpoint.objects.values_list("name", flat=True)) or "none yet"
            raise CommandError(f"There is no endpoint {options['name']!r}. Endpoints: {endpoint_names}.", returncode=1)
        endpoints.retire(endpoint)
        text = f"{endpoint.name} is retired. Run this without --retire to bring it back."
        self.report({"endpoint": endpoint.name, "retired": True}, as_json=options["json"], text=text)

    def _report(self, endpoint: Endpoint, *, created: bool, as_json: bool) -> None:
        hints = endpoints.hints(endpoint)
        value = {name: _plain(getattr(endpoint, name)) for name in COLUMNS}
        value |= {"endpoint": endpoint.name, "created": created, "retired": False}
        value |= {"key_set": key_is_set(endpoint), "hints": hints}
        value |= {"learned": Capabilities.stored(endpoint.capabilities).lessons}
        word = "Created" if created else "Changed"
        lines = [f"{word} {endpoint.name}: {endpoint.model} at {endpoint.base_url}", *hints]
        self.report(value, as_json=as_json, text="\n".join(lines))


COLUMNS = (
    *("base_url", "model", "key_env", "price_in", "price_out", "max_in_flight", "requests_a_minute"),
    *("tokens_a_minute", "deadline", "attempts", "context_length", "strict_json", "takes_images", "simulated"),
    *("api_version", *PARAMETERS, "extra_allowed"),
)


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _fault_lines(bad: BadEndpoint) -> str:
    """Each fault after the option that it is about."""
    options = ((OPTIONS.get(name) or f"--{name.replace('_', '-')}", messages) for name, messages in bad.errors.items())
    return "\n".join(f"{option}: {message}" for option, messages in options for message in messages).replace(
        "--name:", "NAME:"
    )
