import os
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand, collect_garbage_rarely
from annotate.models import Project
from annotate.releases.actions import RATERS
from annotate.releases.conversion import writers
from judging.boards.agreement.numbers import NobodyChosen, chosen_people
from judging.boards.report import Refused, judge_named
from judging.boards.trust.numbers import grounds
from judging.boards.trust.trust_report import rating_judge
from judging.ratings.rating_subjects import subjects, why_not_compared
from judging.ratings.release import (
    AGREEMENT,
    LEADERBOARD,
    TRUST,
    Release,
    of_grounds,
    of_ratings,
    of_scores,
    open_studies,
    write,
)
from judging.ratings.tables import UnitTable, unit_table
from judging.ratings.units import Today
from judging.verdicts.verdict_scores import scores

PAGES = (AGREEMENT, TRUST, LEADERBOARD)
ANSWERS = "answers"
OF_PAGES = ("judge", "raters", "unfinished")  # options that say nothing about answers


class Command(ContractCommand):
    help = (
        "Write a release of ratings from which `agreement` or `recount` reproduces the numbers of a page, or, for own "
        "questions, all answers of every rater as `import_ratings` reads them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--out", required=True, metavar="FILE.jsonl", help="answers also as .csv, .parquet")
        what_help = "checklist, score, preference, field:NAME or an own question; default: the first with votes"
        parser.add_argument("--what", default="", metavar="WHAT", help=what_help)
        of_help = (
            "page whose numbers are reproduced, or answers: a row for each rater of each item, which import_ratings "
            "reads (the default for own questions without --what)"
        )
        parser.add_argument("--of", choices=(*PAGES, ANSWERS), help=of_help)
        parser.add_argument(
            "--judge", default="", metavar="NAME", help="trust and leaderboard: judge whose numbers are exported"
        )
        raters = "agreement: only these people, as comma-separated names or patterns; !NAME excludes a person"
        parser.add_argument("--raters", default="", metavar="NAMES", help=raters)
        parser.add_argument("--pseudonyms", action="store_true", help="replace names of people with numbers")
        parser.add_argument("--unfinished", action="store_true", help="export although a study is still open")
        parser.add_argument("--licence", default="")
        parser.add_argument("--note", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project, out = self.project(options["slug"]), Path(options["out"])
        self._check_target(out)
        options["of"] = options["of"] or (ANSWERS if project.kind.defined and not options["what"] else AGREEMENT)
        if options["of"] == ANSWERS:
            self._write_answers(options)
            return
        if options["of"] != LEADERBOARD and not options["unfinished"] and (still := open_studies(project)):
            self.refuse(
                f"Votes are still open in {', '.join(still)}; seeing others' votes would bias people. "
                "Close the study first, or add --unfinished and keep the file away from voters."
            )
        try:
            manifest = write(self._release(project, options), out, licence=options["licence"], note=options["note"])
        except Refused as refused:
            self.refuse(str(refused))
        except OSError as fault:
            self.refuse(f"{out}: {fault.strerror}.")
        summary = {
            name: manifest.get(name) for name in ("rows", "units", "missing", "sha256", "of", "what", "left_out")
        }
        text = f"{manifest['rows']} rows for {manifest['units']} units in {out}, SHA-256 {manifest['sha256']}"
        self.report(summary, as_json=options["json"], text=text)

    def _write_answers(self, options: dict[str, Any]) -> None:
        """As a release of the project: answers of several questions are listed, verified and withdrawn like items."""
        for name in OF_PAGES:
            if options[name]:
                self.refuse(f"--{name} belongs to pages of numbers. Leave it out, or add --of {AGREEMENT} and --what.")
        texts = {name: options[name] for name in ("out", "licence", "note", "json")}
        suffix, names = Path(options["out"]).suffix.lower().removeprefix("."), not options["pseudonyms"]
        table = suffix if suffix in writers() and writers()[suffix].is_table else None
        words: dict[str, Any] = texts | {"rows": RATERS, "names": names, "format": table}
        call_command("export_items", options["slug"], stdout=self.stdout, **words)

    def _release(self, project: Project, options: dict[str, Any]) -> Release:
        """Raises Refused."""
        today, blind = Today(project), options["pseudonyms"]
        if options["of"] == LEADERBOARD:
            return of_scores(project, scores(project, judge_named(project, options["judge"])))
        ratings = self._found(project, options["what"], today, clustered=options["of"] == AGREEMENT)
        if options["of"] == AGREEMENT:
            names = [name.strip() for name in options["raters"].split(",") if name.strip()]
            try:
                ratings = ratings.of_people(chosen_people(ratings, names) if names else ())
            except NobodyChosen as nobody:
                raise Refused(str(nobody)) from None
            return of_ratings(project, ratings, today, pseudonyms=blind)
        if not ratings.judges:
            question = ratings.subject.question
            answers = f"has answered the question {question}" if question else "has verdicts on what people vote on"
            raise Refused(f"No judge {answers}, so there is nothing to weigh. Judge the project first.")
        judge = rating_judge(ratings, options["judge"])
        return of_grounds(project, grounds(project, ratings, judge, today), pseudonyms=blind)

    def _found(self, project: Project, subject_slug: str, today: Today, *, clustered: bool) -> UnitTable:
        all_subjects = subjects(project)
        matches = [subject for subject in all_subjects if subject_slug in ("", subject.slug, subject.word)]
        if not matches:
            slugs = ", ".join(subject.word for subject in all_subjects)
            why = f"It has: {slugs}." if slugs else "It has no votes or verdicts."
            missing = f"of {subject_slug!r}" if subject_slug else "yet"
            reason = why_not_compared(project.kind, subject_slug)
            self.refuse(reason or f"The project {project.slug} has no ratings {missing}. {why}")
        return unit_table(project, matches[0], today, clustered=clustered)

    def _check_target(self, out: Path) -> None:
        if out.is_dir():
            self.refuse(f"{out} is a folder. Name the file to write.")
        if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
            self.refuse(f"The folder {out.parent} is not writable.")
