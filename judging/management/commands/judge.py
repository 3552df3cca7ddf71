from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count
from pydantic import ValidationError

from annotate.errors import Refused
from annotate.kinds.shapes import faults
from annotate.management.command import key_values
from annotate.management.run_command import USAGE, RunCommand, whole_number
from annotate.models import Project, Run
from annotate.runs.execution import RunProgress
from judging.answers import store
from judging.models import Verdict
from judging.strategies.strategy import strategies
from judging.verdicts.judge_options import (
    ALL,
    GOLD_PERTURBED,
    LISTED,
    JudgeOptions,
    read_options,
    refuse_unless_possible,
)

PAIRS_HELP = "which pairs to judge; a file has one JSON object per line with key, first and second (authors)"
REFERENCE_HELP = (
    "author whose answer the judge sees as a trusted reference; default: the reference stored with the items, if any"
)
OWN_HELP = "compare each author's second answer with the author's own first one; used by the report rating_bias"
ORDERS_HELP = "also judge each pair with its answers swapped; built-in pairwise strategies always do"


class Command(RunCommand):
    help = "Let a model judge the answers to accepted items. Scores and the leaderboard are computed from its verdicts."
    purpose = "judge"

    def add_options(self, parser: CommandParser) -> None:
        strategy_names = ", ".join(strategies())
        parser.add_argument("--strategy", metavar="S", help=f"judging strategy: {strategy_names}")
        parser.add_argument("--authors", metavar="a,b", help="authors of the answers; default: all")
        parser.add_argument("--pairs", metavar="all|gold-perturbed|FILE", help=PAIRS_HELP)
        parser.add_argument("--reference", metavar="AUTHOR", help=REFERENCE_HELP)
        parser.add_argument("--own-reference", action="store_true", help=OWN_HELP)
        parser.add_argument("--both-orders", action="store_true", help=ORDERS_HELP)
        parser.add_argument("--repeats", type=whole_number, metavar="N", help="verdicts per answer or pair; default: 1")

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        """What was given, with the options of the strategy beside it."""
        if not project.kind.can_be_judged:
            raise CommandError(f"Items of the kind {project.kind_slug} have no answers to judge.", returncode=1)
        if not options["strategy"]:
            raise CommandError(f"Give --strategy, one of: {', '.join(strategies())}.", returncode=USAGE)
        judge_options = _given(options) | {"strategy": options["strategy"]}
        store.ensure(project)  # so that their authors can be named
        strategy_options = key_values(options["option"])
        try:
            judge_request = read_options(judge_options)
            if judge_request.strategy.needs_reference and not judge_request.beside and (trusted := store.held(project)):
                judge_options["reference"] = trusted
            _refuse_unknown(strategy_options, list(judge_request.strategy.options.model_fields))
            stored_options = JudgeOptions.model_validate(judge_options).model_dump(mode="json", exclude_unset=True)
            stored_options |= judge_request.strategy.options.model_validate(strategy_options).model_dump(
                mode="json", exclude_unset=True
            )
            refuse_unless_possible(project, read_options(stored_options))
        except ValidationError as error:
            message = "; ".join(f"{_flag(fault.path, strategy_options)}: {fault.message}" for fault in faults(error))
            raise CommandError(message, returncode=USAGE) from error
        except Refused as refused:
            raise CommandError(str(refused), returncode=1) from refused
        return stored_options

    def more(self, run: Run) -> dict[str, Any]:
        """Verdicts that were read, and those that could not be."""
        counted = Verdict.objects.filter(job__run=run).values_list("reading").annotate(Count("pk")).order_by()
        count_by_reading = dict(counted)
        return {
            name: count_by_reading.get(name, 0) for name in (Verdict.Reading.OK.value, Verdict.Reading.UNPARSED.value)
        }

    def _in_words(self, run: Run, progress: RunProgress) -> str:
        verdicts = self.more(run)
        verdicts_line = f"  verdicts: {verdicts['ok']} read, {verdicts['unparsed']} not readable"
        return f"{super()._in_words(run, progress)}\n{verdicts_line}"


def _flag(path: str, strategy_options: Mapping[str, str]) -> str:
    """Where it was given: by `--option`, or as an argument of the command."""
    return f"--option {path}" if path.split("[")[0] in strategy_options else f"--{path.replace('_', '-')}"


def _given(options: dict[str, Any]) -> dict[str, Any]:
    judge_options: dict[str, Any] = {name: options[name] for name in ("reference", "repeats") if options[name]}
    judge_options |= _pairs(options["pairs"]) if options["pairs"] else {}
    judge_options |= {name: True for name in ("both_orders", "own_reference") if options[name]}
    if options["authors"]:
        judge_options["authors"] = [name.strip() for name in options["authors"].split(",") if name.strip()]
    return judge_options


def _pairs(word: str) -> dict[str, str]:
    """The word, or what stands in the file of that name."""
    if word in (ALL, GOLD_PERTURBED):
        return {"pairs": word}
    try:
        return {"pairs": LISTED, "listed": Path(word).read_text("utf-8")}
    except (OSError, ValueError) as fault:
        message = f"--pairs {word!r}: not {ALL}, {GOLD_PERTURBED} or a readable file: {fault}"
        raise CommandError(message, returncode=USAGE) from fault


def _refuse_unknown(strategy_options: dict[str, Any], names: list[str]) -> None:
    unknown = sorted(set(strategy_options) - set(names))
    if unknown:
        message = f"--option {unknown[0]}: unknown option of the strategy; known: {', '.join(names) or 'none'}."
        raise CommandError(message, returncode=USAGE)
