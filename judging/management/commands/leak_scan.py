from collections import Counter
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.models import Project
from judging.models import Study
from judging.studies.leaks import Leak, Scan, scan
from judging.studies.served_pages import LOOKED_AT, scan_served


class Command(ContractCommand):
    help = (
        "Search for anything that could tell voters whose answers they see: in vote items, in their order and sides, "
        "and in pages, headers and the API as an annotator sees them. Exits with 1 if something is found."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="a voting project, or the project whose answers are voted on")
        parser.add_argument(
            "--pages", type=int, default=LOOKED_AT, metavar="N", help="number of vote items to open; 0: no pages"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        scans = {
            project.slug: _scan(project, options["pages"]) for project in self._projects(self.project(options["slug"]))
        }
        findings = [(slug, finding) for slug, project_scan in scans.items() for finding in project_scan.findings]
        self.report(_value(scans, findings), as_json=options["json"], text=_text(scans, findings))
        if findings:
            self.refuse(f"Found {len(findings)} places that may reveal whose answers are shown.")

    def _projects(self, project: Project) -> list[Project]:
        if project.kind.voted:
            return [project]
        vote_projects = list(Project.objects.filter(pk__in=Study.objects.filter(source=project).values("project")))
        if not vote_projects:
            self.refuse(f"“{project.slug}” has no vote study. Draw one first: draw_votes.")
        return vote_projects


def _scan(project: Project, items: int) -> Scan:
    project_scan = scan(project)
    return scan_served(project, project_scan, items=items) if items > 0 else project_scan


def _value(scans: dict[str, Scan], findings: list[tuple[str, Leak]]) -> dict[str, Any]:
    return {
        "projects": list(scans),
        "items": sum(project_scan.items for project_scan in scans.values()),
        "pages": sum(project_scan.pages for project_scan in scans.values()),
        "findings": [{"project": slug} | asdict(finding) for slug, finding in findings],
        "too_short": sorted({name for project_scan in scans.values() for name in project_scan.short}),
        "our_words": sorted({name for project_scan in scans.values() for name in project_scan.ours}),
        "in_questions": sorted({name for project_scan in scans.values() for name in project_scan.asked}),
    }


def _text(scans: dict[str, Scan], findings: list[tuple[str, Leak]]) -> str:
    summary = _value(scans, findings)
    count_by_location = Counter(finding.place for _slug, finding in findings)
    lines = [f"Checked {summary['items']} vote items and {summary['pages']} pages of {', '.join(scans)}."]
    lines.append(
        f"Found: {', '.join(f'{n} in {location}' for location, n in count_by_location.items())}."
        if findings
        else "No leaks found."
    )
    lines += [
        f"  {slug}, {finding.place}, {finding.where}: {finding.word} ({finding.text})"
        for slug, finding in findings[:100]
    ]
    if summary["too_short"]:
        lines.append(f"Names too short to search for: {', '.join(summary['too_short'])}.")
    if summary["in_questions"]:
        lines.append(f"Named in a question, so pages were not searched for: {', '.join(summary['in_questions'])}.")
    if summary["our_words"]:
        lines.append(f"Also words of the interface, so ignored on pages: {', '.join(summary['our_words'])}.")
    return "\n".join(lines)
