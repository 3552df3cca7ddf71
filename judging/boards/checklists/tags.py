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
    "weak": _("Tells little apart"),
    "alternative": _("One of several alternatives"),
    "works": _("Works"),
    "few": _("Too few answers"),
}
ADVICE: dict[str, Promise] = {
    "contradicts": _(
        "Answers that do well on the rest of the checklist miss this one, and the other way round: the line that it "
        "was made from seems to describe the wrong outcome. Turn it round, or remove it."
    ),
    "never": _("No answer meets it: it may ask too much, or for something that nobody was asked."),
    "always": _("Every answer meets it: its weight is given away."),
    "disagreed": _("Judges read it differently: say more exactly what counts as a yes."),
    "weak": _("Whether an answer meets it says little about how it does otherwise."),
    "alternative": _(
        "One met question is enough in this checklist, so its questions may exclude each other: that they do not go "
        "together is no fault."
    ),
    "works": _("Answers that meet it tend to do well otherwise, too."),
    "few": _("Fewer than five answers were judged by it."),
}
OTHERS_CONTRADICT = _(
    "Answers that meet it miss the other questions, and the other way round: one of them seems to describe the wrong "
    "outcome. Look at the others first; the list goes by its first question."
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
    "rest": _("All answers do alike on the other questions."),
    "one judge": _("No answer was judged by two."),
    "itself": _("It is the first question itself."),
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
