"""An open survey of use cases, and people who fill it in through its pages."""

from typing import Any
from unittest import mock

from django.test import Client
from django.utils import timezone

from annotate.models import Participant, Project, Survey
from annotate.survey import answers
from tests.support.people import make_member
from tests.support.use_cases import use_case_project

LEAST = 5
ANSWERS = {"services": ["Claude"], "frequency": "daily", "satisfaction_0": "4", "anchor": "2", "age": "25–34"}


def open_survey(project: Project | None = None, **questions: Any) -> Survey:
    project = project or use_case_project(reviews=0)
    lead = make_member(project, "lead").user
    return Survey.objects.create(project=project, opened_at=timezone.now(), questions=questions, created_by=lead)


def case(n: int, **changes: Any) -> dict[str, Any]:
    """A case as it is posted; its words are of no other case."""
    talk = f"User: Wherefore quokka{n} zyxtal?\nAssistant: Therefore frobnia{n}."
    posted = {
        "service": f"Sorbot{n}",
        "conversation": talk,
        "intent": "Leisure",
        "difficulty": "2",
        "satisfaction": "5",
    }
    return posted | changes


def start(survey: Survey, client: Client | None = None, **changes: str) -> str:
    """The address of the private link of somebody who has agreed and begun."""
    client = client or Client()
    slug = survey.project.slug
    with mock.patch("annotate.survey.answers.time.time", return_value=timezone.now().timestamp() - 60):
        proof = answers.proof(slug)
    answer = client.post(f"/survey/{slug}/", {"proof": proof, "consent": "1", **changes})
    return str(answer.headers["Location"]) if answer.status_code == 302 else ""


def filled(survey: Survey, *, cases: int = LEAST, first: int = 1, anchor: str = "2") -> str:
    """Everything is said, nothing sent."""
    client = Client()
    own = start(survey, client)
    for n in range(first, first + cases):
        assert client.post(f"{own}cases/0/", case(n)).status_code == 302
    assert client.post(f"{own}answers/", ANSWERS | {"anchor": anchor}).status_code == 302
    return own


def sent(survey: Survey, **options: Any) -> Participant:
    own = filled(survey, **options)
    assert Client().post(f"{own}send/").status_code == 302
    return participant_of(own)


def participant_of(own: str) -> Participant:
    _empty, _survey, slug, token, _end = own.split("/")
    found = answers.find(slug, token)
    assert found is not None
    return found
