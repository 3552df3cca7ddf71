from collections import Counter
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.models import Project
from judging.models import Study
from judging.services.studies.leaks import Finding, Scan, scan
from judging.services.studies.served import LOOKED_AT, scan_served


class Command(ContractCommand):
    help = (
        "Look for what would tell those who vote whose the answers are: in vote items, in the order and sides in which "
        "they stand, and in pages, headers and the API as an annotator gets them. Exit 1 where something is found."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="a project of votes, or the one whose answers they are about")
        parser.add_argument("--pages", type=int, default=LOOKED_AT, metavar="N", help="vote items to open; 0: no pages")

    def handle(self, *args: Any, **options: Any) -> None:
        scans = {one.slug: _scan(one, options["pages"]) for one in self._projects(self.project(options["slug"]))}
        findings = [(slug, one) for slug, found in scans.items() for one in found.findings]
        self.report(_value(scans, findings), as_json=options["json"], text=_text(scans, findings))
        if findings:
            self.refuse(f"Found {len(findings)} places that may tell whose the answers are.")

    def _projects(self, project: Project) -> list[Project]:
        if project.kind.voted:
            return [project]
        found = list(Project.objects.filter(pk__in=Study.objects.filter(source=project).values("project")))
        if not found:
            self.refuse(f"Nobody votes in “{project.slug}” or on its answers. Draw a study first: draw_votes.")
        return found


def _scan(project: Project, items: int) -> Scan:
    found = scan(project)
    return scan_served(project, found, items=items) if items > 0 else found


def _value(scans: dict[str, Scan], findings: list[tuple[str, Finding]]) -> dict[str, Any]:
    return {
        "projects": list(scans),
        "items": sum(one.items for one in scans.values()),
        "pages": sum(one.pages for one in scans.values()),
        "findings": [{"project": slug} | asdict(one) for slug, one in findings],
        "too_short": sorted({name for one in scans.values() for name in one.short}),
        "our_words": sorted({name for one in scans.values() for name in one.ours}),
        "in_questions": sorted({name for one in scans.values() for name in one.asked}),
    }


def _text(scans: dict[str, Scan], findings: list[tuple[str, Finding]]) -> str:
    told = _value(scans, findings)
    places = Counter(one.place for _slug, one in findings)
    lines = [f"Looked at {told['items']} vote items and {told['pages']} pages of {', '.join(scans)}."]
    lines.append(
        f"Found: {', '.join(f'{n} in {place}' for place, n in places.items())}." if findings else "Found nothing."
    )
    lines += [f"  {slug}, {one.place}, {one.where}: {one.word} ({one.text})" for slug, one in findings[:100]]
    if told["too_short"]:
        lines.append(f"Too short to be looked for: {', '.join(told['too_short'])}.")
    if told["in_questions"]:
        lines.append(f"Named in a question, so that no page was searched for: {', '.join(told['in_questions'])}.")
    if told["our_words"]:
        lines.append(f"Words of our own pages, so that they tell nothing there: {', '.join(told['our_words'])}.")
    return "\n".join(lines)
