"""Judgements made of our own accepted work: what people found and corrected, without the criteria they went by."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.kinds import all_kinds
from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape
from annotate.models import Batch, Item, Project, User
from annotate.services import importing
from annotate.services.errors import Refused
from annotate.services.importing.report import Report
from annotate.services.importing.rows import Settings
from judging.services.cases import decided

MOST = 2000  # items of one go: they are made while somebody waits
KEY = 200


@dataclass(frozen=True)
class Made:
    """What came of it. nobody_judged: accepted items in which people say nothing of a response."""

    report: Report
    nobody_judged: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        report_json = self.report.as_json()
        return {name: report_json[name] for name in ("read", "kept", "duplicates", "rejected", "problems")} | dict(
            self.left_out
        )


def possible_sources(project: Project, by: User) -> QuerySet[Project]:
    """Projects from whose accepted work this lead can make judgements here, by name: those that they lead too."""
    kinds = [slug for slug, kind in all_kinds().items() if type(kind).as_judgement is not Kind.as_judgement]
    led = Project.objects.filter(members__user=by, members__role="lead", kind_slug__in=kinds)
    return led.exclude(pk=project.pk).order_by("name")


def make(*, project: Project, source: Project, by: User | None, limit: int = MOST) -> Made:
    """An item for every accepted one of the source in which people judged a response; those that are there stay.

    Raises Refused where the project takes no judgements, or takes them from another project already.
    """
    if not project.kind.bridging_steps or source.pk == project.pk:
        raise Refused(_("Make judgements of another project's accepted work, in a project of branching judgements."))
    if project.source_id not in (None, source.pk):
        raise Refused(_("This project takes from “%(name)s”; make another one for this.") % {"name": project.source})
    counted: Counter[str] = Counter()
    Project.objects.filter(pk=project.pk, source=None).update(source=source)
    project.source = source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgements.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in _rows(source, limit, counted):
                file.write(json.dumps(row) + "\n")  # in ASCII, so that no character can hurt
        if not counted["written"]:
            raise Refused(_("Nothing is accepted in “%(name)s” that judges a response.") % {"name": source.name})
        report = _imported(project, source, path, by)
    return Made(report, counted["silent"], {"nobody_judged": counted["silent"], "beyond_the_limit": counted["beyond"]})


def _imported(project: Project, source: Project, path: Path, by: User | None) -> Report:
    batch = importing.start(
        project=project,
        file_name=_("accepted work of %(slug)s") % {"slug": source.slug},
        settings=Settings(format="jsonl", drafts="facts", checks=False),
        by=by,
        state=Batch.State.RUNNING,
        lease_until=timezone.now() + importing.LEASE,
    )
    return importing.run(batch, path)


def _rows(source: Project, limit: int, counted: Counter[str]) -> Iterator[dict[str, Any]]:
    """In the order of the items. counted: gets written, silent and beyond."""
    kind, options = source.kind, source.kind_options
    for item in decided(source).select_related("base").order_by("pk").iterator(chunk_size=500):
        facts = _judgement(kind, item, options)
        if facts is None:
            counted["silent"] += 1
        elif counted["written"] >= limit:
            counted["beyond"] += 1
        else:
            counted["written"] += 1
            source_key = f"{source.slug}/{item.key}"
            yield {**facts, "key": source_key[:KEY], "original": {**facts["original"], "source": source_key}}


def _judgement(kind: Kind, item: Item, options: Any) -> Mapping[str, Any] | None:
    assert item.base is not None
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        draft = kind.read_draft(kind.upgrade(item.base.draft, item.base.schema))
    except BadShape:
        return None
    return kind.as_judgement(facts, draft, options)
