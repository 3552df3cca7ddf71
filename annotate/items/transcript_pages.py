"""The page for what the page of an item cuts of a long transcript: the turns in full, in pieces, by role."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse

from annotate.items import slots
from annotate.kinds.values import WholeTurn
from annotate.web.access import item_seen_by, membership, project_page
from annotate.web.pager import numbered_page, row_named

CHARACTERS_PER_PIECE = 50_000
CHARACTERS_PER_PAGE = 200_000


@dataclass(frozen=True)
class TurnPiece:
    """A stretch of a turn. call: the tool that is called, if it is of its arguments. place: from 1, of `all` pieces."""

    turn: WholeTurn
    call: str
    text: str
    place: int
    all: int


@login_required
def item_transcript(request: HttpRequest, slug: str, pk: int, no: int) -> HttpResponse:
    """no: of the part of the material. `?turn=` begins at a turn, `?role=` leaves out those of other roles."""
    member = membership(request, slug)
    item = item_seen_by(member, pk).item
    kind = member.project.kind
    transcript = kind.cut_transcript(kind.read_facts(item.facts), slots.dealt_to(item, member.user_id), no)
    if transcript is None:
        raise Http404
    role = request.GET.get("role", "")
    turns = [turn for turn in transcript.turns if role in ("", turn.role)]
    pages = _pages(turns)
    page = numbered_page(request, pages, 1)
    if "page" not in request.GET:
        page = page.paginator.get_page(_page_of_turn(pages, row_named(request, "turn")))
    context = {
        "item": item,
        "transcript": transcript,
        "page": page,
        "pieces": [piece for pieces in page for piece in pieces],
        "role": role,
        "roles": _roles(transcript.turns),
    }
    return project_page(request, member, "items/transcript.html", context, tab="items")


def _roles(turns: Sequence[WholeTurn]) -> list[tuple[str, str, int]]:
    """(role, in words, how many turns)"""
    return [(role, who, n) for (role, who), n in Counter((turn.role, turn.who) for turn in turns).items()]


def _pages(turns: Sequence[WholeTurn]) -> list[list[TurnPiece]]:
    pages: list[list[TurnPiece]] = []
    room = 0
    for piece in (piece for turn in turns for piece in _pieces(turn)):
        if len(piece.text) > room:
            pages.append([])
            room = CHARACTERS_PER_PAGE
        pages[-1].append(piece)
        room -= len(piece.text)
    return pages


def _pieces(turn: WholeTurn) -> Iterator[TurnPiece]:
    for call, text in (("", turn.text), *turn.calls):
        parts = list(_parts(text))
        yield from (TurnPiece(turn, call, part, place, len(parts)) for place, part in enumerate(parts, start=1))


def _parts(text: str) -> Iterator[str]:
    """The text in stretches that end with a line or a word, if one ends in their second half."""
    start = 0
    while start < len(text):
        end = start + CHARACTERS_PER_PIECE
        if end < len(text):
            half = start + CHARACTERS_PER_PIECE // 2
            end = 1 + max(text.rfind("\n", half, end), text.rfind(" ", half, end)) or end
        yield text[start:end]
        start = end


def _page_of_turn(pages: Sequence[Sequence[TurnPiece]], turn: int | None) -> int:
    """From 1; the first page where the turn is on none."""
    return next((n for n, pieces in enumerate(pages, start=1) if any(p.turn.number == turn for p in pieces)), 1)
