"""The leads' pages of a survey: its questions, its participants, and their answers as a file."""

import json
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from pydantic import ValidationError

from annotate import rights
from annotate.audit.trail import record, stored_values
from annotate.models import Member, Participant, Survey
from annotate.survey.forms import AnswersForm, CaseForm
from annotate.survey.survey_questions import ABOUT, Questions, survey_questions
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page

PER_PAGE = 50


def _text(label: Any, rows: int = 0, help_text: Any = "") -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput()
    return forms.CharField(label=label, required=False, max_length=20_000, widget=widget, help_text=help_text)


class QuestionsForm(forms.Form):
    """The form for questions and texts; an empty field keeps the default text."""

    title_en = _text(gettext_lazy("Title (English)"))
    title_zh = _text(gettext_lazy("Title (Chinese)"))
    notice_en = _text(gettext_lazy("Notice (English)"), 5, gettext_lazy("Markdown. People agree to this text."))
    notice_zh = _text(gettext_lazy("Notice (Chinese)"), 5)
    services = _text(gettext_lazy("Assistants to choose from"), 4, gettext_lazy("One per line."))
    intents = _text(gettext_lazy("Intents"), 4, gettext_lazy("One per line; empty: the intents of the project."))
    least = forms.IntegerField(label=gettext_lazy("Minimum cases"), min_value=1, max_value=20)
    most = forms.IntegerField(label=gettext_lazy("Maximum cases"), min_value=1, max_value=20)
    about = forms.MultipleChoiceField(
        label=gettext_lazy("Optional questions about the person"), required=False, widget=forms.CheckboxSelectMultiple
    )
    anchor_en = _text(gettext_lazy("Check question (English)"), 2)
    anchor_zh = _text(gettext_lazy("Check question (Chinese)"), 2)
    choices = _text(gettext_lazy("Choices"), 3, gettext_lazy("One per line: English | Chinese."))
    expected = forms.IntegerField(
        label=gettext_lazy("Number of the correct choice"), min_value=1, max_value=9,
        help_text=gettext_lazy("Anyone who chooses another one is excluded completely."),
    )  # fmt: skip

    def __init__(self, *args: Any, questions: Questions, **options: Any) -> None:
        now = questions.model_dump()
        initial = {f"{name}_{code}": now[name][code] for name in ("title", "notice", "anchor") for code in ("en", "zh")}
        initial |= {name: now[name] for name in ("least", "most", "about", "expected")}
        initial |= {name: "\n".join(now[name]) for name in ("services", "intents")}
        initial["choices"] = "\n".join(f"{choice['en']} | {choice['zh']}" for choice in now["choices"])
        super().__init__(*args, **{"initial": initial, **options})
        self.fields["about"].choices = [(name, _(label)) for name, label in ABOUT.items()]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if not self.errors:
            try:
                self.questions = Questions.model_validate(_shaped(cleaned_data))
            except ValidationError as error:
                for fault in error.errors():
                    name = str(fault["loc"][0]) if fault["loc"] else None
                    self.add_error(
                        name if name in self.fields else None, str(fault["msg"]).removeprefix("Value error, ")
                    )
        return cleaned_data


def _shaped(cleaned_data: dict[str, Any]) -> dict[str, Any]:
    words = {
        name: {code: cleaned_data[f"{name}_{code}"].strip() for code in ("en", "zh")}
        for name in ("title", "notice", "anchor")
    }
    choices = [line.partition("|") for line in cleaned_data["choices"].splitlines() if line.strip()]
    lists = {
        name: [line.strip() for line in cleaned_data[name].splitlines() if line.strip()]
        for name in ("services", "intents")
    }
    numbers = {name: cleaned_data[name] for name in ("least", "most", "about", "expected")}
    return {**words, **lists, **numbers, "choices": [{"en": en.strip(), "zh": zh.strip()} for en, _bar, zh in choices]}


def _lead(request: HttpRequest, slug: str) -> tuple[Member, Survey]:
    """The lead with the project's survey, which may not be stored yet. 404 for a kind that takes no reports."""
    member = membership(request, slug, LEADS)
    if not member.project.kind.takes_reports:
        raise Http404
    survey = Survey.objects.filter(project=member.project).first() or Survey(project=member.project)
    survey.project = member.project
    return member, survey


@login_required
def survey_lead(request: HttpRequest, slug: str) -> HttpResponse:
    member, survey = _lead(request, slug)
    form = QuestionsForm(
        request.POST if request.method == "POST" else None, questions=survey_questions(survey).questions
    )
    if request.method == "POST" and form.is_valid():
        _keep(survey, request, questions=form.questions.model_dump())
        messages.success(request, _("Saved. People who have started get the new questions too."))
        return redirect("survey_lead", slug)
    participants = Participant.objects.filter(survey__project=member.project)
    counted = dict(participants.order_by().values_list("state").annotate(n=Count("pk")))
    rows = participants.select_related("withdrawal").annotate(n=Count("cases")).order_by("-pk")
    context = {
        "survey": survey,
        "lapse": rights.lapse(survey, rights.members_by_user(member.project_id)) if survey.is_open else "",
        "form": form,
        "address": request.build_absolute_uri(reverse("survey_start", args=[slug])),
        "counts": [(label, counted.get(state, 0)) for state, label in Participant.State.choices],
        "page": numbered_page(request, rows, PER_PAGE),
    }
    return project_page(
        request, member, "survey/lead.html", context, tab="survey_lead", status=422 if form.errors else 200
    )


def _keep(survey: Survey, request: HttpRequest, **columns: Any) -> None:
    defaults = {**columns, "changed_at": timezone.now()}
    create_defaults = {"created_by": person(request), **defaults}
    with transaction.atomic():
        before = stored_values(survey, *columns) if survey.pk else {}
        stored, _created = Survey.objects.update_or_create(
            project=survey.project, defaults=defaults, create_defaults=create_defaults
        )
        verb = "survey.changed" if "questions" in columns else "survey.switched"
        record(verb, survey.project, before=before, after=stored_values(stored, *columns))


@require_POST
@login_required
def survey_switch(request: HttpRequest, slug: str) -> HttpResponse:
    _member, survey = _lead(request, slug)
    opened = request.POST.get("open") == "1"
    if opened:
        _keep(survey, request, opened_at=timezone.now(), created_by=person(request))
    else:
        _keep(survey, request, opened_at=None)
    messages.success(request, _("The survey is open.") if opened else _("The survey is closed."))
    return redirect("survey_lead", slug)


@login_required
def survey_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """A preview of the survey in the reader's language; nothing can be sent."""
    member, survey = _lead(request, slug)
    now = survey_questions(survey)
    context = {"asked": now, "case_form": CaseForm(asked=now), "answers_form": AnswersForm(asked=now)}
    return project_page(request, member, "survey/preview.html", context, tab="survey_lead")


@login_required
def survey_export(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """Participants' answers about their use, one per line; without withdrawn ones and without conversation texts."""
    member, _survey = _lead(request, slug)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-survey.jsonl"'}
    return StreamingHttpResponse(_lines(member), content_type="application/jsonl", headers=headers)


def _lines(member: Member) -> Iterator[str]:
    sent = [Participant.State.SENT, Participant.State.ASIDE]
    participants = Participant.objects.filter(survey__project=member.project, state__in=sent).order_by("pk")
    for participant in participants.prefetch_related("cases__item").iterator(chunk_size=200):
        cases = [
            {
                "key": case.item.key if case.item else None,
                "service": case.service,
                "intent": case.intent,
                "difficulty": case.difficulty,
                "satisfaction": case.satisfaction,
            }
            for case in participant.cases.all()
        ]
        row = {
            "participant": participant.pk,
            "state": participant.state,
            "language": participant.language,
            **participant.answers,
            "cases": cases,
        }
        yield json.dumps(row, ensure_ascii=False) + "\n"
