"""Template tags and filters for statistics of questions: signs, advice and addresses. No queries."""

from django import template
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from annotate.templatetags.ui import state
from judging.boards.checklists.numbers import QuestionStatistics
from judging.models import Judge

register = template.Library()

NONE = "–"
SIGNS: dict[str, Promise] = {
    "contradicts": _("Contradicts the others"),
    "never": _("Never met"),
    "always": _("Always met"),
    "disagreed": _("Judges disagree"),
    "weak": _("Low discrimination"),
    "alternative": _("One of several alternatives"),
    "works": _("OK"),
    "few": _("Too few answers"),
}
ADVICE: dict[str, Promise] = {
    "contradicts": _(
        "Answers that do well on the other questions fail this one, and vice versa: it probably describes "
        "the wrong outcome. Reverse the question, or remove it."
    ),
    "never": _("No answer meets it. It may ask too much, or for something that was not requested."),
    "always": _("Every answer meets it, so its weight makes no difference."),
    "disagreed": _("Judges interpret it differently. State more precisely what counts as a yes."),
    "weak": _("Meeting it says little about the other questions."),
    "alternative": _(
        "One met question is enough in this checklist, so its questions may exclude each other. A low "
        "correlation is not a defect here."
    ),
    "works": _("Answers that meet it also tend to do well on the other questions."),
    "few": _("Fewer than five answers were judged on it."),
}
OTHERS_CONTRADICT = _(
    "Answers that meet it fail the other questions, and vice versa: one of the questions probably "
    "describes the wrong outcome. Check the others first; the first question sets the direction of the "
    "checklist."
)
# sign -> the look of states of the same gravity (ui.state); words distinguish them
STATES = {
    "contradicts": "disagree",
    "never": "failed",
    "always": "incomplete",
    "disagreed": "disagree",
    "weak": "incomplete",
    "alternative": "done",
    "works": "done",
    "few": "incomplete",
}
NOTES: dict[str, Promise] = {
    "alone": _("It is the only question of its checklist."),
    "too few": _("Fewer than three answers."),
    "always": _("Every answer meets it, so there is nothing to compare."),
    "never": _("No answer meets it, so there is nothing to compare."),
    "rest": _("All answers have the same result on the other questions."),
    "one judge": _("No answer was judged by two judges."),
    "itself": _("This is the first question itself."),
}


@register.filter
def sign_name(sign: str) -> str:
    return str(SIGNS[sign or "works"])


@register.filter
def sign_advice(row: QuestionStatistics) -> str:
    """Advice for a sign. The others are compared with the first question, so the first is not the one to reverse."""
    is_held_against = row.no == 1 and row.sign == "contradicts"
    return str(OTHERS_CONTRADICT if is_held_against else ADVICE[row.sign or "works"])


@register.simple_tag
def sign_mark(sign: str) -> SafeString:
    """Colour, icon and words."""
    return state(STATES[sign or "works"], sign_name(sign))


@register.simple_tag
def question_address(slug: str, row: QuestionStatistics, judge: Judge) -> str:
    """The address of a question's page with the verdicts of a judge; `&which=` can be appended."""
    return f"{reverse('checklist_question', args=[slug, row.item_id])}?judge={judge.pk}&no={row.no}"


@register.filter
def note_words(note: str) -> str:
    """Why a figure is not defined."""
    return str(NOTES.get(note, ""))


@register.filter
def percent(value: float | None) -> str:
    """A share of 0 to 1 as a whole percentage."""
    return NONE if value is None else f"{number_format(f'{100 * value:.0f}', 0)} %"
