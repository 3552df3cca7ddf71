import asyncio
import signal
import sys
from typing import Any

from django.core.management.base import CommandParser

from annotate.engine.addresses import SIMULATED, announced
from annotate.management.command import ContractCommand
from lib.simulated.knobs import BIASES, BadKnob, Knobs
from lib.simulated.misbehaviours import LIBRARY, spread
from lib.simulated.profiles import PROFILES
from lib.simulated.server import DEFAULT_PORT, Serving, serve

DEFAULT = Knobs()
REMEDY = "Choose another port with --port, or any free port with --or-another."


class Command(ContractCommand):
    help = "Serve the simulated model on this machine only: the OpenAI protocol, without a real model, key or cost."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"default: {DEFAULT_PORT}; 0: any free port")
        parser.add_argument(
            "--profile", choices=PROFILES, default=DEFAULT.profile, help="service whose behaviour it imitates"
        )
        parser.add_argument("--or-another", action="store_true", help="use any free port if the requested one is taken")
        parser.add_argument("--seed", type=int, default=DEFAULT.seed, help="a different seed gives different answers")
        parser.add_argument("--latency", type=float, default=DEFAULT.latency, help="seconds before an answer")
        parser.add_argument("--skill", type=float, default=DEFAULT.skill, help="share of correct answers, 0 to 1")
        parser.add_argument("--bias", action="append", default=[], metavar="NAME=SHARE", help=", ".join(BIASES))
        parser.add_argument("--fault-rate", type=float, default=0.0, help="share of requests with a common fault")
        parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE", help=", ".join(LIBRARY))

    def handle(self, *args: Any, **options: Any) -> None:
        faults = spread(options["fault_rate"]) | shares("--fault", options["fault"], LIBRARY)
        knobs = {name: options[name] for name in ("seed", "latency", "skill", "profile")}
        knobs |= {"faults": faults, "biases": shares("--bias", options["bias"], BIASES)}
        try:
            asyncio.run(self.serve(options["port"], knobs, or_another=options["or_another"], as_json=options["json"]))
        except BadKnob as wrong:
            self.refuse(str(wrong))
        except OSError as fault:
            self.refuse(f"Port {options['port']} cannot be used: {fault.strerror}. {REMEDY}")

    async def serve(self, port: int, knobs: dict[str, Any], *, or_another: bool, as_json: bool) -> None:
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ending, stopped.set)
        async with serve(port, or_another=or_another, **knobs) as serving:
            with announced(serving.base_url):
                self.tell(serving, as_json=as_json)
                await stopped.wait()

    def tell(self, serving: Serving, *, as_json: bool) -> None:
        address = {"base_url": serving.base_url, "port": serving.port}
        text = f"The simulated model answers at {serving.base_url} (endpoints reach it as `{SIMULATED}`)"
        self.report(address, as_json=as_json, text=text)
        self.stdout.flush()


def shares(option: str, pairs: list[str], names: Any) -> dict[str, float]:
    """`name=share` arguments; anything else ends with usage (2)."""
    share_by_name = {}
    for pair in pairs:
        name, _equals, share = pair.partition("=")
        try:
            share_by_name[name] = float(share)
        except ValueError:
            sys.stderr.write(f"{option} {pair!r}: write NAME=SHARE.\n")
            sys.exit(2)
        if name not in names:
            sys.stderr.write(f"{option} {pair!r}: choose from {', '.join(names)}.\n")
            sys.exit(2)
    return share_by_name
