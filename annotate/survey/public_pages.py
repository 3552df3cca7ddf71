"""The public pages of a survey. There are no accounts: the holder of the private link is the participant."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from annotate import rights
from annotate.acting import client_address
from annotate.errors import Refused, WrongState
from annotate.intake.row_checks import LOOKS_LIKE
from annotate.models import Participant, ReportedCase, Survey
from annotate.prepared import prepared
from annotate.survey import answers, withdrawal
from annotate.survey.forms import AnswersForm, CaseForm
from annotate.survey.survey_questions import SurveyQuestions, survey_questions
from lib.texts.conversations import as_text
from lib.texts.listing import listed


@never_cache
def survey_start(request: HttpRequest, slug: str) -> HttpResponse:
    """The notice. A person who agrees gets a private link."""
    survey = _survey.first(slug=slug)
    if survey is None or not survey.project.kind.takes_reports:
        raise Http404
    context = {"survey": survey, "asked": survey_questions(survey), "proof": answers.proof(slug), "trap": answers.TRAP}
    if not survey.is_open or rights.giver(survey) is None:
        return _private(render(request, "survey/closed.html", context))
    if request.method != "POST":
        return _private(render(request, "survey/start.html", context))
    objection, status = _objection(request, slug)
    if objection:
        if answers.made_at(slug, request.POST.dict()) is not None:  # too quick: the second attempt passes
            context["proof"] = request.POST[answers.PROOF]
        context |= {"refused": objection, "agreed": request.POST.get("consent") == "1"}
        return _private(render(request, "survey/start.html", context, status=status))
    _made, token = answers.begin(survey, language=get_language() or "en")
    messages.info(request, _("Copy your private link now. If you lose it, we can't recover it."))
    return redirect("survey_own", slug, token)


@prepared
def _survey(slug: str) -> QuerySet[Survey]:
    return Survey.objects.select_related("project").filter(project__slug=slug)


def _objection(request: HttpRequest, slug: str) -> tuple[str, int]:
    if not answers.looks_human(slug, request.POST.dict()):
        return _("That was too quick, or the page was open for more than a day. Please try again."), 422
    if request.POST.get("consent") != "1":
        return _("We cannot accept anything without your consent."), 422
    if not answers.within("new", client_address(request), answers.NEW_AN_HOUR):
        return _("Many people on your network have started within the last hour. Please try again later."), 429
    return "", 200


Page = Callable[..., HttpResponse]


def _theirs(view: Page) -> Page:
    """A decorator that finds the participant by their link; an unknown link, or one of another project, answers 404."""

    @never_cache
    @wraps(view)
    def found(request: HttpRequest, slug: str, link: str, **rest: Any) -> HttpResponse:
        participant = answers.find(slug, link)
        if participant is None:
            raise Http404
        if request.method == "POST" and not answers.within("save", str(participant.pk), answers.SAVES_AN_HOUR):
            return _private(render(request, "429.html", status=429))
        try:
            return _private(view(request, _Frame(request, slug, link, participant), **rest))
        except WrongState as late:
            messages.warning(request, str(late))
            return redirect("survey_own", slug, link)

    return found


class _Frame:
    """The data that all pages of a participant show."""

    def __init__(self, request: HttpRequest, slug: str, token: str, participant: Participant) -> None:
        self.request, self.slug, self.token, self.participant = request, slug, token, participant
        self.asked: SurveyQuestions = survey_questions(participant.survey)

    @property
    def is_unsent(self) -> bool:
        return self.participant.state == Participant.State.BEGUN

    def page(self, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
        frame = {"participant": self.participant, "survey": self.participant.survey, "asked": self.asked}
        frame |= {"slug": self.slug, "token": self.token}
        return render(self.request, f"survey/{template}.html", frame | context, status=status)

    def summary(self, cases: Sequence[ReportedCase]) -> dict[str, Any]:
        return {
            "cases": [(case, case_rows(self.asked, case)) for case in cases],
            "answers": answer_rows(self.asked, said) if (said := self.participant.answers) else [],
        }

    def back(self) -> HttpResponse:
        return redirect("survey_own", self.slug, self.token)


@_theirs
def survey_own(request: HttpRequest, frame: _Frame) -> HttpResponse:
    """The participant's overview: their cases, what is missing, and their link."""
    cases = list(frame.participant.cases.all())
    context = {
        **frame.summary(cases),
        "missing": answers.missing(frame.asked, frame.participant, cases) if frame.is_unsent else [],
        "more": len(cases) < frame.asked.questions.most,
        "link": request.build_absolute_uri(reverse("survey_own", args=[frame.slug, frame.token])),
    }
    return frame.page("own", context)


@_theirs
def survey_case(request: HttpRequest, frame: _Frame, no: int) -> HttpResponse:
    """One case; 0 is a new one."""
    if not frame.is_unsent:
        return frame.back()
    case = frame.participant.cases.filter(no=no).first()
    if (no and case is None) or (not no and frame.participant.cases.count() >= frame.asked.questions.most):
        raise Http404
    if request.method != "POST":
        return frame.page("case", {"form": CaseForm(asked=frame.asked, case=case), "case": case, "no": no})
    form = CaseForm(request.POST, request.FILES, asked=frame.asked, case=case)
    if not form.is_valid():
        return frame.page("case", {"form": form, "case": case, "no": no}, status=422)
    answers.save_case(frame.participant, no or answers.free_number(frame.participant), form.values())
    messages.success(request, _("Saved."))
    return frame.back()


@_theirs
def survey_case_remove(request: HttpRequest, frame: _Frame, no: int) -> HttpResponse:
    """Asks for confirmation first: a removed case cannot be restored."""
    if not frame.is_unsent:
        return frame.back()
    if request.method == "POST":
        answers.remove_case(frame.participant, no)
        return frame.back()
    case = frame.participant.cases.filter(no=no).first()
    if case is None:
        raise Http404
    return frame.page("remove", {"case": case})


@_theirs
def survey_answers(request: HttpRequest, frame: _Frame) -> HttpResponse:
    if not frame.is_unsent:
        return frame.back()
    posted = request.POST if request.method == "POST" else None
    form = AnswersForm(posted, asked=frame.asked, answers=frame.participant.answers)
    if posted is not None and form.is_valid():
        answers.save_answers(frame.participant, form.answers())
        messages.success(request, _("Saved."))
        return frame.back()
    return frame.page("answers", {"form": form}, status=422 if form.errors else 200)


@_theirs
def survey_send(request: HttpRequest, frame: _Frame) -> HttpResponse:
    """Shows everything once more, first what looks like personal data, and then sends it."""
    if not frame.is_unsent:
        return frame.back()
    cases = list(frame.participant.cases.all())
    context: dict[str, Any] = {
        **frame.summary(cases),
        "missing": answers.missing(frame.asked, frame.participant, cases),
        "noticed": [(case.no, _(LOOKS_LIKE[finding.kind]), finding.shown) for case, finding in answers.noticed(cases)],
    }
    if request.method != "POST":
        return frame.page("send", context)
    if context["noticed"] and request.POST.get("read") != "1":
        context["refused"] = _("Confirm that the possible personal data may be sent, or change those cases.")
        return frame.page("send", context, status=422)
    try:
        answers.send(frame.participant, frame.asked)
    except Refused as refused:
        return frame.page("send", context | {"refused": str(refused)}, status=422)
    return frame.back()


@_theirs
def survey_copy(request: HttpRequest, frame: _Frame) -> HttpResponse:
    """A copy of everything as a text file, before and after it is sent."""
    if frame.participant.state == Participant.State.WITHDRAWN:
        return frame.back()
    text = copy_of(frame.asked, frame.participant, list(frame.participant.cases.all()))
    headers = {"Content-Disposition": f'attachment; filename="{frame.slug}-my-cases.txt"'}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)


@_theirs
def survey_withdraw(request: HttpRequest, frame: _Frame) -> HttpResponse:
    """Asks for confirmation first: nothing can be restored."""
    if frame.participant.state == Participant.State.WITHDRAWN:
        return frame.back()
    if request.method != "POST":
        return frame.page("withdraw", {"cases": frame.participant.cases.count()})
    withdrawal.begin(frame.participant)
    return frame.back()


def _private(answer: HttpResponse) -> HttpResponse:
    """Headers that keep the page out of search engines and its address from linked pages."""
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    answer.headers["Referrer-Policy"] = "same-origin"
    return answer


# What a participant reports, in words: on the page before it is sent, and as a copy that they keep.


ABOUT_CASE = ("service", "intent", "difficulty", "satisfaction")
Rows = list[tuple[str, str]]  # a question, and what was answered; "" for no answer


def case_rows(asked: SurveyQuestions, case: ReportedCase) -> Rows:
    """The questions about one case; the intent as the survey shows it."""
    fields = CaseForm(asked=asked).fields
    values = {"intent": dict(asked.intents).get(case.intent, case.intent)}
    return [(str(fields[name].label), str(values.get(name, getattr(case, name)))) for name in ABOUT_CASE]


def answer_rows(asked: SurveyQuestions, values: dict[str, Any]) -> Rows:
    """The questions about use and person, each with what was answered."""
    return [
        (str(field.label), _shown(field.field, field.initial)) for field in AnswersForm(asked=asked, answers=values)
    ]


def _shown(field: forms.Field, value: Any) -> str:
    values = {str(part) for part in (value if isinstance(value, list) else [value])} - {"", "None"}
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        return listed(label for name, label in choices if str(name) in values)
    return listed(values)


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
