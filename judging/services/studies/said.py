"""What people have said in one study, vote by vote: two queries however many votes."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models.functions import Length

from annotate.models import Annotation, Slot
from annotate.services.dealing import deal
from judging.models import Ballot, Study

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True, slots=True)
class Said:
    """One vote. authors: in the order of the facts, one of them where there is no pair; shown: left and right.

    choice: the winner as an author's number, `tie`, `both_bad`, `cannot_tell`, "" where the kind has no choice.
    side: where the winner stood, "" without one. characters: of what was voted on. again: it repeats the vote item
    `item` of the same person, with the sides exchanged.
    """

    item: int
    person: str
    authors: tuple[int, ...]
    shown: tuple[int, ...]
    choice: int | str
    side: str
    recognised: bool
    seconds: int
    characters: int
    again: bool

    @property
    def is_decided(self) -> bool:
        return isinstance(self.choice, int)


def said_in(study: Study) -> list[Said]:
    """In the order in which they were handed in."""
    ballots = {row[0]: row[1:] for row in _ballots(study)}
    votes = Annotation.objects.filter(
        item__ballot__study=study, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False, author__isnull=False
    ).order_by("submitted_at", "pk")
    columns = ("item_id", "item__parent_id", "author_id", "author__username", "active_seconds", "draft")
    study_votes = []
    for item, parent, person, name, seconds, draft in votes.values_list(*columns):
        first, second, characters = ballots[item]
        authors = (first,) if second is None else (first, second)
        shown_authors = authors[::-1] if second is not None and deal(parent or item, person) % 2 else authors
        choice = _choice(draft, authors)
        side = (LEFT if choice == shown_authors[0] else RIGHT) if isinstance(choice, int) else ""
        is_recognised = draft.get("recognised") is True
        study_votes.append(
            Said(
                parent or item,
                name,
                authors,
                shown_authors,
                choice,
                side,
                is_recognised,
                seconds,
                characters,
                parent is not None,
            )
        )
    return study_votes


def _ballots(study: Study) -> Sequence[tuple[int, int, int | None, int]]:
    rows = Ballot.objects.filter(study=study).annotate(one=Length("first__text"), other=Length("second__text"))
    columns = ("item_id", "first__author_id", "second__author_id", "one", "other")
    return [
        (item, first, second, first_length + (second_length or 0))
        for item, first, second, first_length, second_length in rows.values_list(*columns)
    ]


def _choice(draft: dict[str, object], authors: tuple[int, ...]) -> int | str:
    choice = str(draft.get("choice") or "")
    if len(authors) == 2 and choice in ("first", "second"):
        return authors[choice == "second"]
    return choice
