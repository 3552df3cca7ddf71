import pytest
from django.urls import reverse

from annotate.quality import pages
from tests.support.pages import client_of, html_of, said
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db


def test_leads_see_everybody_and_others_themselves(case: Case) -> None:
    case.written(case.item())
    page = html_of(client_of(case.lead), "/p/fb/pace/")
    assert "annotator" in page
    assert "n = 1, too few" in said(page)
    for person, status in ((case.annotator, 403), (case.reviewer, 403), (case.viewer, 403), (case.stranger, 404)):
        assert client_of(person).get("/p/fb/pace/").status_code == status
    mine = said(html_of(client_of(case.annotator), "/p/fb/mine/pace/"))
    assert "Exactly what a lead sees about your pace" in mine
    assert client_of(case.viewer).get("/p/fb/mine/pace/").status_code == 403


def test_what_a_lead_reads_about_a_person_is_what_the_person_reads(case: Case) -> None:
    case.written(case.item())
    theirs = html_of(client_of(case.lead), reverse("pace_person", args=["fb", case.member(case.annotator).pk]))
    mine = html_of(client_of(case.annotator), "/p/fb/mine/pace/")
    begin = '<div class="panel" id="figures">'
    assert begin in theirs
    assert theirs.split(begin)[1].split("</main>")[0] == mine.split(begin)[1].split("</main>")[0]


def test_a_member_of_another_project_is_not_there(case: Case) -> None:
    assert client_of(case.lead).get(reverse("pace_person", args=["fb", 10**9])).status_code == 404


def test_many_people_are_on_several_pages(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PEOPLE_PER_PAGE", 1)
    names = {client_of(case.lead).get("/p/fb/pace/", {"page": number}).context["people"][0].member for number in (1, 2)}
    assert len(names) == 2
    assert 'href="?page=2" rel="next"' in html_of(client_of(case.lead), "/p/fb/pace/")
