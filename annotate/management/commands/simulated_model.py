import asyncio
import signal
import sys
from typing import Any

from django.core.management.base import CommandParser

from annotate.llm.simulated.knobs import BIASES, BadKnob, Knobs
from annotate.llm.simulated.misbehaviours import LIBRARY, spread
from annotate.llm.simulated.server import DEFAULT_PORT, serve
from annotate.management.command import ContractCommand

DEFAULT = Knobs()


class Command(ContractCommand):
    help = "Serve the simulated model on this machine only: the OpenAI protocol without a model, a key or a cost."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"default {DEFAULT_PORT}; 0: any free one")
        parser.add_argument("--seed", type=int, default=DEFAULT.seed, help="another seed gives other answers")
        parser.add_argument("--latency", type=float, default=DEFAULT.latency, help="seconds before an answer")
        parser.add_argument("--skill", type=float, default=DEFAULT.skill, help="share of right answers, 0 to 1")
        parser.add_argument("--bias", action="append", default=[], metavar="NAME=SHARE", help=", ".join(BIASES))
        parser.add_argument("--fault-rate", type=float, default=0.0, help="share of requests with any common fault")
        parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE", help=", ".join(LIBRARY))

    def handle(self, *args: Any, **options: Any) -> None:
        faults = spread(options["fault_rate"]) | shares("--fault", options["fault"], LIBRARY)
        knobs = {name: options[name] for name in ("seed", "latency", "skill")}
        knobs |= {"faults": faults, "biases": shares("--bias", options["bias"], BIASES)}
        try:
            asyncio.run(self.serve(options["port"], knobs, as_json=options["json"]))
        except BadKnob as wrong:
            self.refuse(str(wrong))
        except OSError as fault:
            self.refuse(f"Port {options['port']} cannot be used: {fault.strerror}. Choose another with --port.")

    async def serve(self, port: int, knobs: dict[str, Any], *, as_json: bool) -> None:
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ending, stopped.set)
        async with serve(port, **knobs) as serving:
            told = {"base_url": serving.base_url, "port": serving.port}
            self.report(told, as_json=as_json, text=f"The simulated model answers at {serving.base_url}")
            self.stdout.flush()
            await stopped.wait()


def shares(option: str, pairs: list[str], known: Any) -> dict[str, float]:
    """`name=share` arguments; anything else ends with usage (2)."""
    given = {}
    for pair in pairs:
        name, _equals, share = pair.partition("=")
        try:
            given[name] = float(share)
        except ValueError:
            sys.stderr.write(f"{option} {pair!r}: write NAME=SHARE.\n")
            sys.exit(2)
        if name not in known:
            sys.stderr.write(f"{option} {pair!r}: there are {', '.join(known)}.\n")
            sys.exit(2)
    return given
