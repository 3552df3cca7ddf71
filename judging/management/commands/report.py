from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from django.core.management.base import CommandParser, OutputWrapper

from annotate.management.command import ContractCommand
from annotate.models import Project
from judging.boards.board import reports
from judging.boards.ranking.battle_files import BadBattleFile, read_scores
from judging.boards.report import Refused, Report, ReportOptions
from judging.ratings.units import WHAT
from lib import progress
from lib.stats.agreement import LEVELS

EVERY = 2.0  # seconds between two lines of progress


def run_numbers(text: str) -> tuple[int, ...]:
    """Of `3,4,5`."""
    numbers = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdecimal() and len(word) < 10 for word in numbers):
        raise ArgumentTypeError(f"{text!r}: write run numbers separated by commas")
    return tuple(dict.fromkeys(map(int, numbers)))


def names_of(text: str) -> tuple[str, ...]:
    """Of `ana, expert_*`."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise ArgumentTypeError("write names of people separated by commas")
    return names


def option_of(text: str) -> tuple[str, str]:
    """Of `short=100`."""
    name, equals, word = text.partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{text!r}: write NAME=VALUE")
    return name, word


class ProgressLines:
    """Progress on stderr, every two seconds; nothing for a report that takes less."""

    def __init__(self, stderr: OutputWrapper) -> None:
        self._stderr, self._written_at = stderr, monotonic()

    def write(self, phase: str, done: int, total: int) -> None:
        if monotonic() - self._written_at >= EVERY:
            self._written_at = monotonic()
            self._stderr.write(f"{phase}: {done:,} of {total:,}" if total else f"{phase}: {done:,}")


class Command(ContractCommand):
    help = "Print a report of a project: " + "; ".join(
        f"{report.slug} ({report.about})" for report in reports().values()
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("name", help=f"one of {', '.join(reports())}")
        parser.add_argument("--by", default="", metavar="FIELD", help="group by this field of the items")
        parser.add_argument("--judge", default="", metavar="NAME", help="default: the judge with most verdicts")
        what = "agreement, trust: which ratings, or which question of own ones; default: those that exist"
        parser.add_argument("--what", default="", metavar="WHAT", help=what)
        parser.add_argument("--level", default="", choices=LEVELS, help="agreement: level of measurement")
        margin = "trust: margin by which a judge may be worse than a person; default: 0.15"
        parser.add_argument("--epsilon", type=float, metavar="ε", help=margin)
        parser.add_argument(
            "--runs", type=run_numbers, default=(), metavar="N,N", help="judge_settings: only these runs"
        )
        raters = "agreement: only these people, as comma-separated names or patterns; !NAME excludes a person"
        parser.add_argument("--raters", type=names_of, default=(), metavar="NAMES", help=raters)
        words = "option of the board, as in the address of its page"
        parser.add_argument("--option", type=option_of, action="append", default=[], metavar="NAME=VALUE", help=words)
        parser.add_argument("--davidson", action="store_true", help="ranking: model ties separately (Davidson)")
        parser.add_argument(
            "--beside", metavar="FILE", help="ranking: correlate with this leaderboard (name and score)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        words = ("by", "judge", "what", "level", "epsilon", "runs", "raters", "davidson")
        query = ReportOptions(**{name: options[name] for name in words}, words=dict(options["option"]))
        report = reports().get(options["name"])
        if report is None:
            self.refuse(f"There is no report {options['name']!r}. Reports: {', '.join(reports())}.")
        project = self.project(options["slug"])
        self._check(report, query)
        self._check_what(project, report, query)
        self._check_ranking(report, options)
        if options["beside"]:
            query = replace(query, beside=self._scores(options["beside"]))
        try:
            with progress.heard_by(ProgressLines(self.stderr).write):
                written = report.write(project, query)
        except Refused as refused:
            self.refuse(str(refused))
        self.report(written.value, as_json=options["json"], text=written.text)

    def _check(self, report: Report, query: ReportOptions) -> None:
        if query.by and not report.divides_by_columns and query.by not in report.divisions:
            choices = f"choose one of: {', '.join(report.divisions)}." if report.divisions else "it takes no --by."
            self.misuse(f"The report {report.slug} cannot be grouped by {query.by!r}; {choices}")
        if query.words and not report.takes_words:
            self.misuse(f"The report {report.slug} takes no --option.")
        if query.raters and not report.compares:
            self.misuse(f"The report {report.slug} takes no --raters.")
        if query.runs and not report.compares_runs:
            self.misuse(f"The report {report.slug} takes no --runs.")
        takes_what = report.compares or report.weighs or report.ranks
        if (query.what and not takes_what) or (query.level and not report.compares):
            self.misuse(f"The report {report.slug} takes {'no' if report.weighs else 'neither --what nor'} --level.")
        if query.epsilon is not None and not (report.weighs and 0 <= query.epsilon < 1):
            why = "the margin must be from 0 to below 1" if report.weighs else "it takes no --epsilon"
            self.misuse(f"The report {report.slug} cannot take --epsilon {query.epsilon}: {why}.")

    def _check_what(self, project: Project, report: Report, query: ReportOptions) -> None:
        if query.what and report.ranks and not project.kind.defined:
            self.misuse(f"The report {report.slug} takes neither --what nor --level.")
        if query.what not in ("", *WHAT) and not project.kind.defined:
            self.misuse(f"There are no ratings of {query.what!r}; choose one of: {', '.join(WHAT)}.")

    def _check_ranking(self, report: Report, options: dict[str, Any]) -> None:
        if (options["davidson"] or options["beside"]) and not report.ranks:
            self.misuse(f"The report {report.slug} takes neither --davidson nor --beside.")

    def _scores(self, file: str) -> Mapping[str, float]:
        try:
            return read_scores(Path(file))
        except BadBattleFile as fault:
            self.refuse(f"{file}: {fault}")
