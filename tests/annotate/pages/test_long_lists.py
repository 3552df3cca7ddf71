"""Lists that grow with a project show a hundred rows at a time."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from annotate.models import ApiToken, Endpoint, Item, Member, Precedent, Project, PromptVersion, User, Webhook
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


def test_counts_of_a_thousand_have_a_separator(client: Client, case: Case) -> None:
    many = range(1001)
    Item.objects.bulk_create(
        Item(project=case.project, key=f"k-{n}", title="t", content_hash=f"{n}", facts={}) for n in many
    )
    users = User.objects.bulk_create(User(username=f"many-{n}") for n in many)
    Member.objects.bulk_create(Member(project=case.project, user=user, role="viewer") for user in users)
    Precedent.objects.bulk_create(
        Precedent(project=case.project, field="feedback", question="?", asked_by=case.lead) for _n in many
    )
    client.force_login(case.lead)
    assert "1,001 items" in said(html_of(client, "/p/fb/items/"))
    assert "1,005 people work in this project." in said(html_of(client, "/p/fb/people/"))
    assert "Open 1,001" in said(html_of(client, "/p/fb/precedents/"))
