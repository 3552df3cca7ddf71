"""What the form of runs asks about judging in one project, and how the options of a run are told."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Literal

from django.db.models import Count, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from annotate.models import Project, Run
from annotate.services.runs import items as run_items
from judging.models import Author, Ballot
from judging.services.cases import cases, judgeable
from judging.services.judgements.options import ALL, PAIRS, JudgeOptions, Wanted
from judging.services.judgements.pairs import read as read_pairs
from judging.services.judgements.samples import sample_of
from judging.services.judgements.subjects import answers_of, items_of, references_at
from judging.strategies import strategies
from judging.strategies.base import Strategy

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
            dict(zip(PAIRS, (_("all"), _("gold and perturbed"), _("those listed")), strict=True)),
        )
    if names:
        fields["authors"] = (list[Literal[tuple(names)]], _labelled(field_infos["authors"], covered))  # type: ignore[misc]
    fields |= {name: (info.annotation, info) for name, info in strategy.options.model_fields.items()}
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
    """author -> name with the number of decided items that a text of theirs answers.

    Whose answers the items hold themselves is among them, also before a first run has made them authors.
    """
    decided = Q(answers__known=True, answers__item__in=judgeable(project).values("pk"))
    authors = Author.objects.filter(project=project).annotate(n=Count("answers__item", filter=decided, distinct=True))
    labels_by_author = {
        author.name: ngettext("%(name)s: %(n)d item", "%(name)s: %(n)d items", n) % {"name": author.name, "n": n}
        for author in authors.order_by("name")
        for n in [author.n]
    }
    held = next((case.answers for case in cases(judgeable(project)[:1])), {})
    return {name: _("%(name)s: as the items hold it") % {"name": name} for name in held} | labels_by_author


def left_out(run: Run, options: Wanted) -> Sequence[tuple[str | Promise, int]]:
    """Answers that get no job although their item does, and why."""
    unknown = answers_of(run, options).filter(item__in=items_of(run).values("pk"), known=False)
    return [(gettext_lazy("answers whose text is not known"), unknown.count())]


def why_nothing(run: Run, options: Wanted) -> Sequence[str]:
    """Why none of the items gets a job, and what to do about it."""
    items = items_of(run)
    if not items.exists():
        return _without_items(run)
    answers = answers_of(run, options).filter(item__in=items.values("pk"))
    if answers.exists() and not answers.filter(known=True).exists():
        return [_("Nobody can judge texts that are not known: import the votes into another project, from a file that "
                  "holds the prompts and the answers.")]  # fmt: skip
    if not answers.filter(known=True).exists():
        return [_("No answers to judge. Let a model answer the items, import answers, or ask for other authors.")]
    if not any(options.strategy.fits(case.judged, options.own) for case in cases(items)):
        return [_("The strategy “%(name)s” cannot ask about any of these items.") % {"name": options.strategy.name}]
    if options.given.own_reference:
        return [_("No author has a second answer to an item, which could be held against the first one.")]
    if options.given.reference and not references_at(run, options, items.values_list("pk", flat=True)):
        name = {"name": options.given.reference}
        return [_("The reference “%(name)s” has no answer to these items.") % name]
    if options.strategy.pairwise and options.pairs == ALL:
        return [_("Pairs need the answers of two authors to one item; no item has them.")]
    return [_("No item has the pairs that were asked for.")] if options.strategy.pairwise else []


def _without_items(run: Run) -> Sequence[str]:
    """What to do where no item that passes the filters can be judged."""
    passing = run_items.passing(run)
    if not passing.exists():
        return []
    if Ballot.objects.filter(item__in=passing.values("pk")).exclude(first__item__project=run.project).exists():
        return [_("The answers to these votes belong to the project from which they were drawn: let models judge them "
                  "there.")]  # fmt: skip
    if run.project.kind.voted:
        return [_("These items name no authors of their answers: import the votes as judgements, which brings them.")]
    if run.project.kind.brings_answers:
        return [_("Accept items first, or import labelled pairs as judgements: these are judged at once.")]
    return [_("Judges read accepted items: accept some first.")]


def told(run: Run) -> dict[str, Any]:
    """title -> value, of what was chosen."""
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
        _(field_infos[name].title or name): _in_words(value) for name, value in values.items() if value not in ([], "")
    }
    return words | _labels(run, strategy, values) | _sample(run)


def _sample(run: Run) -> dict[str, Any]:
    sample = sample_of(run)
    if sample is None:
        return {}
    template = _("%(n)d cases, drawn with the seed %(seed)d")
    return {_("Sample"): template % {"n": len(sample.items), "seed": sample.seed}}


def _labels(run: Run, strategy: Strategy, values: Mapping[str, Any]) -> dict[str, Any]:
    """Of pairs in both orders, whether an answer is called by the same letter in both."""
    if not (strategy.pairwise and values.get("both_orders")):
        return {}
    strategy_options = {name: run.options[name] for name in strategy.options.model_fields if name in run.options}
    keeps_labels = strategy.labels(strategy.options.model_validate(strategy_options)) == "kept"
    label_text = _("kept on the answers") if keeps_labels else _("exchanged: whichever stands first is A")
    return {_("Labels in the other order"): label_text}


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
