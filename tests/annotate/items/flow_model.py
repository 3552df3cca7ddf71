"""What the queue and the state machine promise, as a model of a hundred lines without a database.

An item has seats: the units of work of all its rounds. Every step below either happens as written or is not possible.
"""

from dataclasses import dataclass, field
from itertools import count

_numbers = count(1)
NEXT = {"annotate": ("review", "adjudicate"), "review": ("adjudicate",), "adjudicate": ()}
STATE = {"annotate": "ready", "review": "reviewing", "adjudicate": "adjudicating"}


@dataclass
class Seat:
    """text: of an author, or the decision of a reviewer. touched: somebody has written in it."""

    stage: str
    round: int
    state: str = "open"
    holder: str = ""
    reserved: str = ""
    text: str = ""
    touched: bool = False
    no: int = field(default_factory=lambda: next(_numbers))


@dataclass
class ItemModel:
    """overlap, reviews: how many people write and review. decisive: the seats whose submission made the last move."""

    overlap: int
    reviews: int
    state: str = "ready"
    round: int = 1
    seats: list[Seat] = field(default_factory=list)
    decisive: list[Seat] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.open("annotate", self.overlap)

    def open(self, stage: str, how_many: int, reserved: tuple[str, ...] = ()) -> None:
        names = reserved or ("",) * how_many
        self.seats += [Seat(stage, self.round, reserved=name) for name in names]

    def beside(self, seat: Seat) -> list[Seat]:
        same = [each for each in self.seats if (each.stage, each.round) == (seat.stage, seat.round)]
        return [each for each in same if each.state != "void"]

    def writers(self) -> set[str]:
        texts = [seat for seat in self.seats if seat.state == "submitted"]
        return {seat.holder for seat in texts if seat.stage == "annotate" or seat.text == "fix"}

    def may_take(self, seat: Seat, person: str) -> bool:
        """Nobody gets what they skipped, sits twice in a round, or judges an item on which they wrote."""
        if seat.state != "open" or seat.reserved not in ("", person) or person in self.skipped:
            return False
        if any(each.holder == person for each in self.seats if each.round == seat.round):
            return False
        return seat.stage == "annotate" or person not in self.writers()

    def take(self, seat: Seat, person: str) -> None:
        seat.state, seat.holder = "held", person

    def put_back(self, seat: Seat) -> None:
        seat.state, seat.holder = "open", ""

    def skip(self, seat: Seat) -> None:
        self.skipped.add(seat.holder)
        seat.reserved = "" if seat.reserved == seat.holder else seat.reserved
        self.put_back(seat)

    def submit(self, seat: Seat, text: str) -> None:
        """The last of those who do the same work moves the item: as they agree, or to somebody who decides."""
        seat.state, seat.text, seat.touched = "submitted", text, True
        same = self.beside(seat)
        if any(each.state != "submitted" for each in same):
            return
        self.decisive = same
        if len({each.text for each in same}) > 1:
            self._to("adjudicate", 1)
        elif seat.stage == "annotate" and len(same) == 1 and self.reviews:
            self._to("review", self.reviews)
        else:
            self._decided(seat)

    def _to(self, stage: str, how_many: int) -> None:
        self.state = STATE[stage]
        self.open(stage, how_many)

    def _decided(self, seat: Seat) -> None:
        self.state = {"drop": "dropped", "return": "ready"}.get(seat.text, "accepted")
        if seat.text == "return":
            authors = [each for each in self.seats if each.stage == "annotate" and each.round == self.round]
            self.round += 1
            self.open("annotate", 0, tuple(each.holder for each in authors if each.state == "submitted"))

    def may_take_back(self, seat: Seat) -> bool:
        """While nothing else has moved the item, and nobody has begun what follows."""
        if seat.state != "submitted":
            return False
        if any(each.state != "submitted" for each in self.beside(seat)):
            return self.state == STATE[seat.stage] and self.round == seat.round
        return seat in self.decisive and not any(each.state != "open" or each.touched for each in self._after(seat))

    def _after(self, seat: Seat) -> list[Seat]:
        later = [each for each in self.seats if each.round == seat.round and each.stage in NEXT[seat.stage]]
        return later + [each for each in self.seats if each.round > seat.round]

    def take_back(self, seat: Seat) -> None:
        after = self._after(seat) if seat in self.decisive else []
        self.seats = [each for each in self.seats if each not in after]
        self.round, self.state, self.decisive = seat.round, STATE[seat.stage], []
        seat.state = "held"

    def close(self, state: str, *, again: bool) -> None:
        """A lead's step: whatever is unfinished is void; another round opens where the item is to be done again."""
        for seat in self.seats:
            seat.state = "void" if seat.state in ("open", "held") else seat.state
        self.state, self.decisive = state, []
        if again:
            self.round += 1
            self.open("annotate", self.overlap)
