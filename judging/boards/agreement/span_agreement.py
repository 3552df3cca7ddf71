"""Agreement about questions whose answers are spans: characters, labels, and whether an item has such a span at all."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from annotate.kinds.questions.places import stored_text
from annotate.kinds.questions.types.spans import Spans
from annotate.models import Item, Project
from lib.stats.agreement.pooled import Pooled, PooledBeside
from lib.stats.agreement.sets_and_ranks import ClusteredValue
from lib.stats.agreement.spans import (
    SpanTable,
    alpha_of_characters,
    matched_agreement,
    matched_spans,
    span_f1,
    span_f1_beside,
)

Answers = Mapping[int, Mapping[str, Any]]  # item -> rater -> spans
UnitAnswers = Mapping[Any, Mapping[str, Any]]  # unit, such as an item -> rater -> spans
Named = tuple[str, str, ClusteredValue]  # name, level, value
ANY = "any"
JUDGE = "\0"  # the name of nobody


def any_span(question: Spans, condition: str) -> Callable[[Any], str] | None:
    """Answer -> yes or no: whether it has such a span. condition: "" or NAME=VALUE of a label, column or attribute.

    A category stands for its labels. None for a name or value that the question does not have.
    """
    name, _equals, value = condition.partition("=")
    categories = [category for category, _labels in question.categories]
    allowed_values = {"label": [*question.known_labels, *categories], "field": question.on, **question.attributes}
    if condition and value not in allowed_values.get(name, []) and not (name == "label" and question.others and value):
        return None

    def fits(span: Mapping[str, Any]) -> bool:
        own = str(span.get(name, ""))
        return not condition or own == value or (name == "label" and own.partition("/")[0] == value)

    return lambda spans: "yes" if any(map(fits, spans)) else "no"


def span_coefficients(
    project: Project, question: Spans, answers: Answers, clusters: Mapping[int, str]
) -> Sequence[Named]:
    """span_f1; alpha of characters for all spans; labels and attributes of matched spans; alpha for each label."""
    calls = ["label", *question.attributes]
    table, values = span_table(answers, clusters, calls, _lengths(project, question, answers))
    matched = matched_spans(table)
    coefficients: list[Named] = [("span_f1", "characters", span_f1(table))]
    coefficients += [
        ("alpha_characters", "nominal", alpha) for alpha in alpha_of_characters(table, table.labels[:, 0] * 0)
    ]
    note = (
        f"{matched.unmatched_pairs} pairs of ratings have too many spans to match." if matched.unmatched_pairs else ""
    )
    for column, call in enumerate(calls):
        agreement = matched_agreement(table, matched, column)
        coefficients.append((f"matched_{call}", "share", replace(agreement, note=agreement.note or note)))
    alphas = dict(zip(values[0], alpha_of_characters(table, table.labels[:, 0]), strict=True))
    order = [*(label for label in question.known_labels if label in alphas), *alphas]
    coefficients += [(f"alpha_characters:{label}", "nominal", alphas[label]) for label in dict.fromkeys(order)]
    return coefficients


def spans_among(answers: Answers, clusters: Mapping[int, str]) -> Pooled:
    """F1 of the marked characters of people."""
    table, _values = span_table(answers, clusters)
    f1 = span_f1(table)
    return Pooled(f1.value, f1.low, f1.high, f1.note, table.met, f1.n)


def spans_beside(answers: Answers, judged: Mapping[int, Any], clusters: Mapping[int, str]) -> PooledBeside:
    """The same beside a judge, over the items that two people and the judge have answered. judged: item -> spans."""
    both: dict[int, dict[str, Any]] = {
        item: {**by_rater, JUDGE: judged[item]}
        for item, by_rater in answers.items()
        if item in judged and len(by_rater) > 1
    }
    table, _values = span_table(both, clusters)
    f1 = span_f1_beside(table, np.array([rater == JUDGE for by_rater in both.values() for rater in by_rater], bool))
    sides = (f1.people, f1.judge, f1.difference)
    return PooledBeside(*(Pooled(side.value, side.low, side.high, side.note, side.n, f1.pairs) for side in sides))


def span_table(
    answers: UnitAnswers,
    clusters: Mapping[Any, str],
    calls: Sequence[str] = (),
    lengths: Mapping[Any, Mapping[str, int]] | None = None,
) -> tuple[SpanTable, list[list[str]]]:
    """The spans as arrays, and the values behind the numbers of each of `calls`, which are keys of spans.

    lengths: item -> column -> characters; without them texts end with the last span.
    """
    item_places = {item: index for index, item in enumerate(answers)}
    begins, totals = _extents(answers, lengths or {})
    names: dict[str, int] = {}
    cluster = [names.setdefault(clusters.get(item, f"item {item}"), len(names)) for item in answers]
    numbers: list[dict[str, int]] = [{} for _call in calls]
    units: list[int] = []
    spans: list[tuple[int, ...]] = []
    for item, by_rater in answers.items():
        for answer in by_rater.values():
            for span in answer:
                begin = begins[item][span["field"]]
                called = (of.setdefault(span.get(call, ""), len(of)) for call, of in zip(calls, numbers, strict=True))
                spans.append((len(units), begin + span["start"], begin + span["end"], *called))
            units.append(item_places[item])
    rows = np.array(spans, dtype=np.int64).reshape(len(spans), 3 + len(calls))
    table = SpanTable(
        lengths=np.array([totals[item] for item in answers], dtype=np.int64),
        clusters=np.array(cluster, dtype=np.int64),
        unit=np.array(units, dtype=np.int64),
        rating=rows[:, 0],
        start=rows[:, 1],
        end=rows[:, 2],
        labels=rows[:, 3:],
    )
    return table, [list(of) for of in numbers]


def _lengths(project: Project, question: Spans, answers: Answers) -> dict[int, dict[str, int]]:
    rows = Item.objects.filter(project=project, pk__in=answers) if len(answers) < 500 else project.items
    facts_of = rows.values_list("pk", "facts").iterator(2000)
    return {item: {field: len(stored_text(facts, field)) for field in question.on} for item, facts in facts_of}


def _extents(
    answers: UnitAnswers, lengths: Mapping[Any, Mapping[str, int]]
) -> tuple[dict[Any, dict[str, int]], dict[Any, int]]:
    """Where each column begins if the texts of an item stand one after the other; and how long they are together.

    A span may end in white space that its text has lost, and be of a column that the question no longer has.
    """
    ends = {item: dict(lengths.get(item, {})) for item in answers}
    for item, by_rater in answers.items():
        for answer in by_rater.values():
            for span in answer:
                ends[item][span["field"]] = max(ends[item].get(span["field"], 0), span["end"])
    begins: dict[Any, dict[str, int]] = defaultdict(dict)
    totals: dict[Any, int] = {}
    for item in answers:
        total = 0
        for field, length in ends[item].items():
            begins[item][field] = total
            total += length
        totals[item] = total
    return begins, totals
