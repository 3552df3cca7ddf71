from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.kinds import UnknownKind, find_kind
from annotate.management.command import ContractCommand, key_values
from annotate.models import Member, Project
from judging.models import Study
from judging.studies.designs import ALL, DESIGNS, GROUP, MASKED, NAMES, Blinding, Design, DrawPlan
from judging.studies.draw import draw
from judging.studies.masking import PHRASES
from judging.studies.plans import LEFT_OUT, Plan, plan
from lib.stats.designs import FLOOR


class Command(ContractCommand):
    help = "Draw answers, or pairs of answers, into a project for blind votes."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("source", help="project whose answers are voted on")
        parser.add_argument("--into", required=True, metavar="SLUG", help="voting project; created if missing")
        parser.add_argument("--kind", required=True, metavar="K", help="checklist_vote, score_vote or preference")
        parser.add_argument("--items", required=True, type=int, metavar="N", help="how many items to draw")
        parser.add_argument("--authors", required=True, metavar="a,b", help="authors of the answers")
        parser.add_argument("--overlap", type=int, default=1, metavar="N", help="voters per item")
        parser.add_argument("--seed", type=int, required=True, metavar="S", help="the same seed gives the same sample")
        parser.add_argument("--name", default="", help="name of the study, for its leads")
        parser.add_argument(
            "--option", action="append", default=[], metavar="key=value", help="option for a project to be created"
        )
        parser.add_argument("--dry-run", action="store_true", help="dry run: show what would be drawn, save nothing")
        self.add_design_arguments(parser)
        self.add_masking_arguments(parser)

    def add_design_arguments(self, parser: CommandParser) -> None:
        """Which votes are drawn."""
        parser.add_argument(
            "--by", default=GROUP, metavar="FIELD", help="stratify by: group, or a division such as task"
        )
        parser.add_argument(
            "--design", default=ALL, choices=list(DESIGNS), help="which of all possible votes; default: all"
        )
        parser.add_argument("--votes", type=int, metavar="N", help="vote budget, repeats included")
        parser.add_argument(
            "--repeats",
            type=float,
            default=0.0,
            metavar="SHARE",
            help="share of votes repeated with sides swapped, such as 0.05",
        )
        parser.add_argument(
            "--apart",
            type=int,
            default=Design.apart,
            metavar="K",
            help="items between a pair and its repeat; default: 10",
        )
        parser.add_argument(
            "--floor",
            type=float,
            default=FLOOR,
            metavar="SHARE",
            help="adaptive: share of each wave for the least compared pairs",
        )
        parser.add_argument("--wave", type=int, default=0, metavar="N", help="adaptive: pairs per wave")
        parser.add_argument(
            "--per-item", type=int, default=0, metavar="N", help="random: maximum of pairs per item; default: no limit"
        )

    def add_masking_arguments(self, parser: CommandParser) -> None:
        """What happens to answers that say who wrote them."""
        parser.add_argument(
            "--named",
            default=MASKED,
            choices=list(NAMES),
            help="if a text names a model: mask the name, or exclude the pair",
        )
        parser.add_argument("--also", action="append", default=[], metavar="NAME", help="additional name to search for")
        parser.add_argument(
            "--never",
            action="append",
            default=[],
            metavar="NAME",
            help="author's name that is an ordinary word and is ignored",
        )
        parser.add_argument(
            "--phrases",
            type=Path,
            metavar="FILE",
            help="self-identifying phrases, one per line, instead of the built-in ones",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            planned = plan(self._wish(options))
            study = None if options["dry_run"] else self._draw(planned, options)
        except (Refused, UnknownKind) as refused:
            self.refuse(str(refused))
        self.report(_value(planned, study, options), as_json=options["json"], text=_text(planned, study))

    def _wish(self, options: dict[str, Any]) -> DrawPlan:
        return DrawPlan(
            source=self.project(options["source"]),
            kind=find_kind(options["kind"]),
            authors=list(dict.fromkeys(filter(None, map(str.strip, options["authors"].split(","))))),
            items=options["items"],
            seed=options["seed"],
            by=options["by"],
            target=Project.objects.filter(slug=options["into"]).first(),
            design=Design(
                name=options["design"],
                overlap=options["overlap"],
                budget=options["votes"],
                **{name: options[name] for name in ("repeats", "apart", "floor", "wave", "per_item")},
            ),
            blinding=Blinding(
                names=options["named"], also=options["also"], never=options["never"], phrases=self._phrases(options)
            ),
        )

    def _phrases(self, options: dict[str, Any]) -> Sequence[str]:
        path: Path | None = options["phrases"]
        if path is None:
            return PHRASES
        try:
            return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as fault:
            self.refuse(f"{path} cannot be read as a list of phrases: {fault}.")

    def _draw(self, planned: Plan, options: dict[str, Any]) -> Study:
        return draw(
            planned,
            into=options["into"],
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
        "design": planned.wish.design.name,
        "budget": planned.wish.design.budget,
        "repeats_too_far": planned.repeats_too_far,
        **planned.counts,
    }


def _leads(study: Study) -> list[str]:
    leads = study.project.members.filter(role=Member.Role.LEAD).order_by("user__username")
    names = ", ".join(leads.values_list("user__username", flat=True))
    slug = study.project.slug
    return [f"Led by {names}."] if names else [f"{slug} has no lead: manage.py add_member {slug} USER --role lead"]


def _text(planned: Plan, study: Study | None) -> str:
    counts = f"{planned.items} items, {planned.answers} answers, {len(planned.votes)} votes"
    lines = [f"Drawn: {counts}.", *_leads(study)] if study else [f"Would be drawn: {counts}."]
    lines += [f"  {name}: {count} of {total}" for name, (total, count) in planned.strata.items()]
    if planned.repeats:
        lines.append(f"Repeated with the sides swapped: {len(planned.repeats)}.")
    if planned.repeats_too_far:
        apart = planned.wish.design.apart
        lines.append(
            f"None of the repeats will be shown: no one votes on {apart} other items in between. Use a smaller --apart."
        )
    if planned.found:
        lines.append(f"Answers that name a model: {len(planned.found)}; pairs excluded for this: {planned.aside}.")
    if planned.short:
        lines.append(f"Names too short to search for: {', '.join(planned.short)}.")
    lines += [f"Left out, because {LEFT_OUT[reason]}: {n}." for reason, n in planned.left_out.items()]
    return "\n".join(lines)
