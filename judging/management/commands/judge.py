from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count
from pydantic import ValidationError

from annotate.kinds.shapes import faults
from annotate.management.command import key_values
from annotate.management.run_command import USAGE, RunCommand, whole_number
from annotate.models import Project, Run
from annotate.services import runs
from annotate.services.errors import Refused
from judging.models import Verdict
from judging.services import gold
from judging.services.judgements.options import ALL, GOLD_PERTURBED, LISTED, JudgeOptions, read, refuse_unless_possible
from judging.strategies import strategies

PAIRS_HELP = "which pairs; a file has one JSON object a line with key, first and second (authors)"
REFERENCE_HELP = "whose answer the judge is shown as a trusted one; that of the items where they hold one"
OWN_HELP = "hold each author's second answer against the author's own first one; the report rating_bias reads it"
ORDERS_HELP = "judge each pair with its answers swapped too; pairwise strategies that ship with this always do"


class Command(RunCommand):
    help = "Let a model judge answers to the accepted items. Its verdicts make the scores and the leaderboard."
    purpose = "judge"

    def add_options(self, parser: CommandParser) -> None:
        known = ", ".join(strategies())
        parser.add_argument("--strategy", metavar="S", help=f"how the judge is asked: {known}")
        parser.add_argument("--authors", metavar="a,b", help="whose answers; all where it is left out")
        parser.add_argument("--pairs", metavar="all|gold-perturbed|FILE", help=PAIRS_HELP)
        parser.add_argument("--reference", metavar="AUTHOR", help=REFERENCE_HELP)
        parser.add_argument("--own-reference", action="store_true", help=OWN_HELP)
        parser.add_argument("--both-orders", action="store_true", help=ORDERS_HELP)
        parser.add_argument("--repeats", type=whole_number, metavar="N", help="how often each is judged; 1")

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        """What was given, with the options of the strategy beside it."""
        if not project.kind.can_be_judged:
            raise CommandError(f"Judges read no answers to items of the kind {project.kind_slug}.", returncode=1)
        if not options["strategy"]:
            raise CommandError(f"Give --strategy: how is the judge asked? {', '.join(strategies())}.", returncode=USAGE)
        given = _given(options) | {"strategy": options["strategy"]}
        gold.ensure(project)  # so that their authors can be named
        own = key_values(options["option"])
        try:
            wanted = read(given)
            if wanted.strategy.needs_reference and not wanted.beside and (trusted := gold.held(project)):
                given["reference"] = trusted
            _refuse_unknown(own, list(wanted.strategy.options.model_fields))
            kept = JudgeOptions.model_validate(given).model_dump(mode="json", exclude_unset=True)
            kept |= wanted.strategy.options.model_validate(own).model_dump(mode="json", exclude_unset=True)
            refuse_unless_possible(project, read(kept))
        except ValidationError as error:
            told = "; ".join(f"{_flag(one.path, own)}: {one.message}" for one in faults(error))
            raise CommandError(told, returncode=USAGE) from error
        except Refused as refused:
            raise CommandError(str(refused), returncode=1) from refused
        return kept

    def more(self, run: Run) -> dict[str, Any]:
        """Verdicts that were read, and those that could not be."""
        counted = Verdict.objects.filter(job__run=run).values_list("reading").annotate(Count("pk")).order_by()
        found = dict(counted)
        return {name: found.get(name, 0) for name in (Verdict.Reading.OK.value, Verdict.Reading.UNPARSED.value)}

    def _in_words(self, run: Run, found: runs.Progress) -> str:
        verdicts = self.more(run)
        told = f"  verdicts: {verdicts['ok']} read, {verdicts['unparsed']} not readable"
        return f"{super()._in_words(run, found)}\n{told}"


def _flag(path: str, own: Mapping[str, str]) -> str:
    """Where it was given: by `--option`, or as an argument of the command."""
    return f"--option {path}" if path.split("[")[0] in own else f"--{path.replace('_', '-')}"


def _given(options: dict[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {name: options[name] for name in ("reference", "repeats") if options[name]}
    given |= _pairs(options["pairs"]) if options["pairs"] else {}
    given |= {name: True for name in ("both_orders", "own_reference") if options[name]}
    if options["authors"]:
        given["authors"] = [name.strip() for name in options["authors"].split(",") if name.strip()]
    return given


def _pairs(named: str) -> dict[str, str]:
    """The word, or what stands in the file of that name."""
    if named in (ALL, GOLD_PERTURBED):
        return {"pairs": named}
    try:
        return {"pairs": LISTED, "listed": Path(named).read_text("utf-8")}
    except (OSError, ValueError) as fault:
        told = f"--pairs {named!r}: neither {ALL} nor {GOLD_PERTURBED}, nor a file that can be read: {fault}"
        raise CommandError(told, returncode=USAGE) from fault


def _refuse_unknown(given: dict[str, Any], known: list[str]) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        told = f"--option {unknown[0]}: the strategy has no such option; known: {', '.join(known) or 'none'}."
        raise CommandError(told, returncode=USAGE)
