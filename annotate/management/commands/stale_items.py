from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.models import Guideline, Reopening, User
from annotate.services.errors import Refused
from annotate.services.guidelines import estimating, reopening
from annotate.services.guidelines.stale import ACCEPTED, UNDER_WAY, Filters, Since, since, stale, without_version

LISTED = 1000


class Command(ContractCommand):
    help = "Which items the newest guidelines make stale, what it costs to do them again; --reopen sends them to work."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--section", default="", help="only what this changed section makes stale, by its titles")
        parser.add_argument("--group", default="")
        parser.add_argument("--language", default="")
        parser.add_argument("--version-before", type=int, help="only texts written under this version")
        parser.add_argument("--state", choices=[ACCEPTED, UNDER_WAY], default=ACCEPTED)
        parser.add_argument("--key", action="append", default=[], help="only these items; may be repeated")
        parser.add_argument("--reopen", action="store_true")
        parser.add_argument("--by", default="", help="in whose name they are reopened: a lead of the project")
        parser.add_argument("--note", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        guideline = project.guidelines.select_related("project").order_by("-version").first()
        if guideline is None:
            self.refuse(f"{project.slug} has no guidelines.")
            return
        filters = Filters(
            state=options["state"],
            section=options["section"],
            group=options["group"],
            language=options["language"],
            version=options["version_before"],
        )
        found = since(guideline)
        items = stale(found, filters)
        if options["key"]:
            items = items.filter(key__in=options["key"])
        told = self._told(found, filters, list(items.order_by("pk").values_list("key", flat=True)))
        if options["reopen"]:
            told |= self._reopen(guideline, filters, items if options["key"] else None, options)
        self.report(told, as_json=options["json"], text=_text(told))

    def _told(self, found: Since, filters: Filters, keys: list[str]) -> dict[str, Any]:
        project = found.guideline.project
        told = estimating.estimate(project, len(keys), group=filters.group)
        return {
            "version": found.guideline.version,
            "sections": found.sections,
            "items": len(keys),
            "keys": keys[:LISTED],
            "without_version": without_version(project),
            "minutes": told.minutes,
            "low": told.low,
            "high": told.high,
            "note": "; ".join(f"{step.stage}: nobody was timed, not in the sum" for step in told.untimed),
            "steps": [asdict(step) for step in told.steps],
        }

    def _reopen(self, guideline: Guideline, filters: Filters, items: Any, options: dict[str, Any]) -> dict[str, Any]:
        leads = User.objects.filter(memberships__project=guideline.project, memberships__role="lead")
        by = leads.filter(username=options["by"]).first()
        if by is None:
            self.refuse(f"--by: name a lead of {guideline.project.slug}; {options['by'] or 'nobody'} is none.")
        if filters.state != ACCEPTED:
            self.refuse("Only accepted items can be reopened; leave --state out.")
        ids = None if items is None else list(items.values_list("pk", flat=True))
        try:
            made = reopening.begin(guideline=guideline, by=by, filters=filters, ids=ids, note=options["note"])
        except Refused as refused:
            self.refuse(str(refused))
            return {}
        reopening.work(made.pk)
        made = Reopening.objects.get(pk=made.pk)
        return {"reopening": made.pk, "reopened": made.reopened, "left_out": made.left_out}


def _text(told: dict[str, Any]) -> str:
    minutes = "nobody's time is recorded" if told["minutes"] is None else f"about {told['minutes']:.0f} minutes of work"
    lines = [f"Version {told['version']} makes {told['items']} items stale; {minutes}."]
    if told["sections"]:
        lines.append("Changed: " + ", ".join(title or "(above the first heading)" for title in told["sections"]) + ".")
    if "reopened" in told:
        lines.append(f"Reopened {told['reopened']}; left out: {told['left_out'] or 'none'}.")
    return "\n".join(lines)
