"""What all commands share that let a model work: plan or take up a run, wait for it, say how it ended."""

import sys
import threading
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from django.db import connections
from pydantic import ValidationError

from annotate.engine import concurrency
from annotate.engine.endpoints import refuse_unless_callable, to_choose_from
from annotate.engine.purposes import purposes
from annotate.errors import Refused, WrongState
from annotate.kinds.shapes import faults
from annotate.management.command import (
    ContractCommand,
    add_parameters,
    collect_garbage_rarely,
    key_values,
    parameters_in,
)
from annotate.models import Endpoint, Project, Run
from annotate.runs import actions, execution
from annotate.runs.execution import RunProgress, work
from annotate.runs.failures import HaltReason, why_halted
from annotate.runs.item_selection import why_nothing
from annotate.runs.plan import plan_run

USAGE = 2
BETWEEN_LINES = 5.0  # seconds between two lines of progress


def whole_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 2**31):
        raise ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)


def usd(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or not 0 < amount < 10**8:
        raise ArgumentTypeError(f"{text!r} is not an amount of USD above zero; write a number such as 2.50")
    return round(amount, 4)


class RunCommand(ContractCommand):
    """One purpose as a command. Others than `purpose`: add_options and options_of for arguments of its own."""

    purpose: ClassVar[str]
    # False where --temperature is an option of the purpose.
    temperature_of_all: ClassVar[bool] = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--endpoint", metavar="NAME", help="the model service to call")
        parser.add_argument("--limit", type=whole_number, metavar="N", help="job limit")
        parser.add_argument("--budget", type=usd, metavar="USD", help="no calls are sent once it is used up")
        parser.add_argument(
            "--share-replies", action="store_true", help="reuse identical requests (cache), at temperature 0"
        )
        add_parameters(parser, temperature=self.temperature_of_all)
        parser.add_argument(
            "--option", action="append", default=[], metavar="key=value", help="purpose-specific option"
        )
        parser.add_argument(
            "--wait", action="store_true", help="work in this process, without a worker, until no job is open"
        )
        parser.add_argument("--run", type=whole_number, metavar="N", help="continue this run instead of planning one")
        parser.add_argument("--retry-failed", action="store_true", help="retry the failed jobs of --run")
        self.add_options(parser)

    def add_options(self, parser: CommandParser) -> None:
        """Arguments of one purpose only."""

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        """What the run keeps for its purpose. Raises CommandError."""
        shape = purposes()[self.purpose].options
        option_values = key_values(options["option"])
        unknown = sorted(set(option_values) - set(shape.model_fields))
        if unknown:
            option_names = ", ".join(shape.model_fields) or "none"
            raise CommandError(f"--option {unknown[0]}: unknown option; known: {option_names}.", returncode=USAGE)
        try:
            return shape.model_validate(option_values).model_dump(mode="json", exclude_unset=True)
        except ValidationError as error:
            message = "; ".join(f"--option {fault.path}: {fault.message}" for fault in faults(error))
            raise CommandError(message, returncode=USAGE) from error

    def more(self, run: Run) -> dict[str, Any]:
        """What one purpose reports beside what all report."""
        return {}

    # --- what is done -------------------------------------------------------------------------------------------------
    def handle(self, *args: Any, **options: Any) -> None:
        self._check_usage(options)
        project = self.project(options["slug"])
        try:
            run = self._taken_up(project, options) if options["run"] else self._planned(project, options)
        except Refused as refused:
            raise CommandError(str(refused), returncode=1) from refused
        stopped = options["wait"] and self._interrupted(run)
        self._report(run, options)
        if stopped:
            self.refuse(f"Paused run {run.pk}; finished jobs are kept. Continue: {self._how_to_go_on(run)}")
        halted = why_halted(run)
        if halted is not None:
            self.refuse(self._why_halted(run, halted))

    def _parameters(self, options: dict[str, Any]) -> dict[str, Any]:
        return parameters_in(options, temperature=self.temperature_of_all)

    def _check_usage(self, options: dict[str, Any]) -> None:
        if options["retry_failed"] and not options["run"]:
            raise CommandError("--retry-failed needs --run N.", returncode=USAGE)
        if not options["run"] and not options["endpoint"]:
            raise CommandError("Give --endpoint NAME, or --run N to continue a run.", returncode=USAGE)
        if options["run"] and (parameters := self._parameters(options)):
            name = next(iter(parameters)).replace("_", "-")
            raise CommandError(
                f"--{name} is for planning only; a planned run already has its parameters.", returncode=USAGE
            )
        if options["run"] and options["limit"]:
            raise CommandError("--limit is for planning only; a planned run already has its jobs.", returncode=USAGE)

    def _planned(self, project: Project, options: dict[str, Any]) -> Run:
        endpoint = self._endpoint(options["endpoint"])
        limit = options["limit"]
        run_options = self.options_of(project, options) | ({"limit": limit} if limit else {})
        collect_garbage_rarely()
        run = plan_run(
            project=project,
            purpose=self.purpose,
            endpoint=endpoint,
            by=None,
            options=run_options,
            budget=options["budget"],
            limit=limit,
            shares_replies=options["share_replies"],
            parameters=self._parameters(options),
            whole=True,
        )
        if not run.jobs.exists():
            self._report(run, options)
            why = " ".join(why_nothing(run))
            self.refuse(f"Nothing to do. {why} Run {run.pk} was planned but not started.")
        actions.start(run, None, ring=not options["wait"])
        return run

    @staticmethod
    def _endpoint(name: str) -> Endpoint:
        endpoint = Endpoint.objects.filter(name=name).first()
        if endpoint is None:
            endpoint_names = ", ".join(to_choose_from().values_list("name", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no endpoint {name!r}. Endpoints: {endpoint_names}.", returncode=1)
        refuse_unless_callable(endpoint)
        return endpoint

    def _taken_up(self, project: Project, options: dict[str, Any]) -> Run:
        """A run that is there already, running if anything is left to do."""
        run = self._found(project, options)
        if options["budget"]:
            actions.raise_budget(run, options["budget"], None)
        try:
            self._set_going(run, retry=options["retry_failed"], ring=not options["wait"])
        except WrongState as wrong:
            run.refresh_from_db()
            word = run.get_state_display().lower()
            raise Refused(f"Run {run.pk} is {word}; it cannot be continued now.") from wrong
        return run

    def _found(self, project: Project, options: dict[str, Any]) -> Run:
        run = Run.objects.filter(project=project, pk=options["run"]).select_related("endpoint", "project").first()
        if run is None:
            raise Refused(f"The project {project.slug!r} has no run {options['run']}.")
        if run.purpose != self.purpose:
            raise Refused(f"Run {run.pk} is for {run.purpose!r}, not for {self.purpose!r}.")
        if options["endpoint"] not in (None, run.endpoint.name):
            raise Refused(
                f"Run {run.pk} uses the endpoint {run.endpoint.name!r}; plan another run to use a different one."
            )
        return run

    @staticmethod
    def _set_going(run: Run, *, retry: bool, ring: bool) -> None:
        if run.state != Run.State.FINISHED or retry:
            refuse_unless_callable(run.endpoint)
        if retry:
            actions.retry_failed(run, None, ring=ring)
        if run.state == Run.State.PLANNED:
            actions.start(run, None, ring=ring)
        elif run.state == Run.State.PAUSED:
            actions.resume(run, None, ring=ring)
        elif run.state not in (Run.State.RUNNING, Run.State.FINISHED):
            raise WrongState

    # --- waiting ------------------------------------------------------------------------------------------------------
    def _interrupted(self, run: Run) -> bool:
        """Work until nothing is open; True where Ctrl+C or SIGTERM ended that, and the run is paused now."""
        run.refresh_from_db()
        if run.state != Run.State.RUNNING:
            return False
        try:
            with self._telling(run), concurrency.on_sigterm():
                work(run)
            return concurrency.has_begun() and self._paused(run)
        except KeyboardInterrupt:
            return self._paused(run)
        except WrongState:
            pass  # somebody else paused, cancelled or finished it between our two looks
        return False

    @staticmethod
    def _paused(run: Run) -> bool:
        try:
            actions.pause(run, None)
        except WrongState:
            return False  # it ended in this very moment
        return True

    @contextmanager
    def _telling(self, run: Run) -> Iterator[None]:
        """A line of progress on stderr now and then, from a thread with a connection of its own."""
        over = threading.Event()
        teller = threading.Thread(target=_tell, args=(run, over, self.stderr.write), daemon=True)
        teller.start()
        try:
            yield
        finally:
            over.set()
            teller.join(timeout=BETWEEN_LINES)

    # --- saying how it ended ------------------------------------------------------------------------------------------
    def _report(self, run: Run, options: dict[str, Any]) -> None:
        run.refresh_from_db()
        progress = execution.progress(run)
        report = {
            "run": run.pk,
            "jobs": progress.jobs,
            "done": progress.done,
            "failed": progress.failed,
            "causes": progress.causes,
            "calls": progress.calls,
            "cost": float(progress.cost),
            "paused_for": run.cause or None,
        }
        self.report(report | self.more(run), as_json=options["json"], text=self._in_words(run, progress))

    def _in_words(self, run: Run, progress: RunProgress) -> str:
        lines = [f"Run {run.pk} ({run.get_state_display().lower()}): {in_words(progress)}"]
        if not progress.jobs and run.state != Run.State.PLANNED:
            lines.append(" ".join(["  Nothing to do.", *why_nothing(run)]))
        lines += [f"  failed, {cause}: {count}" for cause, count in progress.causes.items()]
        if progress.open and run.state == Run.State.RUNNING:
            lines.append(
                f"The worker continues. Watch: /p/{run.project.slug}/runs/{run.pk}/ or {self._how_to_go_on(run)}"
            )
        if progress.failed:
            lines.append(f"To retry failed jobs: {self._how_to_go_on(run)} --retry-failed")
        return "\n".join(lines)

    def _why_halted(self, run: Run, halted: HaltReason) -> str:
        reason = " ".join(filter(None, [halted.words.sentence, halted.words.words, halted.remedy]))
        return (
            f"Run {run.pk} was paused automatically: {halted.cause.label}. {reason} Continue: {self._how_to_go_on(run)}"
        )

    def _how_to_go_on(self, run: Run) -> str:
        name = type(self).__module__.rpartition(".")[2]
        return f"manage.py {name} {run.project.slug} --run {run.pk} --wait"


def in_words(progress: RunProgress) -> str:
    parts = [f"{progress.jobs} jobs", f"{progress.done} done", f"{progress.failed} failed"]
    if progress.open:
        parts.append(f"{progress.open} open")
    if progress.cancelled:
        parts.append(f"{progress.cancelled} cancelled")
    return ", ".join([*parts, f"{progress.calls} calls", f"${progress.cost:.4f}"])


def _tell(run: Run, over: threading.Event, write: Callable[[str], object]) -> None:
    try:
        while not over.wait(BETWEEN_LINES):
            progress = execution.progress(run)
            time_left = f", about {progress.seconds_left} s left" if progress.seconds_left is not None else ""
            write(f"run {run.pk}: {in_words(progress)}{time_left}")
            sys.stderr.flush()
    finally:
        connections.close_all()
