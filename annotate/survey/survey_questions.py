"""The questions and texts of a survey. They are data of the project; empty ones use the defaults written here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotate.kinds.contract import Kind
from annotate.models import Survey

ABOUT = {"age": gettext_noop("Age group"), "profession": gettext_noop("Profession"), "country": gettext_noop("Country")}
AGES = ["<18", "18–24", "25–34", "35–44", "45–54", "55–64", "65+"]
FREQUENCIES = {
    "daily": gettext_noop("every day"),
    "weekly": gettext_noop("every week"),
    "monthly": gettext_noop("every month"),
    "rarely": gettext_noop("less often"),
}
SERVICES = ["ChatGPT", "Claude", "Copilot", "DeepSeek", "Gemini", "Kimi", "文心一言", "通义千问", "豆包"]
Line = Annotated[str, Field(min_length=1, max_length=120)]


class SurveyShape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SurveyWording(SurveyShape):
    """One text in both languages; where one is missing the other is shown."""

    en: Annotated[str, Field(max_length=20_000)] = ""
    zh: Annotated[str, Field(max_length=20_000)] = ""

    def __str__(self) -> str:
        return (self.zh or self.en) if get_language() == "zh-hans" else (self.en or self.zh)


class Questions(SurveyShape):
    """intents: empty for the list of the kind. expected: the number of the right choice of the check question, from 1.

    about: which of age, profession and country are asked, always without having to answer.
    """

    title: SurveyWording = SurveyWording()
    notice: SurveyWording = SurveyWording()
    services: Annotated[list[Line], Field(max_length=60)] = SERVICES
    intents: Annotated[list[Line], Field(max_length=30)] = []
    least: Annotated[int, Field(ge=1, le=20)] = 5
    most: Annotated[int, Field(ge=1, le=20)] = 10
    about: list[str] = list(ABOUT)
    anchor: SurveyWording = SurveyWording()
    choices: Annotated[list[SurveyWording], Field(max_length=9)] = []
    expected: Annotated[int, Field(ge=1, le=9)] = 2

    @model_validator(mode="after")
    def _fits(self) -> "Questions":
        if self.most < self.least:
            raise ValueError(_("The maximum number of cases must not be below the minimum."))
        if set(self.about) - ABOUT.keys():
            raise ValueError(_("Only age, profession and country can be asked."))
        if self.choices and self.expected > len(self.choices):
            raise ValueError(_("The correct choice must be one of the choices."))
        return self


@dataclass(frozen=True)
class SurveyQuestions:
    """A survey's questions, with default texts where it has none of its own, in the reader's language."""

    questions: Questions
    kind: Kind
    options: Any

    @property
    def title(self) -> str:
        return str(self.questions.title)

    @property
    def notice(self) -> str:
        return str(self.questions.notice) or _(
            "We collect real conversations between people and assistants, to find out how well assistants "
            "serve people. People check what you send. Cases that are kept, without your answers about "
            "yourself, may be published as a dataset, and models may be asked to answer them. Taking part "
            "is voluntary and needs no account. You can withdraw everything later with your private link."
        )

    @property
    def anchor(self) -> str:
        return str(self.questions.anchor) or _(
            "To show that you read the questions, please choose “Rarely” here, whatever applies to you."
        )

    @property
    def choices(self) -> list[str]:
        return [str(choice) for choice in self.questions.choices] or [_("Often"), _("Rarely"), _("Never")]

    @property
    def intents(self) -> Sequence[tuple[str, str]]:
        """(as stored, as shown)"""
        names = self.questions.intents or self.kind.groups(self.options)
        field = next(iter(self.kind.label_fields), "")
        return [(name, self.kind.shown(field, name)) for name in names]

    def passes(self, answers: Mapping[str, Any]) -> bool:
        """Whether the check question was answered as asked."""
        return answers.get("anchor") == self.questions.expected


def survey_questions(survey: Survey) -> SurveyQuestions:
    return SurveyQuestions(Questions.model_validate(survey.questions), survey.project.kind, survey.project.kind_options)
