"""Template tags and filters for agreement: names, figures, addresses of units. No queries."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from annotate.models import Project
from judging.formats.format import formats_for
from judging.ratings.rating_subjects import AXIS, PERSON
from judging.ratings.tables import Somebody
from judging.ratings.units import CHECKLIST, PREFERENCE, WORDS
from lib.texts.listing import listed

register = template.Library()

NAMES: Mapping[str, str | Promise] = {
    "percent": gettext_lazy("Raw agreement"),
    "kappa_pooled": gettext_lazy("κ, pooled over all votes"),
    "cohen_kappa": gettext_lazy("Cohen's κ"),
    "weighted_kappa": gettext_lazy("Weighted κ (quadratic)"),
    "fleiss_kappa": gettext_lazy("Fleiss' κ"),
    "krippendorff_alpha": gettext_lazy("Krippendorff's α"),
    "gwet_ac": gettext_lazy("Gwet's AC"),
    "brennan_prediger": gettext_lazy("Brennan–Prediger"),
    "icc": gettext_lazy("ICC(2,1)"),
    "icc_k": gettext_lazy("ICC(2,k)"),
    "pearson": gettext_lazy("Pearson's r"),
    "spearman": gettext_lazy("Spearman's ρ"),
    "kendall": gettext_lazy("Kendall's τ-b"),
    "mae": gettext_lazy("Mean absolute difference"),
    "alpha_nominal": gettext_lazy("Krippendorff's α, nominal"),
    "alpha_ordinal": gettext_lazy("Krippendorff's α, ordinal"),
    "alpha_interval": gettext_lazy("Krippendorff's α, interval"),
    "alpha_masi": gettext_lazy("Krippendorff's α, MASI distance"),
    "kendall_w": gettext_lazy("Kendall's W"),
    "span_f1": gettext_lazy("F1 of marked characters"),
    "alpha_characters": gettext_lazy("Krippendorff's α of marked characters"),
    "matched_label": gettext_lazy("Same label, of spans that overlap"),
}
LEVELS: Mapping[str, str | Promise] = {
    "nominal": gettext_lazy("nominal: equal or not"),
    "ordinal": gettext_lazy("ordinal: the order counts"),
    "interval": gettext_lazy("interval: differences count"),
    "ratio": gettext_lazy("ratio: proportions count"),
    "masi": gettext_lazy("sets: common options count"),
}
CHOICES: Mapping[str, str | Promise] = {
    "first": gettext_lazy("first answer"),
    "second": gettext_lazy("second answer"),
    "tie": gettext_lazy("equal"),
    "both_bad": gettext_lazy("both bad"),
}
MET: Mapping[str, str | Promise] = {"met": gettext_lazy("met"), "not met": gettext_lazy("not met")}
FLAGS: Mapping[str, str | Promise] = {"yes": gettext_lazy("yes"), "no": gettext_lazy("no")}
TYPES: Mapping[str, str | Promise] = {
    "rating": gettext_lazy("rating"),
    "choice": gettext_lazy("one of several"),
    "choices": gettext_lazy("several of several"),
    "pair": gettext_lazy("pair"),
    "ranking": gettext_lazy("ranking"),
    "number": gettext_lazy("number"),
    "spans": gettext_lazy("spans of a text"),
    "rubric": gettext_lazy("rubric"),
    "score": gettext_lazy("score"),
}
LEFT_OUT: Mapping[str, str | Promise] = {
    "unreadable": gettext_lazy("texts that can no longer be read"),
    "unfinished": gettext_lazy("texts about items that somebody still works on"),
    "one rater": gettext_lazy("answers or parts by one person alone"),
}
JUDGES_LEFT_OUT: Mapping[str, str | Promise] = {
    "unreadable": gettext_lazy("verdicts that cannot be read"),
    "outdated": gettext_lazy("verdicts on older texts"),
}
NONE = "–"


@register.filter
def coefficient_name(name: str) -> str:
    """Some end in a label, or in the name of an attribute of spans."""
    coefficient, _colon, label = name.partition(":")
    if name.startswith("matched_") and name not in NAMES:
        return gettext("Same %(name)s, of spans that overlap") % {"name": name.removeprefix("matched_")}
    words = str(NAMES.get(coefficient, coefficient))
    return f"{words}: {label}" if label else words


@register.filter
def type_of_question(question_type: str) -> str:
    """The type in words; a type without words by its name in definitions."""
    return str(TYPES.get(question_type, question_type))


@register.filter
def why_left_out(why: str) -> str:
    return str(LEFT_OUT.get(why, why))


@register.filter
def why_judge_left_out(why: str) -> str:
    return str(JUDGES_LEFT_OUT.get(why, why))


@register.filter
def level_name(name: str) -> str:
    return str(LEVELS.get(name, name))


@register.filter
def figure(value: float | None) -> str:
    """Two decimals with a real minus; a dash where there is no value."""
    if value is None:
        return NONE
    rounded = round(value, 2) or 0.0  # never a minus sign before zero
    return number_format(f"{rounded:.2f}", 2).replace("-", "−")


@register.filter
def signed_figure(value: float | None) -> str:
    text = figure(value)
    return f"+{text}" if value is not None and round(value, 2) > 0 else text


@register.filter
def bounds(interval: Any) -> str:
    """The interval of an object with low and high; "" if there is none."""
    return "" if interval.low is None or interval.high is None else f"{figure(interval.low)} … {figure(interval.high)}"


@register.filter
def called(rater: Somebody, names: Mapping[str, str]) -> str:
    """The name of a rater that this reader may see."""
    return names.get(rater.key, rater.key)


@register.filter
def judges_called(judges: Sequence[Somebody], names: Mapping[str, str]) -> str:
    return listed(called(rater, names) for rater in judges)


@register.simple_tag
def rated(value: Any, about: str) -> str:
    """A value in words; a rating without one says so."""
    if value is None:
        return gettext("not mentioned")
    text = str(value)
    if about == PREFERENCE:
        return str(CHOICES.get(text, text))
    if about == CHECKLIST:
        number = float(text)
        return str(MET.get(WORDS.get(number, ""), text))
    try:
        return number_format(f"{float(text):g}")
    except ValueError:
        return str(FLAGS.get(text, CHOICES.get(text, text)))


@register.filter
def about(query: Any, slug: str) -> str:
    """The address of the same page about another subject."""
    return urlencode(query.said(about=slug))


@register.simple_tag(takes_context=True)
def slice_name(context: Context, part: str) -> str:
    """The name of a part in tables; for a person's key, the person's name."""
    query = context["asked"]
    if query.wish.by == AXIS:
        return axis_name(part, query.subject.what)
    return str(query.names.get(part, part)) if query.wish.by == PERSON else part


@register.filter
def axis_name(axis: str, about: str) -> str:
    """A criterion keeps its name; a question is named by its number."""
    return gettext("Question %(number)s") % {"number": axis} if about == CHECKLIST and axis else axis


@register.simple_tag(takes_context=True)
def units_behind(context: Context, sort: str, raters: Sequence[Somebody] = (), **changes: Any) -> str:
    """The address of the units behind a number. Needs asked and project."""
    query = context["asked"]
    parameters = [(name, value) for name, value in query.said() if name != "by" and name not in changes]
    parameters += [("of", sort), *(("rater", rater.key) for rater in raters)]
    parameters += [(name, str(value)) for name, value in changes.items() if value is not None]
    return f"{reverse('agreement_units', args=[context['project'].slug])}?{urlencode(parameters)}"


@register.filter
def takes_judgement_files(project: Project) -> bool:
    """Whether there is a format of judgements for the project's kind."""
    return bool(formats_for(project.kind))
