from typing import Any

from django.core.management.base import CommandParser

from annotate.kinds import UnknownKind, find_kind
from annotate.management.command import ContractCommand, key_values
from annotate.models import Project
from annotate.services.errors import Refused
from judging.models import Study
from judging.services.studies.drawing import draw
from judging.services.studies.planning import GROUP, LEFT_OUT, Plan, Wish, plan


class Command(ContractCommand):
    help = "Draw answers, or pairs of them, into a project in which people vote without knowing whose they are."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("source", help="the project whose items were answered")
        parser.add_argument("--into", required=True, metavar="SLUG", help="where people vote; made where it is missing")
        parser.add_argument("--kind", required=True, metavar="K", help="checklist_vote, score_vote or preference")
        parser.add_argument("--items", required=True, type=int, metavar="N", help="how many items to draw")
        parser.add_argument("--authors", required=True, metavar="a,b", help="whose answers")
        parser.add_argument("--overlap", type=int, default=1, metavar="N", help="people who vote on each")
        parser.add_argument("--seed", type=int, required=True, metavar="S", help="the same seed draws the same")
        parser.add_argument("--by", default=GROUP, metavar="FIELD", help="strata: group, or a division such as task")
        parser.add_argument("--name", default="", help="of the study, for its leads")
        parser.add_argument("--option", action="append", default=[], metavar="key=value", help="of a project to make")
        parser.add_argument("--dry-run", action="store_true", help="say what would be drawn, draw nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            planned = plan(self._wish(options))
            study = None if options["dry_run"] else self._draw(planned, options)
        except (Refused, UnknownKind) as refused:
            self.refuse(str(refused))
        self.report(_value(planned, study, options), as_json=options["json"], text=_text(planned, study))

    def _wish(self, options: dict[str, Any]) -> Wish:
        return Wish(
            source=self.project(options["source"]),
            kind=find_kind(options["kind"]),
            authors=list(dict.fromkeys(filter(None, map(str.strip, options["authors"].split(","))))),
            items=options["items"],
            seed=options["seed"],
            by=options["by"],
            target=Project.objects.filter(slug=options["into"]).first(),
        )

    def _draw(self, planned: Plan, options: dict[str, Any]) -> Study:
        return draw(
            planned,
            into=options["into"],
            overlap=options["overlap"],
            by=None,
            name=options["name"],
            options=key_values(options["option"]),
        )


def _value(planned: Plan, study: Study | None, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "study": study.pk if study else None,
        "project": options["into"],
        "kind": planned.wish.kind.slug,
        "seed": planned.wish.seed,
        "overlap": options["overlap"],
        **planned.counts,
    }


def _text(planned: Plan, study: Study | None) -> str:
    counts = f"{planned.items} items, {planned.answers} answers, {len(planned.votes)} votes"
    lines = [f"Drawn: {counts}." if study else f"Would be drawn: {counts}."]
    lines += [f"  {name}: {drawn} of {there}" for name, (there, drawn) in planned.strata.items()]
    lines += [f"Left out, because {LEFT_OUT[reason]}: {n}." for reason, n in planned.left_out.items()]
    return "\n".join(lines)
