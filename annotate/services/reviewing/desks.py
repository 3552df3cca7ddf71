"""Whoever decides sits at one of two desks: a review of one text, or an adjudication between several."""

from annotate.models import Member
from annotate.services.adjudicating.desk import adjudication_desk
from annotate.services.reviewing.desk import ReviewDesk, review_desk


def desk_of(member: Member, slot_id: int) -> ReviewDesk | None:
    """The review or adjudication in that slot of the project; None if there is none."""
    return review_desk(member, slot_id) or adjudication_desk(member, slot_id)
