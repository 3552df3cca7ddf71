"""Creating a study from its plan: blinded vote items, their ballots and their slots."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.audit.trail import record
from annotate.bulk_rows import BulkInsert
from annotate.errors import Refused
from annotate.intake.row_reader import content_hash
from annotate.kinds.values import BadShape
from annotate.models import Event, Item, Member, Project, Slot, User
from annotate.project.actions import create_project, write_guideline
from judging.models import Ballot, Study
from judging.studies.plans import Plan, PlannedVote

TOGETHER = 500
SOON = 1  # priority of a repetition: as early as allowed, so that people with few votes do not miss it


def draw(
    plan: Plan,
    *,
    into: str,
    by: User | None,
    name: str = "",
    options: Mapping[str, Any] | None = None,
) -> Study:
    """Store the study. into: the slug of the project in which people vote; created if missing.

    options: of the kind, for a new project. Its lead is the person who draws, or the leads of the source if there is no
    such person, and it gets guidelines for voters. Raises Refused, and then stores nothing.
    """
    if not plan.votes:
        raise Refused(_("Nothing to draw: no accepted item has an answer by every author that people can vote on."))
    with transaction.atomic():
        target = _target(plan, into, by, options)
        study = Study.objects.create(
            source=plan.wish.source,
            project=target,
            name=name.strip() or _("Draw with seed %(seed)d") % {"seed": plan.wish.seed},
            seed=plan.wish.seed,
            options=_plan_as_json(plan),
            counts=plan.counts | {"waves": 1, "found": plan.listed},
            created_by=by,
        )
        store(study, plan.votes, plan.repeats, by)
        values = {"project": target.slug, "seed": study.seed, "options": study.options, "votes": len(plan.votes)}
        record("study.drawn", study, after=values, project=study.source)
    return study


def store(study: Study, votes: Sequence[PlannedVote], repeats: Sequence[int], by: User | None) -> None:
    """repeats: indexes of votes that the same person is asked again, as separate vote items."""
    items: list[Item] = []
    for start in range(0, len(votes), TOGETHER):
        items += _store(study, votes[start : start + TOGETHER], by, slots=study.project.overlap)
    for start in range(0, len(repeats), TOGETHER):
        positions = repeats[start : start + TOGETHER]
        again = [exchanged(votes[position]) for position in positions]
        _store(study, again, by, slots=1, parents=[items[position].pk for position in positions])


def exchanged(vote: PlannedVote) -> PlannedVote:
    """The same pair with its sides exchanged, for the same person; dealt like the first (annotate/items/slots.py)."""
    assert vote.second is not None
    facts = {**vote.facts, "first": vote.facts["second"], "second": vote.facts["first"]}
    return replace(vote, facts=facts, first=vote.second, second=vote.first)


def _plan_as_json(plan: Plan) -> dict[str, Any]:
    options = plan.wish.stored() | {"authors": [author.name for author in plan.authors]}
    return options | ({"pool": list(plan.pool)} if plan.pool else {})


def _target(plan: Plan, into: str, by: User | None, options: Mapping[str, Any] | None) -> Project:
    project = Project.objects.select_for_update().filter(slug=into).first()
    if project is None:
        return _new(plan, into, by, options)
    if project.kind_slug != plan.wish.kind.slug:
        raise Refused(_("“%(slug)s” is of kind %(kind)s.") % {"slug": into, "kind": project.kind_slug})
    design = plan.wish.design
    if project.overlap != design.overlap or project.overlap_share != 1 or project.reviews:
        message = _(
            "In “%(slug)s”, voters per item: %(n)d, reviews: %(reviews)d. Change its settings, or use the "
            "same numbers here."
        )
        raise Refused(message % {"slug": into, "n": project.overlap, "reviews": project.reviews})
    if design.repeats and project.kind_options.apart != design.apart:
        message = _(
            "In “%(slug)s”, items between a pair and its repetition: %(n)d. Change its settings, or use "
            "the same number here."
        )
        raise Refused(message % {"slug": into, "n": project.kind_options.apart})
    return project


def _new(plan: Plan, into: str, by: User | None, options: Mapping[str, Any] | None) -> Project:
    design = plan.wish.design
    apart = {"apart": design.apart} if design.repeats else {}
    project = create_project(
        slug=into,
        kind=plan.wish.kind.slug,
        options={**apart, **(options or {})},
        overlap=design.overlap,
        reviews=0,
        languages=[],
    )
    leads = [by] if by is not None else leads_of(plan.wish.source)
    Member.objects.bulk_create(Member(project=project, user=user, role=Member.Role.LEAD) for user in leads)
    text = plan.wish.kind.voter_guidelines()
    if text:
        write_guideline(project, text=text, note=_("Created with the study"), by=by, based_on=0)
    return project


def leads_of(project: Project) -> list[User]:
    """Active leads of the project."""
    return list(User.objects.filter(memberships__in=project.members.filter(role=Member.Role.LEAD), is_active=True))


def _store(
    study: Study, votes: Sequence[PlannedVote], by: User | None, *, slots: int, parents: Sequence[int] = ()
) -> list[Item]:
    """Store all of these in four statements. parents: for repetitions, the vote items that they repeat."""
    project = study.project
    items = Item.objects.bulk_create(
        [_item(study, vote, parents[index] if parents else None) for index, vote in enumerate(votes)]
    )
    ballots = BulkInsert(Ballot, ("item_id", "first_id", "second_id"), study_id=study.pk, seed=study.seed)
    ballots.insert((item.pk, vote.first, vote.second) for item, vote in zip(items, votes, strict=True))
    alike: dict[str, Any] = {"project_id": project.pk, "stage": Slot.Stage.ANNOTATE, "round": 1}
    open_slots = BulkInsert(Slot, ("item_id", "no"), priority=SOON if parents else 0, **alike)
    open_slots.insert((item.pk, no) for item in items for no in range(1, slots + 1))
    actor_id = by.pk if by else None
    history = BulkInsert(Event, ("item_id", "to_state"), project_id=project.pk, verb="imported", actor_id=actor_id)
    history.insert((item.pk, item.state) for item in items)
    return items


def _item(study: Study, vote: PlannedVote, parent: int | None) -> Item:
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
        parent_id=parent,
    )


def key_of(seed: int, vote: PlannedVote) -> str:
    """A key that reveals neither item nor author, and is the same for the same draw with this seed."""
    name = f"vote/{seed}/{vote.first}/{vote.second}"
    return f"v-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
