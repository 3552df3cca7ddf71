"""The history checker: what people sent and were told, against what the tables hold in the end.

It needs no knowledge of how the queue works, only of what it promises:
- what was acknowledged is stored, word for word, and what was refused is at least a draft or set aside;
- nothing is stored that nobody sent;
- a lease is good until somebody else gets the item: nothing is accepted under an older one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from tests.soak.history import Operation, Outcome

WRITES = {"save", "submit", "release", "skip", "fix", "return", "drop"}
DECISIONS = {"submit", "fix", "return", "drop"}
Place = tuple[int, str]  # a slot and a person


@dataclass(frozen=True)
class Stored:
    """The text of one person in one slot. aside: their other texts, which were set aside when two windows differed."""

    slot: int
    person: str
    text: str
    submitted: bool
    aside: list[str] = field(default_factory=list)


def violations(operations: Iterable[Operation], stored: Iterable[Stored]) -> list[str]:
    """One sentence for each promise that was broken. operations: in each person's own order."""
    steps = list(operations)
    texts = {(each.slot, each.person): each for each in stored}
    return [
        *_lost(_by_place(steps), texts),
        *_invented(steps, texts.values()),
        *_accepted_under_an_older_lease(steps),
        *_submitted_twice(texts.values()),
    ]


def _by_place(steps: Iterable[Operation]) -> Mapping[Place, list[Operation]]:
    places: dict[Place, list[Operation]] = defaultdict(list)
    for step in steps:
        places[step.slot, step.person].append(step)
    return places


def _lost(places: Mapping[Place, list[Operation]], texts: Mapping[Place, Stored]) -> Iterator[str]:
    """The last text that somebody was told about, or one sent after it, is stored; and is submitted if they were told.

    A person does one thing after another, so their own order is the order in which it happened.
    """
    for place, steps in places.items():
        writes = [step for step in steps if step.verb in WRITES and step.text]
        told = [number for number, step in enumerate(writes) if step.outcome is not Outcome.UNKNOWN]
        if not told:
            continue
        stored = texts.get(place)
        possible = {step.text for step in writes[told[-1] :]}
        kept = {stored.text, *stored.aside} if stored else set()
        if not possible & kept:
            last = writes[told[-1]]
            sentence = f"slot {place[0]}: {last.verb} of {place[1]} was {last.outcome}, “{last.text[:40]}” is nowhere"
            yield f"{sentence}; {_in_words(steps)}; stored: {stored}"
        elif must_be_submitted(steps) and not (stored and stored.submitted):
            yield f"slot {place[0]}: {place[1]} was told that it is submitted, and it is not"


def _in_words(steps: Iterable[Operation]) -> str:
    """All that this person did in this slot, for whoever looks for the cause."""
    return ", ".join(
        f"{step.verb} {step.outcome} “{step.text[:8]}” {step.began:.1f}-{step.ended:.1f}" for step in steps
    )


def must_be_submitted(steps: list[Operation]) -> bool:
    """Whether the last that this person was told is that their text is submitted, and nothing after it is unknown."""
    state = False
    for step in steps:
        if step.verb in DECISIONS and step.outcome is Outcome.ACKNOWLEDGED:
            state = True
        elif step.verb == "undo" and step.outcome is not Outcome.REFUSED:
            state = False
    return state


def _invented(steps: Iterable[Operation], texts: Iterable[Stored]) -> Iterator[str]:
    sent = {(step.slot, step.person, step.text) for step in steps}
    for stored in texts:
        if stored.submitted and (stored.slot, stored.person, stored.text) not in sent:
            yield f"slot {stored.slot}: nobody sent “{stored.text[:40]}” of {stored.person}"


def _accepted_under_an_older_lease(steps: Iterable[Operation]) -> Iterator[str]:
    """A lease that was seen only after another was seen is newer; from then on nothing counts under the older one."""
    by_slot: dict[int, list[Operation]] = defaultdict(list)
    for step in steps:
        by_slot[step.slot].append(step)
    for slot, each in by_slot.items():
        opened = sorted((step for step in each if step.verb == "open"), key=attrgetter("began"))
        for step in each:
            if step.verb in DECISIONS and step.outcome is Outcome.ACKNOWLEDGED:
                newer = _newer_lease(step, opened)
                if newer and not _said_twice(step, each):
                    yield f"slot {slot}: {step.verb} of {step.person} counted after {newer.person} had the item"


def _newer_lease(step: Operation, opened: list[Operation]) -> Operation | None:
    own = max((page.ended for page in opened if page.token == step.token), default=step.began)
    for page in opened:
        if page.token != step.token and page.person != step.person and own < page.began and page.ended < step.began:
            return page
    return None


def _said_twice(step: Operation, each: Iterable[Operation]) -> bool:
    """Whether the same was acknowledged, or may have been done, before: the second answer is then only repeated."""
    return any(
        other is not step
        and other.verb == step.verb
        and other.person == step.person
        and other.began < step.began
        and other.outcome is not Outcome.REFUSED
        for other in each
    )


def _submitted_twice(texts: Iterable[Stored]) -> Iterator[str]:
    people: dict[int, list[str]] = defaultdict(list)
    for stored in texts:
        if stored.submitted:
            people[stored.slot].append(stored.person)
    for slot, names in people.items():
        if len(names) > 1:
            yield f"slot {slot} was submitted by {', '.join(sorted(names))}"
