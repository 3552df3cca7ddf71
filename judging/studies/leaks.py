"""Search for leaks of authors in a study: names in stored texts, and orders that correlate with authors."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.items.slots import dealt_to
from annotate.models import Item, Project, Slot
from judging.models import Author, Ballot, Study
from judging.studies.designs import ADAPTIVE, Blinding, blinding_of, design_of
from judging.studies.masking import Telling
from judging.studies.plans import telling_of

QUESTION = ("prompt", "before")  # the same for all answers, so names there reveal nothing
BEFORE, AFTER = 30, 30  # characters of a finding's surroundings
LEAST, CERTAIN = 50, 1e-4  # votes below which no order is tested; chance of a false alarm of each sort of order
PARTS = 6


@dataclass(frozen=True)
class Leak:
    """place: facts, key, group, page, header, api, export or order; where: an item's key, an address, or which order;
    word: what was found there; text: with its surroundings."""

    place: str
    where: str
    word: str
    text: str = ""


@dataclass(frozen=True)
class Scan:
    """items: vote items scanned; pages: addresses; short: names too short to search; asked: names in a question, which
    is the same for all, so no page is searched for them; ours: names that are words of our own pages."""

    items: int = 0
    pages: int = 0
    findings: Sequence[Leak] = ()
    short: Sequence[str] = ()
    asked: Sequence[str] = ()
    ours: Sequence[str] = ()


@dataclass
class SearchedProject:
    """The search terms for one project of votes."""

    project: Project
    names: Mapping[int | None, Telling]  # study -> its search terms; None: imported votes
    asked: set[str] = field(default_factory=set)


def reading_of(project: Project, study: Study | None = None) -> SearchedProject:
    """study: the search terms of this study only, of which a project may have a thousand."""
    studies = Study.objects.filter(project=project).select_related("source")
    names: dict[int | None, Telling] = {}
    for drawn_study in studies if study is None else studies.filter(pk=study.pk):
        authors = Author.objects.filter(project=drawn_study.source_id, name__in=drawn_study.options.get("authors", ()))
        names[drawn_study.pk] = telling_of(drawn_study.source, authors, blinding_of(drawn_study.options))
    if study is None and Ballot.objects.filter(item__project=project, study=None).exists():
        names[None] = telling_of(project, Author.objects.filter(project=project), Blinding())
    return SearchedProject(project, names)


def scan(project: Project, study: Study | None = None) -> Scan:
    """Scan the stored vote items and their order; served_pages.py scans the pages.

    study: scan only the vote items of this study.
    """
    reading = reading_of(project, study)
    findings: list[Leak] = []
    items = 0
    ballots = Ballot.objects.filter(item__project=project).select_related("item").order_by("item_id")
    studies = Study.objects.filter(project=project)
    if study is not None:
        ballots, studies = ballots.filter(study=study), studies.filter(pk=study.pk)
    for ballot in ballots.iterator(chunk_size=500):
        items += 1
        findings += _in_item(ballot.item, reading.names[ballot.study_id], reading.asked)
    for checked_study in studies:
        findings += orders(checked_study)
    short = {name for names in reading.names.values() for name in names.short}
    return Scan(items, 0, findings, sorted(short), sorted(reading.asked))


def _in_item(item: Item, names: Telling, question_names: set[str]) -> Iterator[Leak]:
    facts = dict(item.facts)
    question = "\n".join(_texts([facts.pop(name, "") for name in QUESTION]))
    question_names.update(names.found_in(question))
    for location, text in (("facts", "\n".join(_texts(facts))), ("key", item.key), ("group", item.group)):
        yield from find_leaks(names, text, location, item.key)


def find_leaks(names: Telling, text: str, location: str, where: str, *, but: Iterable[str] = ()) -> Iterator[Leak]:
    """Each name once, with the context of its first occurrence. but: names that are not reported."""
    leave = set(but)
    for word, pattern in names.patterns:
        hit = None if word in leave else pattern.search(text)
        if hit:
            around = text[max(hit.start() - BEFORE, 0) : hit.end() + AFTER]
            yield Leak(location, where, word, " ".join(around.split()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


# --- orders -----------------------------------------------------------------------------------------------------------
def orders(study: Study) -> Iterator[Leak]:
    """Orders that are unlikely by chance: in the facts, on the screen, in the queue. Without repetitions."""
    ballots = Ballot.objects.filter(study=study, item__parent=None).order_by("item_id")
    rows = list(ballots.values_list("item", "first__author__name", "second__author__name"))
    if rows and rows[0][2] is not None:
        yield from _sides("first in the facts", [(first, second) for _item, first, second in rows])
        yield from _sides("on the left of the screen", _dealt(study, rows))
    if design_of(study.options).name != ADAPTIVE:  # there the votes decide which pairs come late, but not which side
        yield from _queue([first for _item, first, _second in rows])


def _dealt(study: Study, rows: Iterable[tuple[int, str, str]]) -> list[tuple[str, str]]:
    """(left, right) of every vote that was handed out."""
    authors = {item: (first, second) for item, first, second in rows}
    held = Slot.objects.filter(item__in=authors, stage=Slot.Stage.ANNOTATE, holder__isnull=False)
    slots = held.select_related("item").only("item__id", "item__parent", "holder_id")
    pairs = ((authors[slot.item_id], dealt_to(slot.item, slot.holder_id)) for slot in slots)
    return [(pair[1], pair[0]) if number % 2 else pair for pair, number in pairs]


def _sides(side_name: str, pairs: Sequence[tuple[str, str]]) -> Iterator[Leak]:
    """For each two authors, whether one is on this side more often than by chance."""
    from scipy.stats import binomtest  # here: it takes long to load, and few processes need it

    times: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for first, second in pairs:
        times[min(first, second), max(first, second)][first] += 1
    tested = {pair: counts for pair, counts in times.items() if counts.total() >= LEAST}
    for pair, counts in tested.items():
        p = binomtest(counts[pair[0]], counts.total()).pvalue
        if p * len(tested) < CERTAIN:
            text = f"{counts[pair[0]]} of {counts.total()} against {pair[1]}, p = {p:.1e}"
            yield Leak("order", side_name, pair[0], text)


def _queue(authors: Sequence[str]) -> Iterator[Leak]:
    """Whether some come earlier than others."""
    from scipy.stats import chi2_contingency  # here: it takes long to load, and few processes need it

    names = sorted(set(authors))
    if len(names) < 2 or len(authors) < LEAST:
        return
    table = [[0] * PARTS for _name in names]
    for position, author in enumerate(authors):
        table[names.index(author)][position * PARTS // len(authors)] += 1
    p = float(chi2_contingency(table).pvalue)
    if p < CERTAIN:
        yield Leak("order", "place in the queue", ", ".join(names), f"p = {p:.1e}")
