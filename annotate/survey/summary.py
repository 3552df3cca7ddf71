"""What a participant reports, in words: on the page before it is sent, and as a copy that they keep."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Participant, ReportedCase
from annotate.survey.forms import AnswersForm, CaseForm
from annotate.survey.questions import SurveyQuestions
from lib.texts.conversations import as_text

ABOUT_CASE = ("service", "intent", "difficulty", "satisfaction")
Rows = list[tuple[str, str]]  # a question, and what was answered; "" for no answer


def case_rows(asked: SurveyQuestions, case: ReportedCase) -> Rows:
    """The questions about one case; the intent as the survey shows it."""
    fields = CaseForm(asked=asked).fields
    values = {"intent": dict(asked.intents).get(case.intent, case.intent)}
    return [(str(fields[name].label), str(values.get(name, getattr(case, name)))) for name in ABOUT_CASE]


def answer_rows(asked: SurveyQuestions, answers: dict[str, Any]) -> Rows:
    """The questions about use and person, each with what was answered."""
    return [
        (str(field.label), _shown(field.field, field.initial)) for field in AnswersForm(asked=asked, answers=answers)
    ]


def _shown(field: forms.Field, value: Any) -> str:
    chosen = {str(part) for part in (value if isinstance(value, list) else [value])} - {"", "None"}
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        return ", ".join(str(label) for name, label in choices if str(name) in chosen)
    return ", ".join(chosen)


def copy_of(asked: SurveyQuestions, participant: Participant, cases: Sequence[ReportedCase]) -> str:
    """Everything as one plain text in the reader's language."""
    parts = [asked.title or participant.survey.project.name, _state(participant)]
    for case in cases:
        heading = _("Case %(n)s") % {"n": case.no}
        parts += [f"== {heading} ==", _lines(case_rows(asked, case)), as_text(case.turns)]
    if participant.answers:
        parts += [f"== {_('Questions about your use')} ==", _lines(answer_rows(asked, participant.answers))]
    return "\n\n".join(parts) + "\n"


def _state(participant: Participant) -> str:
    if participant.sent_at is None:
        return _("Not submitted yet")
    date = timezone.localtime(participant.sent_at).strftime("%Y-%m-%d %H:%M")
    return _("Submitted: %(date)s") % {"date": date}


def _lines(rows: Rows) -> str:
    return "\n".join(f"{question}\n  {answer or _('no answer')}" for question, answer in rows)
