"""Template tags and filters for the workshop of bridging: stages, styles and verdicts in words. No queries."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.trees import PEOPLE
from annotate.templatetags.ui import icon
from judging.boards.bridging.stages import STAGES
from judging.templatetags.scores import between, points
from lib.stats.figures import Figure

register = template.Library()

LOOKS = {
    "waiting": ("incomplete", "clock"),
    "proposed": ("neutral", "machine"),
    "in_review": ("neutral", "seen"),
    "approved": ("ok", "check"),
    "edited": ("ok", "pen"),
    "orders": ("caution", "split"),
    "reference": ("caution", "pause"),
    "nothing": ("incomplete", "minus"),
    "dropped": ("incomplete", "minus"),
}
STYLES: Mapping[str, str | Promise] = {
    "scores": gettext_lazy("one score per response"),
    "verdict": gettext_lazy("a written verdict"),
    "score": gettext_lazy("one score"),
    "words": gettext_lazy("written comments from people"),
}
VERDICTS: Mapping[str, str | Promise] = {
    "first": gettext_lazy("A is better"),
    "second": gettext_lazy("B is better"),
    "tie": gettext_lazy("both are equal"),
}


@register.simple_tag
def stage_state(stage: str) -> SafeString:
    """A stage in colour, icon and word."""
    look, symbol = LOOKS[stage]
    return format_html('<span class="state state--{}">{}{}</span>', look, icon(symbol), STAGES[stage])


@register.filter
def style_words(style: str) -> str:
    return str(STYLES.get(style, style))


@register.filter
def judge_words(judge: str | None) -> str:
    """The judge of a judgement; "people" for judgements made of our own work."""
    return _("people") if judge == PEOPLE else judge or "–"


@register.filter
def verdict_words(verdict: str | None) -> str:
    return str(VERDICTS.get(verdict or "", "–"))


@register.filter
def says(original: Mapping[str, Any]) -> str:
    """The result of a judgement in its own style: `8 : 6`, `A is better`, `4`; both orders if they disagree."""
    scores = [original.get("score_first"), original.get("score_second")]
    known_scores = [f"{score:g}" for score in scores if isinstance(score, int | float)]
    if known_scores:
        return " : ".join(known_scores)
    verdict, swapped = original.get("verdict"), original.get("swapped")
    if verdict and swapped and swapped != verdict:
        return _("%(one)s; in the other order: %(other)s") % {
            "one": verdict_words(verdict),
            "other": verdict_words(swapped),
        }
    return verdict_words(verdict) if verdict else ""


@register.filter
def chance(p: float) -> str:
    """A p-value, never rounded to nothing."""
    return "p < " + number_format("0.001", 3) if p < 0.001 else "p = " + number_format(f"{p:.3f}", 3)


@register.filter
def of_stage(counts: Mapping[str, int], stage: str) -> int:
    return counts.get(stage, 0)


@register.simple_tag
def share_cell(figure: Figure) -> SafeString:
    """A table cell: a share as 0..100 with its interval below it, or the reason why there is none."""
    if figure.value is None:
        return format_html('<td class="num"><span class="quiet">–</span><br><span class="small quiet">{}</span></td>',
                           _(figure.note) if figure.note else "")  # fmt: skip
    interval = "" if figure.low is None or figure.high is None else between((figure.low, figure.high))
    return format_html(
        '<td class="num">{}<br><span class="small quiet">{}</span></td>', points(figure.value, 1), interval
    )
