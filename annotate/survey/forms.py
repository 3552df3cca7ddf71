"""The forms of participants: a case, and the answers to questions. None of them needs a script."""

from itertools import groupby
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import ReportedCase
from annotate.survey.survey_questions import ABOUT, AGES, FREQUENCIES, SurveyQuestions
from lib.texts.conversations import UnreadableConversation, as_text, exported, pasted

FILE_MOST = 1024 * 1024  # bytes
TEXT_MOST = 200_000  # characters
IN_A_ROW = {"class": "in-a-row"}
FIVE: list[tuple[str, str | Promise]] = [(str(n), str(n)) for n in range(1, 6)]
NONE: list[tuple[str, str | Promise]] = [("", gettext_lazy("no answer"))]
NEVER = "never"


class CaseForm(forms.Form):
    """One conversation: pasted, or read from a file; the file wins where both are given."""

    service = forms.CharField(
        label=gettext_lazy("Which assistant was it?"),
        max_length=80,
        widget=forms.TextInput(attrs={"list": "services", "autocomplete": "off"}),
    )
    conversation = forms.CharField(
        label=gettext_lazy("The conversation"),
        required=False,
        max_length=TEXT_MOST,
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Paste the whole conversation. Start each turn on a new line with “User:” or “Assistant:”."
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload a file"),
        required=False,
        help_text=gettext_lazy(
            "One conversation exported from a chat service (JSON, JSONL), or plain text; up to 1 MB."
        ),
    )
    intent = forms.ChoiceField(label=gettext_lazy("What did you want?"), required=False)
    own_intent = forms.CharField(label=gettext_lazy("Or in your own words"), max_length=120, required=False)
    difficulty = forms.ChoiceField(
        label=gettext_lazy("How hard was it? 1 is very easy, 5 very hard"),
        choices=FIVE,
        widget=forms.RadioSelect(IN_A_ROW),
    )
    satisfaction = forms.ChoiceField(
        label=gettext_lazy("How satisfied were you? 1 is not at all, 5 fully"),
        choices=FIVE,
        widget=forms.RadioSelect(IN_A_ROW),
    )

    def __init__(self, *args: Any, asked: SurveyQuestions, case: ReportedCase | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        listed = [("", _("choose, or describe it below")), *asked.intents]
        for name in ("conversation", "intent"):
            self.fields[name].one_of_two = True  # type: ignore[attr-defined]  # the field below can be filled instead
        self._listed = {name for name, _shown in asked.intents}
        self.fields["intent"].choices = listed  # type: ignore[attr-defined]
        for name, value in (_stored(case, self._listed) if case else {}).items():
            self.fields[name].initial = value

    def clean_file(self) -> UploadedFile | None:
        upload: UploadedFile | None = self.cleaned_data["file"]
        if upload is not None and (upload.size or 0) > FILE_MOST:
            raise forms.ValidationError(_("This file is larger than 1 MB. Paste the part that matters instead."))
        return upload

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if not cleaned_data.get("intent") and not (cleaned_data.get("own_intent") or "").strip():
            self.add_error("intent", _("Choose what you wanted, or describe it in your own words."))
        try:
            file = cleaned_data.get("file")
            cleaned_data["turns"] = exported(file.read()) if file else pasted(cleaned_data.get("conversation") or "")
        except UnreadableConversation:
            field = "file" if cleaned_data.get("file") else "conversation"
            self.add_error(field, _("It contains no conversation that starts with your words."))
        return cleaned_data

    def values(self) -> dict[str, Any]:
        cleaned_data = self.cleaned_data
        custom_intent = " ".join((cleaned_data["own_intent"] or "").replace("\x00", "").split())
        return {
            "service": cleaned_data["service"].replace("\x00", "").strip(),
            "turns": cleaned_data["turns"],
            "intent": custom_intent or cleaned_data["intent"],
            "difficulty": int(cleaned_data["difficulty"]),
            "satisfaction": int(cleaned_data["satisfaction"]),
        }


def _stored(case: ReportedCase, listed: set[str]) -> dict[str, Any]:
    where = "intent" if case.intent in listed else "own_intent"
    rated = {"difficulty": str(case.difficulty), "satisfaction": str(case.satisfaction)}
    return {"service": case.service, "conversation": as_text(case.turns), where: case.intent, **rated}


class AnswersForm(forms.Form):
    """Use of assistants in general, the check question, and optional questions about the person."""

    services = forms.MultipleChoiceField(
        label=gettext_lazy("Which assistants do you use?"), required=False, widget=forms.CheckboxSelectMultiple
    )
    frequency = forms.ChoiceField(label=gettext_lazy("How often?"))

    def __init__(
        self, *args: Any, asked: SurveyQuestions, answers: dict[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._asked = asked
        self.fields["services"].choices = [(service, service) for service in asked.questions.services]  # type: ignore[attr-defined]
        often = [(name, _(words)) for name, words in FREQUENCIES.items()]
        self.fields["frequency"].choices = [("", _("choose")), *often]  # type: ignore[attr-defined]
        for index, (_name, intent_label) in enumerate(asked.intents):
            self.fields[f"satisfaction_{index}"] = forms.ChoiceField(
                label=intent_label, choices=[*NONE, (NEVER, _("never used for this")), *FIVE], required=False
            )
        self.fields["anchor"] = forms.ChoiceField(
            label=asked.anchor,
            choices=[(str(n), choice) for n, choice in enumerate(asked.choices, start=1)],
            widget=forms.RadioSelect,
        )
        for name in asked.questions.about:
            self.fields[name] = self._about(name)
        for name, value in self._initial(answers or {}).items():
            if name in self.fields:
                self.fields[name].initial = value

    def parts(self) -> list[tuple[bool, list[forms.BoundField]]]:
        """(is it the question with a row for each intent, its fields), in the order of the form."""
        return [
            (is_table, list(fields))
            for is_table, fields in groupby(self.visible_fields(), lambda field: field.name.startswith("satisfaction_"))
        ]

    @staticmethod
    def _about(name: str) -> forms.Field:
        if name == "age":
            return forms.ChoiceField(
                label=_(ABOUT[name]), choices=[*NONE, *((age, age) for age in AGES)], required=False
            )
        return forms.CharField(label=_(ABOUT[name]), max_length=80, required=False)

    def _initial(self, answers: dict[str, Any]) -> dict[str, Any]:
        rated = dict.fromkeys(answers.get("never_used", []), NEVER) | answers.get("satisfaction", {})
        ratings = {f"satisfaction_{index}": rated.get(name, "") for index, (name, _s) in enumerate(self._asked.intents)}
        plain = {name: answers.get(name, "") for name in ("frequency", *ABOUT)}
        return {**plain, **ratings, "services": answers.get("services", []), "anchor": answers.get("anchor", "")}

    def answers(self) -> dict[str, Any]:
        """The answers given, without empty ones."""
        cleaned_data = self.cleaned_data
        said_of = {
            name: cleaned_data[f"satisfaction_{index}"] for index, (name, _shown) in enumerate(self._asked.intents)
        }
        rated = {name: int(value) for name, value in said_of.items() if value not in ("", NEVER)}
        never = [name for name, value in said_of.items() if value == NEVER]
        about = {
            name: cleaned_data[name].replace("\x00", "") for name in self._asked.questions.about if cleaned_data[name]
        }
        usage = {"services": cleaned_data["services"], "frequency": cleaned_data["frequency"], "satisfaction": rated}
        return {**about, **usage, **({"never_used": never} if never else {}), "anchor": int(cleaned_data["anchor"])}
