"""Lists that grow with a project show a hundred rows at a time."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from annotate.models import ApiToken, Endpoint, Member, Project, PromptVersion, Webhook
from tests.support.pages import html_of, said
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
NUMBERS = range(120)


def tokens(case: Case) -> None:
    ApiToken.objects.bulk_create(
        ApiToken(project=case.project, name=f"Row {n}", role="viewer", sha256=f"{n}", created_by=case.lead)
        for n in NUMBERS
    )


def webhooks(case: Case) -> None:
    Webhook.objects.bulk_create(Webhook(project=case.project, url=f"Row {n}", secret="x") for n in NUMBERS)


def endpoints(case: Case) -> None:
    Endpoint.objects.bulk_create(Endpoint(name=f"row-{n}", base_url="http://x", model=f"Row {n}") for n in NUMBERS)
    case.lead.is_staff = True
    case.lead.save()


def projects(case: Case) -> None:
    made = Project.objects.bulk_create(Project(slug=f"row-{n}", name=f"Row {n}", kind_slug="feedback") for n in NUMBERS)
    case.lead.memberships.all().delete()
    Member.objects.bulk_create(Member(project=project, user=case.lead, role="viewer") for project in made)


def prompts(case: Case) -> None:
    PromptVersion.objects.bulk_create(
        PromptVersion(project=case.project, scope="feedback", step="checklist", language="en", number=n + 1,
                      text="x", note=f"Row {n}")
        for n in NUMBERS
    )  # fmt: skip


@pytest.mark.parametrize(
    ("make", "address"),
    [
        (tokens, "/p/fb/tokens/"),
        (webhooks, "/p/fb/webhooks/"),
        (endpoints, "/endpoints/"),
        (projects, "/projects/"),
        (projects, "/"),
        (prompts, "/p/fb/prompts/feedback.checklist.en/"),
    ],
)
def test_a_hundred_rows_are_on_a_page(lead: Client, case: Case, make: Callable[[Case], None], address: str) -> None:
    make(case)
    first, second = (rows(html_of(lead, f"{address}?page={page}")) for page in (1, 2))
    assert "Page 1 of 2" in said(html_of(lead, address))
    assert (len(first), len(second - first)) == (100, 20)
    assert first | second == {f"Row {n}" for n in NUMBERS}


def rows(html: str) -> set[str]:
    return set(re.findall(r"Row \d+", said(html)))
