"""Who may read and do what about a survey, which the big matrix only knows as not being there."""

import pytest
from django.test import Client

from annotate.models import Participant, User
from tests.security.asking import outcome, watched
from tests.support.people import make_member, make_project
from tests.support.surveys import filled, open_survey, sent
from tests.support.use_cases import use_case_project

pytestmark = pytest.mark.django_db
ROLES = ("anonymous", "stranger", "viewer", "annotator", "reviewer", "lead")
PUBLIC = ["", "{token}/", "{token}/cases/0/", "{token}/cases/1/", "{token}/answers/", "{token}/send/"]
PUBLIC += ["{token}/withdraw/", "{token}/cases/1/remove/", "{token}/copy.txt"]
LEADS = ["", "preview/", "answers/"]


@pytest.fixture
def own() -> str:
    survey = open_survey(use_case_project(slug="asking"))
    for role in ROLES[2:]:
        member = make_member(survey.project, role)
        User.objects.filter(pk=member.user_id).update(username=role)
    stranger = make_member(make_project(slug="elsewhere"), "lead")
    User.objects.filter(pk=stranger.user_id).update(username="stranger")
    return filled(survey)


def client_of(role: str) -> Client:
    client = Client(raise_request_exception=False)
    if role != "anonymous":
        client.force_login(User.objects.get(username=role))
    return client


@pytest.mark.parametrize("page", PUBLIC)
def test_whoever_has_the_link_reads_and_reading_changes_nothing(own: str, page: str) -> None:
    address = "/survey/asking/" + page.format(token=own.split("/")[-2])
    visitors = [client_of(role) for role in ROLES]
    with watched() as written:
        seen = [outcome(visitor.get(address)) for visitor in visitors]
    assert seen == ["ok"] * len(ROLES)
    assert written == []


@pytest.mark.parametrize("page", LEADS)
def test_only_leads_see_who_took_part(own: str, page: str) -> None:
    seen = [outcome(client_of(role).get(f"/p/asking/survey/{page}")) for role in ROLES]
    assert seen == ["sign-in", "404", "403", "403", "403", "ok"]


def test_nobody_else_opens_it_or_changes_what_it_asks(own: str) -> None:
    for role in ROLES[:-1]:
        for address in ("/p/asking/survey/", "/p/asking/survey/switch/"):
            assert outcome(client_of(role).post(address, {"open": "0", "least": "1"})) in ("sign-in", "404", "403")
    assert Participant.objects.get().survey.is_open


def test_leads_never_see_links_nor_what_people_said_of_themselves_beside_their_texts(own: str) -> None:
    sent(Participant.objects.get().survey, first=20)
    page = client_of("lead").get("/p/asking/survey/").content.decode()
    assert own.split("/")[-2] not in page
    assert Participant.objects.first().token_sha256 not in page  # type: ignore[union-attr]
    assert "25–34" not in page


def test_text_that_acts_is_only_shown(own: str) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)> {{ 7|add:7 }}"
    client = Client()
    posted = {"service": attack[:80], "conversation": f"User: {attack}", "own_intent": attack[:120]}
    assert client.post(f"{own}cases/1/", {**posted, "difficulty": "1", "satisfaction": "1"}).status_code == 302
    for page in ("", "cases/1/", "send/"):
        shown = client.get(own + page).content.decode()
        assert "<script>alert" not in shown
        assert "<img src=x" not in shown
