"""Making what a plan says: a study, its vote items without a name in them, their ballots and their slots."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.kinds.base import BadShape
from annotate.models import Event, Item, Member, Project, Slot, User
from annotate.services.errors import Refused
from annotate.services.importing.rows import content_hash
from annotate.services.projects import create_project
from judging.models import Ballot, Study
from judging.services.studies.planning import Plan, Vote

TOGETHER = 500


def draw(
    plan: Plan,
    *,
    into: str,
    overlap: int,
    by: User | None,
    name: str = "",
    options: Mapping[str, Any] | None = None,
) -> Study:
    """Store the study. into: the address of the project in which people vote; it is made where it is missing.

    options: of the kind, for a project that is made. Raises Refused, and nothing is stored.
    """
    if not plan.votes:
        raise Refused(_("Nothing to draw: no accepted item has an answer of every author that could be voted on."))
    with transaction.atomic():
        target = _target(plan, into, overlap, by, options)
        study = Study.objects.create(
            source=plan.wish.source,
            project=target,
            name=name.strip() or _("Draw with seed %(seed)d") % {"seed": plan.wish.seed},
            seed=plan.wish.seed,
            options=_said(plan, overlap),
            counts=plan.counts,
            created_by=by,
        )
        for start in range(0, len(plan.votes), TOGETHER):
            _store(study, plan.votes[start : start + TOGETHER], by)
    return study


def _said(plan: Plan, overlap: int) -> dict[str, Any]:
    wish = plan.wish
    names = [author.name for author in plan.authors]
    return {"items": wish.items, "authors": names, "by": wish.by, "kind": wish.kind.slug, "overlap": overlap}


def _target(plan: Plan, into: str, overlap: int, by: User | None, options: Mapping[str, Any] | None) -> Project:
    if overlap < 1:
        raise Refused(_("At least one person has to vote on each item."))
    found = Project.objects.select_for_update().filter(slug=into).first()
    if found is None:
        return _new(plan, into, overlap, by, options)
    if found.kind_slug != plan.wish.kind.slug:
        raise Refused(_("“%(slug)s” is of kind %(kind)s.") % {"slug": into, "kind": found.kind_slug})
    if found.overlap != overlap or found.overlap_share != 1 or found.reviews:
        told = _("In “%(slug)s” %(n)d vote on each item and %(reviews)d review them. Change its settings, or draw so.")
        raise Refused(told % {"slug": into, "n": found.overlap, "reviews": found.reviews})
    return found


def _new(plan: Plan, into: str, overlap: int, by: User | None, options: Mapping[str, Any] | None) -> Project:
    made = create_project(
        slug=into, kind=plan.wish.kind.slug, options=options, overlap=overlap, reviews=0, languages=[]
    )
    if by is not None:
        Member.objects.create(project=made, user=by, role=Member.Role.LEAD)
    return made


def _store(study: Study, votes: Sequence[Vote], by: User | None) -> None:
    """Four statements for all of these."""
    project = study.project
    items = Item.objects.bulk_create([_item(study, vote) for vote in votes])
    Ballot.objects.bulk_create(
        Ballot(item=item, study=study, first_id=vote.first, second_id=vote.second, seed=study.seed)
        for item, vote in zip(items, votes, strict=True)
    )
    Slot.objects.bulk_create(
        Slot(item=item, project=project, stage=Slot.Stage.ANNOTATE, round=1, no=no)
        for item in items
        for no in range(1, project.overlap + 1)
    )
    Event.objects.bulk_create(
        Event(item=item, project=project, verb="imported", to_state=item.state, actor=by) for item in items
    )


def _item(study: Study, vote: Vote) -> Item:
    kind = study.project.kind
    try:
        facts = kind.read_facts(vote.facts)
    except BadShape as bad:
        raise Refused(f"{vote.item.key}: {bad}") from bad
    return Item(
        project=study.project,
        key=key_of(study.seed, vote),
        title=kind.title(facts),
        group="" if vote.stratum == "–" else vote.stratum[:120],
        language=vote.item.language,
        content_hash=content_hash(facts.stored()),
        schema=kind.schema,
        state=Item.State.READY,
        facts=facts.stored(),
    )


def key_of(seed: int, vote: Vote) -> str:
    """Says nothing about item or author, and is the same whenever the same is drawn with this seed."""
    said = f"vote/{seed}/{vote.first}/{vote.second}"
    return f"v-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
