"""Numbers of bridging: agreement with people by a judge's own criteria and by the recovered ones, on the same pairs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Q

from annotate.models import Item, Project
from judging.answers.cases import case_of
from judging.boards.bridging.stages import bridged
from judging.models import Judge, Part, Verdict
from lib.stats.consistency import OrderCounts, OrderPair, orders
from lib.stats.figures import Figure, balance_figure, share_figure
from lib.stats.paired import PairedComparison, compared_in_clusters

RECOVERED, SHARED = "criteria=recovered", "criteria=shared"
FLIPPED = {"first": "second", "second": "first"}
NO_LABEL, ONLY_BEFORE, ONLY_AFTER = "no label", "own criteria only", "recovered criteria only"
ONE_ORDER, UNREADABLE, CHANGED = "one order", "unreadable", "criteria have changed"
LEFT_OUT = (NO_LABEL, ONLY_BEFORE, ONLY_AFTER, ONE_ORDER, UNREADABLE, CHANGED)
GAINED, LOST, BOTH, NEITHER = "gained", "lost", "both", "neither"
OUTCOMES = (GAINED, LOST, BOTH, NEITHER)


@dataclass(frozen=True)
class ComparedPair:
    """One pair that counts. label: people's. prompt: what was asked, which pairs may share.

    before, after: what the judge said in both orders, with that label.
    """

    item: int
    group: str
    label: str
    prompt: str
    before: OrderPair
    after: OrderPair

    @property
    def outcome(self) -> str:
        before, after = agrees(self.before), agrees(self.after)
        if before == after:
            return BOTH if after else NEITHER
        return GAINED if after else LOST


@dataclass(frozen=True)
class BridgedPair:
    """A decided pair with a judgement from elsewhere. criteria: names of the approved ones. said: the original verdict.

    label, said: `first` is the answer of `author`; "" where there is none.
    """

    item: int
    group: str
    author: str
    label: str
    said: str
    prompt: str
    criteria: Sequence[str]


@dataclass(frozen=True)
class BridgingRow:
    """One judge over one group; group is "" for all. left_out: why -> items, in the order of their ids."""

    judge: str
    simulated: bool
    group: str
    seen: Sequence[ComparedPair]
    before: OrderCounts
    after: OrderCounts
    gain: Figure
    test: PairedComparison
    left_out: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def items(self, which: str) -> list[int]:
        """Behind a number: an outcome, a reason for leaving out, else all that count."""
        if which in LEFT_OUT:
            return list(self.left_out.get(which, ()))
        return [judged_pair.item for judged_pair in self.seen if which not in OUTCOMES or judged_pair.outcome == which]


@dataclass(frozen=True)
class Compare:
    """rows: by judge, then by group. original: share of approved judgements that agree with people's label."""

    rows: Sequence[BridgingRow]
    original: Figure


def agrees(pair: OrderPair) -> bool:
    """Agreement as published: the same choice in both orders, and the one of people."""
    return pair.consistent and pair.straight == pair.label


def compare_bridging(project: Project, *, by_set: bool = False) -> Compare:
    """A fixed, small number of queries. by_set: also a row for each set of judgements."""
    subjects = {subject.item: subject for subject in _subjects(project)}
    rows = [row for before, after in _judges(project) for row in _rows(before, after, subjects, by_set=by_set)]
    labelled_subjects = [subject for subject in subjects.values() if subject.label and subject.said]
    return Compare(
        rows, share_figure(sum(subject.label == subject.said for subject in labelled_subjects), len(labelled_subjects))
    )


def _subjects(project: Project) -> Iterator[BridgedPair]:
    accepted = bridged(project).filter(state=Item.State.ACCEPTED, base__isnull=False).order_by("pk")
    for item in accepted.select_related("base", "project").iterator(chunk_size=500):
        case, facts = case_of(item), item.facts
        if case is not None and facts.get("second"):
            yield BridgedPair(
                item=item.pk,
                group=item.of,
                author=(facts.get("author_first") or "A")[:100],
                label=facts.get("human_label") or "",
                said=facts["original"].get("verdict") or "",
                prompt=facts["query"],
                criteria=[criterion.name for criterion in case.judged.criteria],
            )


def _judges(project: Project) -> Iterator[tuple[Judge, Judge]]:
    """(by its own criteria, by the recovered ones) of each judge asked in both ways with equal other options."""
    judges = Judge.objects.filter(project=project, strategy__startswith="branch").order_by(
        "name", "strategy", "variant", "version"
    )
    by_name = {  # the newest version of each
        (judge.name, judge.strategy, judge.variant): judge for judge in judges
    }
    for (name, strategy, variant), after in by_name.items():
        if RECOVERED in variant.split():
            without = " ".join(part for part in variant.split() if part != RECOVERED)
            for own_variant in (variant.replace(RECOVERED, SHARED), without):
                if (name, strategy, own_variant) in by_name:
                    yield by_name[name, strategy, own_variant], after


BothOrders = Mapping[bool, Verdict]


def _rows(before: Judge, after: Judge, subjects: Mapping[int, BridgedPair], *, by_set: bool) -> Iterator[BridgingRow]:
    verdicts_by_judge = {judge.pk: _verdicts(judge) for judge in (before, after)}
    names = _criteria_used(after)
    judged_pairs: list[ComparedPair] = []
    items_by_reason: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for item, subject in subjects.items():
        pairs = verdicts_by_judge[before.pk].get(item), verdicts_by_judge[after.pk].get(item)
        if pairs == (None, None):
            continue
        why = _why_not(subject, *pairs, names)
        if why:
            items_by_reason[why].append((subject.group, item))
        else:
            own_pair, recovered = (_pair(subject, verdicts) for verdicts in pairs if verdicts)
            judged_pairs.append(ComparedPair(item, subject.group, subject.label, subject.prompt, own_pair, recovered))
    groups = sorted({judged_pair.group for judged_pair in judged_pairs}) if by_set else []
    for group in ["", *(groups if len(groups) > 1 else [])]:
        yield _row(
            before,
            group,
            [judged_pair for judged_pair in judged_pairs if group in ("", judged_pair.group)],
            items_by_reason,
        )


def _row(
    judge: Judge,
    group: str,
    judged_pairs: Sequence[ComparedPair],
    items_by_reason: Mapping[str, Sequence[tuple[str, int]]],
) -> BridgingRow:
    right = [(agrees(judged_pair.before), agrees(judged_pair.after)) for judged_pair in judged_pairs]
    gains = np.array([after - before for before, after in right], dtype=float)
    return BridgingRow(
        judge=str(judge),
        simulated=judge.simulated,
        group=group,
        seen=judged_pairs,
        before=orders([judged_pair.before for judged_pair in judged_pairs]),
        after=orders([judged_pair.after for judged_pair in judged_pairs]),
        gain=balance_figure(gains),
        test=compared_in_clusters(
            [before for before, _after in right],
            [after for _before, after in right],
            [judged_pair.prompt for judged_pair in judged_pairs],
        ),
        left_out={
            why: [item for item_group, item in grouped_items if group in ("", item_group)]
            for why, grouped_items in items_by_reason.items()
        },
    )


def _why_not(
    subject: BridgedPair, before: BothOrders | None, after: BothOrders | None, used: Mapping[int, Sequence[str]]
) -> str:
    if not subject.label:
        return NO_LABEL
    if before is None or after is None:
        return ONLY_BEFORE if after is None else ONLY_AFTER
    if len(before) < 2 or len(after) < 2:
        return ONE_ORDER
    both = (*before.values(), *after.values())
    if any(verdict.reading != Verdict.Reading.OK or not verdict.choice for verdict in both):
        return UNREADABLE
    names = [name[:200] for name in subject.criteria]
    if any(names[: len(used.get(verdict.pk, ()))] != list(used.get(verdict.pk, ())) for verdict in after.values()):
        return CHANGED
    return ""


def _verdicts(judge: Judge) -> dict[int, dict[bool, Verdict]]:
    """item -> order -> the newest verdict about its two responses; pairs with corrections are different pairs."""
    corrected = Q(first__author__name__endswith="+correction") | Q(second__author__name__endswith="+correction")
    verdicts_by_item: dict[int, dict[bool, Verdict]] = defaultdict(dict)
    verdicts = Verdict.objects.pairwise().filter(judge=judge, repeat=1).exclude(corrected).order_by("pk")
    for verdict in verdicts.select_related("first__author").defer("first__text", "reason", "note"):
        verdicts_by_item[verdict.item_id][verdict.swapped] = verdict
    return verdicts_by_item


def _criteria_used(judge: Judge) -> dict[int, list[str]]:
    """verdict -> names of the criteria that it went by, in their order."""
    labels_by_verdict: dict[int, list[tuple[int, str]]] = defaultdict(list)
    rows = Part.objects.filter(verdict__judge=judge).values_list("verdict_id", "axis", "label")
    for verdict, axis, label in rows.iterator(chunk_size=5000):
        labels_by_verdict[verdict].append((int(axis) if axis.isdecimal() else 0, label))
    return {verdict: [label for _axis, label in sorted(labels)] for verdict, labels in labels_by_verdict.items()}


def _pair(subject: BridgedPair, verdicts: BothOrders) -> OrderPair:
    """With people's label; both choices as the item calls its responses, whatever order the answers are kept in."""
    flipped = verdicts[False].first.author.name != subject.author
    choices = [verdicts[swapped].choice for swapped in (False, True)]
    straight, swapped = (FLIPPED.get(choice, choice) if flipped else choice for choice in choices)
    return OrderPair(straight, swapped, subject.label)
