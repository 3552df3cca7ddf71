"""The options of a judging run on its pages: the fields of its form, in words, and why it has nothing to judge."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Literal

from django.db.models import Count, Q
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from annotate.models import Project, Run
from annotate.runs import item_selection as run_items
from judging.answers.cases import cases, judgeable
from judging.models import Author, Ballot
from judging.strategies.strategy import Strategy, strategies
from judging.verdicts.judge_options import (
    ALL,
    PAIRS,
    JudgeOptions,
    JudgeRunOptions,
    read_pairs,
)
from judging.verdicts.subjects import answers_of, items_of, references_at, sample_of

OF_PAIRS = ("pairs", "listed", "both_orders")


def form_options(project: Project, strategy: Strategy) -> type[BaseModel]:
    """The options of this strategy, with the project's authors to tick; those of pairs only where it has pairs."""
    covered = coverage(project)
    names = list(covered)
    orders = ("both_orders",) if strategy.always_both_orders else ()
    hidden_names = {
        *(orders if strategy.pairwise else OF_PAIRS),
        *(() if strategy.needs_reference else ("reference",)),
        *(() if strategy.reference_score else ("own_reference",)),
        *(("authors",) if strategy.asks_questions else ()),
    }
    field_infos = {name: info for name, info in JudgeOptions.model_fields.items() if name not in hidden_names}
    fields: dict[str, Any] = {name: (info.annotation, info) for name, info in field_infos.items()}
    fields["strategy"] = _one_of([strategy.slug], field_infos["strategy"], {strategy.slug: str(strategy.name)})
    fields |= {
        name: _one_of(names, field_infos[name], covered) for name in ("reference",) if name in field_infos and names
    }
    if "pairs" in field_infos:
        fields["pairs"] = _one_of(
            PAIRS,
            field_infos["pairs"],
            dict(zip(PAIRS, (gettext("all"), gettext("gold and perturbed"), gettext("listed pairs")), strict=True)),
        )
    if names and "authors" in field_infos:
        fields["authors"] = (list[Literal[tuple(names)]], _labelled(field_infos["authors"], covered))  # type: ignore[misc]
    fields |= {name: (info.annotation, info) for name, info in strategy.options.model_fields.items()}
    if strategy.asks_questions:
        own = project.kind.own_questions
        if own is None or not own.has_criteria:
            del fields["one_by_one"]
        labels = {name: question.label() for name, question in project.kind.questions().items()}
        fields["questions"] = (list[Literal[tuple(labels)]], _labelled(fields["questions"][1], labels))  # type: ignore[misc]
    return create_model("JudgeForm", __config__=ConfigDict(extra="ignore"), **fields)


def _one_of(values: Sequence[str], info: FieldInfo, labels: Mapping[str, str]) -> tuple[Any, FieldInfo]:
    field_info = _labelled(info, labels)
    field_info.metadata = []  # of a free text
    return Literal[tuple(values)], field_info


def _labelled(info: FieldInfo, labels: Mapping[str, str]) -> FieldInfo:
    labelled_info = copy(info)
    labelled_info.json_schema_extra = {"labels": dict(labels)}
    return labelled_info


def coverage(project: Project) -> dict[str, str]:
    """author -> name with the number of decided items that they have answered with a known text.

    Authors whose answers the items hold are included, even before the first run has created them.
    """
    decided = Q(answers__known=True, answers__item__in=judgeable(project).values("pk"))
    authors = Author.objects.filter(project=project).annotate(n=Count("answers__item", filter=decided, distinct=True))
    labels_by_author = {
        author.name: ngettext("%(name)s: %(n)d item", "%(name)s: %(n)d items", n) % {"name": author.name, "n": n}
        for author in authors.order_by("name")
        for n in [author.n]
    }
    held = next((case.answers for case in cases(judgeable(project)[:1])), {})
    return {name: gettext("%(name)s: stored with the items") % {"name": name} for name in held} | labels_by_author


def unjudged_answers(run: Run, options: JudgeRunOptions) -> Sequence[tuple[str | Promise, int]]:
    """Answers that get no job although their item does, and why."""
    unknown = answers_of(run, options).filter(item__in=items_of(run).values("pk"), known=False)
    return [(gettext_lazy("answers with unknown text"), unknown.count())]


def why_nothing(run: Run, options: JudgeRunOptions) -> Sequence[str]:
    """Why none of the items gets a job, and what to do about it."""
    items = items_of(run)
    if not items.exists():
        return _without_items(run)
    if options.strategy.asks_questions:
        return [gettext("The columns of these items cannot be read by the project's definition.")]
    answers = answers_of(run, options).filter(item__in=items.values("pk"))
    if answers.exists() and not answers.filter(known=True).exists():
        return [
            gettext(
                "Unknown texts cannot be judged. Import the votes into another project, from a file that "
                "contains the prompts and the answers."
            )
        ]
    if not answers.filter(known=True).exists():
        return [gettext("No answers to judge. Let a model answer the items, import answers, or select other authors.")]
    if not any(options.strategy.fits(case.judged, options.own) for case in cases(items)):
        return [
            gettext("The strategy “%(name)s” does not apply to any of these items.") % {"name": options.strategy.name}
        ]
    if options.given.own_reference:
        return [gettext("No author has a second answer to an item to compare with the first one.")]
    if options.given.reference and not references_at(run, options, items.values_list("pk", flat=True)):
        name = {"name": options.given.reference}
        return [gettext("The reference “%(name)s” has no answer to these items.") % name]
    if options.strategy.pairwise and options.pairs == ALL:
        return [gettext("Pairs need answers of two authors to the same item. No item has them.")]
    return [gettext("No item has the requested pairs.")] if options.strategy.pairwise else []


def _without_items(run: Run) -> Sequence[str]:
    """What to do if no item that passes the filters can be judged."""
    passing = run_items.passing(run)
    if not passing.exists():
        return []
    if Ballot.objects.filter(item__in=passing.values("pk")).exclude(first__item__project=run.project).exists():
        return [gettext("The answers to these votes belong to the project they were drawn from. Judge them there.")]
    if run.project.kind.voted:
        return [
            gettext(
                "These items do not name the authors of their answers. Import the votes as judgements to add "
                "the authors."
            )
        ]
    if run.project.kind.brings_answers:
        return [gettext("Accept items first, or import labelled pairs as judgements, which can be judged at once.")]
    return [gettext("Only accepted items are judged. Accept some first.")]


def options_in_words(run: Run) -> dict[str, Any]:
    """title -> value of the chosen options."""
    strategy = strategies().get(run.options.get("strategy", ""))
    if strategy is None:
        return {}
    field_infos = {**JudgeOptions.model_fields, **strategy.options.model_fields}
    values = {name: run.options[name] for name in field_infos if name in run.options} | {"strategy": strategy.name}
    if strategy.always_both_orders:
        values["both_orders"] = True
    if values.get("own_reference"):
        values.pop("reference", None)
    if values.get("listed"):
        values["listed"] = len(read_pairs(values["listed"]))
    values.pop("labels", None)
    words = {
        gettext(field_infos[name].title or name): _in_words(value)
        for name, value in values.items()
        if value not in ([], "")
    }
    return words | _labels(run, strategy, values) | _sample(run)


def _sample(run: Run) -> dict[str, Any]:
    sample = sample_of(run)
    if sample is None:
        return {}
    template = gettext("%(n)d cases, drawn with seed %(seed)d")
    return {gettext("Sample"): template % {"n": len(sample.items), "seed": sample.seed}}


def _labels(run: Run, strategy: Strategy, values: Mapping[str, Any]) -> dict[str, Any]:
    """For pairs in both orders: whether an answer keeps its letter in the other order."""
    if not (strategy.pairwise and values.get("both_orders")):
        return {}
    strategy_options = {name: run.options[name] for name in strategy.options.model_fields if name in run.options}
    keeps_labels = strategy.labels(strategy.options.model_validate(strategy_options)) == "kept"
    label_text = gettext("kept with the answers") if keeps_labels else gettext("exchanged: the answer shown first is A")
    return {gettext("Labels in the other order"): label_text}


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
