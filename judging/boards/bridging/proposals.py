"""Bulk approval of proposals, unchanged, in batches that fit a request; and judgements made of accepted work."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.audit.trail import record, recording
from annotate.errors import NotReady, Refused, WrongState
from annotate.intake import batches
from annotate.intake.report import Report
from annotate.intake.row_reader import Settings
from annotate.items import flow, slots
from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.media.bundles import RowsFile
from annotate.models import Annotation, Batch, Item, Project, Slot, User
from annotate.purposes.bridge import proposals
from annotate.work.submit import checked
from judging.answers.cases import decided
from judging.boards.bridging.stages import proposed

AT_ONCE = 200  # items in one part
TOGETHER = 50  # items in one transaction: others must be able to write in between
DOUBTFUL, HELD, INCOMPLETE, RACED = "doubtful", "held", "incomplete", "raced"
WHY = {
    DOUBTFUL: _("the proposal needs review"),
    HELD: _("someone is working on it"),
    INCOMPLETE: _("the proposal is incomplete"),
    RACED: _("changed by someone else in the meantime"),
}


class NotApproved(Exception):
    """This proposal needs a person; `why` is one of WHY."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(str(WHY[why]))


@dataclass
class Approved:
    """The outcome of a batch. after: the id of the last item seen; finished if there are no items after it."""

    done: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    after: int = 0
    finished: bool = True

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """(code, words, items), the most frequent first."""
        return [(why, str(WHY[why]), count) for why, count in self.left_out.most_common()]


def approve_part(
    *, project: Project, by: User, judge: str = "", style: str = "", after: int = 0, most: int | None = None
) -> Approved:
    """Accept the next proposals after the item `after`, unchanged and in the name of `by`.

    judge, style: as in the list of the workshop. most: the largest number to approve. Proposals about which the reader
    had a doubt, that somebody is working on, or that are incomplete are left out and counted. In projects with review
    this approval is the decision: there is no text of a person to review.
    """
    pending_items = proposed(project, judge=judge, style=style).filter(pk__gt=after).order_by("pk")
    keys = list(pending_items.values_list("pk", flat=True)[: AT_ONCE + 1])
    outcome = Approved(after=after, finished=len(keys) <= AT_ONCE)
    keys = keys[:AT_ONCE]
    for start in range(0, len(keys), TOGETHER):
        _approve_together(keys[start : start + TOGETHER], project, by, outcome, most)
    outcome.finished = outcome.finished or outcome.done == most
    return outcome


def _approve_together(keys: list[int], project: Project, by: User, outcome: Approved, most: int | None) -> None:
    """One part in one transaction, with its entry in the audit trail."""
    done_before = outcome.done
    with transaction.atomic():
        for key in keys:
            if outcome.done == most:
                break
            _count(key, project, by, outcome)
        if outcome.done > done_before:
            values = {"items": outcome.done - done_before, "first": keys[0], "last": outcome.after}
            record("proposals.approved", project, after=values)


def approve_all(*, project: Project, by: User, judge: str = "", style: str = "", most: int | None = None) -> Approved:
    """Batch after batch until none is left."""
    whole = Approved()
    while True:
        remaining_count = None if most is None else most - whole.done
        part = approve_part(project=project, by=by, judge=judge, style=style, after=whole.after, most=remaining_count)
        whole.done += part.done
        whole.left_out += part.left_out
        whole.after = part.after
        if part.finished:
            return whole


def _count(key: int, project: Project, by: User, outcome: Approved) -> None:
    outcome.after = key
    try:
        with transaction.atomic():
            _approve(key, project, by)
    except NotApproved as refusal:
        outcome.left_out[refusal.why] += 1
    except WrongState:
        outcome.left_out[RACED] += 1
    else:
        outcome.done += 1


def _approve(key: int, project: Project, by: User) -> None:
    """Raises NotApproved, WrongState."""
    flow.lock(key)
    item = Item.objects.get(pk=key)
    item.project = project
    proposal = proposals().filter(item=key).latest("pk")
    if proposal.doubts:
        raise NotApproved(DOUBTFUL)
    if Slot.objects.held().filter(item=key).exists():
        raise NotApproved(HELD)
    kind = project.kind
    try:
        draft = kind.upgrade(proposal.draft, proposal.schema)
        facts = kind.upgrade(item.facts, item.schema)
        draft = checked(kind, facts, draft, project.kind_options)
    except NotReady as incomplete:
        raise NotApproved(INCOMPLETE) from incomplete
    if item.state == Item.State.IMPORTED:
        flow.move(item, "ready", by=by)
    slots.close(item)
    now = timezone.now()
    text = Annotation.objects.create(
        item=item,
        author=by,
        draft=draft,
        schema=kind.schema,
        suggestion=proposal,
        unchanged=True,
        outcome=Annotation.Outcome.ACCEPTED,
        saved_at=now,
        submitted_at=now,
    )
    flow.move(item, "accepted", by=by, base=text, annotation=text)


# Judgements made of our own accepted work: what people found and corrected, without the criteria they used.


MOST = 2000  # items at once: they are made while somebody waits
KEY = 200


@dataclass(frozen=True)
class MadeJudgements:
    """The outcome. nobody_judged: accepted items in which people judged no response."""

    report: Report
    nobody_judged: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        report_json = self.report.as_json()
        return {name: report_json[name] for name in ("read", "kept", "duplicates", "rejected", "problems")} | dict(
            self.left_out
        )


def possible_sources(project: Project, by: User) -> QuerySet[Project]:
    """Projects whose accepted work can become judgements here, by name: those that the user leads too."""
    kinds = [slug for slug, kind in all_kinds().items() if type(kind).as_judgement is not Kind.as_judgement]
    led = Project.objects.filter(members__user=by, members__role="lead", kind_slug__in=kinds)
    return led.exclude(pk=project.pk).order_by("name")


def make_judgements(*, project: Project, source: Project, by: User | None, limit: int = MOST) -> MadeJudgements:
    """Create an item for every accepted item of the source with a judged response; existing ones are kept.

    Raises Refused if the project takes no judgements, or already takes them from another project.
    """
    if not project.kind.bridging_steps or source.pk == project.pk:
        raise Refused(
            gettext(
                "Judgements from another project's accepted items can only be created in a project of "
                "branching judgements."
            )
        )
    if project.source_id not in (None, source.pk):
        raise Refused(
            gettext("This project already uses “%(name)s”. Create another project for this source.")
            % {"name": project.source}
        )
    counted: Counter[str] = Counter()
    with recording("project.changed", project, "source"):
        Project.objects.filter(pk=project.pk, source=None).update(source=source)
    project.source = source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgements.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in _rows(source, limit, counted):
                file.write(json.dumps(row) + "\n")  # in ASCII, so that no character is misread
        if not counted["written"]:
            raise Refused(gettext("“%(name)s” has no accepted items that judge a response.") % {"name": source.name})
        report = _imported(project, source, path, by)
    return MadeJudgements(
        report, counted["silent"], {"nobody_judged": counted["silent"], "beyond_the_limit": counted["beyond"]}
    )


def _imported(project: Project, source: Project, path: Path, by: User | None) -> Report:
    batch = batches.start(
        project=project,
        file_name=gettext("accepted items of %(slug)s") % {"slug": source.slug},
        settings=Settings(format="jsonl", drafts="facts", checks=False),
        by=by,
        state=Batch.State.RUNNING,
        **batches.leases.held(),
    )
    return batches.run(batch, RowsFile(path, batch.file_name))


def _rows(source: Project, limit: int, counted: Counter[str]) -> Iterator[dict[str, Any]]:
    """Rows by item. counted: gets the numbers of written, silent and beyond."""
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
