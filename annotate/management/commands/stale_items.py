from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotate.chores import reopen_stale
from annotate.errors import Refused
from annotate.guidelines import reopen, stale
from annotate.guidelines.stale import (
    ACCEPTED,
    GUIDELINES,
    QUESTIONS,
    UNDER_WAY,
    Cause,
    ChangesSince,
    StaleFilters,
    causes,
    since,
    without_version,
)
from annotate.guidelines.stale import (
    stale as stale_stale,
)
from annotate.management.command import ContractCommand
from annotate.models import Project, Reopening, User

LISTED = 1000


class Command(ContractCommand):
    help = (
        "List items that the newest guidelines, or own questions, make stale, with the time to redo them; "
        "--reopen reopens them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument(
            "--cause",
            choices=[GUIDELINES, QUESTIONS],
            default="",
            help="what changed; the guidelines, if the project has any, unless you name the questions",
        )
        parser.add_argument(
            "--section",
            default="",
            help="only items made stale by this changed section, by its titles, or by this question",
        )
        parser.add_argument("--group", default="")
        parser.add_argument("--language", default="")
        parser.add_argument("--version-before", type=int, help="only texts written under this version")
        parser.add_argument("--state", choices=[ACCEPTED, UNDER_WAY], default=ACCEPTED)
        parser.add_argument("--key", action="append", default=[], help="only these items; may be repeated")
        parser.add_argument("--reopen", action="store_true")
        parser.add_argument("--by", default="", help="reopen as this user, a lead of the project")
        parser.add_argument("--note", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        name = self._cause_of(project, options["cause"])
        cause = causes(project)[name]
        filters = StaleFilters(
            state=options["state"],
            section=options["section"],
            group=options["group"],
            language=options["language"],
            version=options["version_before"],
        )
        staleness = since(cause)
        items = stale_stale(staleness, filters)
        if options["key"]:
            items = items.filter(key__in=options["key"])
        summary = {"cause": name} | self._told(
            staleness, filters, list(items.order_by("pk").values_list("key", flat=True))
        )
        if options["reopen"]:
            summary |= self._reopen(cause, filters, items if options["key"] else None, options)
        self.report(summary, as_json=options["json"], text=_text(summary))

    def _cause_of(self, project: Project, name: str) -> str:
        found = causes(project)
        if name and name not in found:
            self.refuse(f"{project.slug} has no {'own questions' if name == QUESTIONS else name}; omit --cause.")
        if not found:
            self.refuse(f"{project.slug} has no guidelines.")
        return name or next(iter(found))

    def _told(self, staleness: ChangesSince, filters: StaleFilters, keys: list[str]) -> dict[str, Any]:
        project = staleness.cause.project
        estimate = stale.estimate(project, len(keys), group=filters.group)
        return {
            "version": staleness.cause.version,
            "sections": staleness.sections,
            "items": len(keys),
            "keys": keys[:LISTED],
            "without_version": without_version(staleness.cause),
            "minutes": estimate.minutes,
            "low": estimate.low,
            "high": estimate.high,
            "note": "; ".join(f"{step.stage}: no times recorded, not in the sum" for step in estimate.untimed),
            "steps": [asdict(step) for step in estimate.steps],
        }

    def _reopen(self, cause: Cause, filters: StaleFilters, items: Any, options: dict[str, Any]) -> dict[str, Any]:
        leads = User.objects.filter(memberships__project=cause.project, memberships__role="lead")
        by = leads.filter(username=options["by"]).first()
        if by is None:
            self.refuse(f"--by: name a lead of {cause.project.slug}; {options['by'] or 'nobody'} is not a lead.")
        if filters.state != ACCEPTED:
            self.refuse("Only accepted items can be reopened; omit --state.")
        ids = None if items is None else list(items.values_list("pk", flat=True))
        try:
            reopening_row = reopen.begin(cause=cause, by=by, filters=filters, ids=ids, note=options["note"])
        except Refused as refused:
            self.refuse(str(refused))
            return {}
        reopen_stale.work(reopening_row.pk, whole=True)
        reopening_row = Reopening.objects.get(pk=reopening_row.pk)
        return {"reopening": reopening_row.pk, "reopened": reopening_row.reopened, "left_out": reopening_row.left_out}


def _text(summary: dict[str, Any]) -> str:
    minutes = "no times recorded" if summary["minutes"] is None else f"about {summary['minutes']:.0f} minutes of work"
    lines = [f"Version {summary['version']} of the {summary['cause']} makes {summary['items']} items stale; {minutes}."]
    if summary["sections"]:
        lines.append(
            "Changed: " + ", ".join(title or "(above the first heading)" for title in summary["sections"]) + "."
        )
    if "reopened" in summary:
        lines.append(f"Reopened {summary['reopened']}; left out: {summary['left_out'] or 'none'}.")
    return "\n".join(lines)
