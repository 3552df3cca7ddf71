import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Annotation, Item, Project, Slot
from tests.support.bridged import PROPOSAL, approved, branching_project, judged, judgement, judges
from tests.support.desks import Worker, colleague
from tests.support.judged import CORRECTION, decided_item
from tests.support.pages import following, html_of, said
from tests.support.people import make_project
from tests.support.trees_posted import posted

pytestmark = pytest.mark.django_db
PAGE, GAIN = "/p/trees/bridging/", "/p/trees/bridging/gain/"


@pytest.fixture
def project() -> Project:
    return branching_project()


@pytest.fixture
def lead(project: Project) -> Worker:
    return colleague(project, "lead")


def queries(lead: Worker, address: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        html_of(lead.client, address)
    return len(asked)


def test_without_judgements_the_page_says_where_they_come_from(lead: Worker) -> None:
    html = html_of(lead.client, PAGE)
    assert "No imported judgements yet" in html
    assert "prometheus" in html


def test_a_project_of_another_kind_has_no_workshop() -> None:
    other = colleague(make_project(slug="feedback"), "lead")
    for name in ("bridging", "bridging_gain", "bridging_gain_items"):
        assert other.client.get(reverse(name, args=["feedback"])).status_code == 404
    assert "/p/feedback/bridging/" not in html_of(other.client, "/p/feedback/leaderboard/")


def test_sets_and_stages_are_counted_and_open_their_items(project: Project, lead: Worker) -> None:
    judgement(project, proposed=True)
    judgement(project, swapped="first")
    html = html_of(lead.client, PAGE)
    assert "2 judgements without criteria" in said(html)
    assert "a written verdict" in html
    assert "B is better; in the other order: A is better" in said(html)
    aside = html_of(lead.client, f"{PAGE}?stage=orders")
    assert aside.count('class="row-link"') == 1
    assert html_of(lead.client, f"{PAGE}?stage=proposed&judge=nobody").count('class="row-link"') == 0


def test_a_style_stays_as_it_came(project: Project, lead: Worker) -> None:
    scores = {"style": "scores", "score_first": 3, "score_second": 8.5, "lowest": 1, "highest": 10}
    judgement(project, judge="judgelm", swapped=None, **scores)
    html = said(html_of(lead.client, PAGE))
    assert "3 : 8.5 (1–10)" in html
    assert "one score per response" in html


def test_a_set_without_a_name_is_told_apart_by_its_style(project: Project, lead: Worker) -> None:
    judgement(project, judge=None)
    judgement(project, judge=None, style="words", text="Wrong.")
    judgement(project)
    html = html_of(lead.client, PAGE)
    assert "?stage=waiting&amp;judge=&amp;style=words#list" in html
    assert html_of(lead.client, f"{PAGE}?stage=waiting&judge=&style=words").count('class="row-link"') == 1
    assert html_of(lead.client, f"{PAGE}?stage=waiting").count('class="row-link"') == 3
    assert html_of(lead.client, f"{PAGE}?judge=a%00b&style=%00").count('class="row-link"') == 0


def test_texts_of_a_file_stay_texts(project: Project, lead: Worker) -> None:
    payload = "<img src=x onerror=alert(1)>\"' hx-get=/"
    item = judgement(project, proposed=True, judge=payload, text=payload, rubric=payload, swapped=None)
    Item.objects.filter(pk=item.pk).update(title=payload[:160])
    lead.client.post(f"{PAGE}take/{item.pk}/")
    slot = Slot.objects.get(item=item)
    for address in (PAGE, f"{PAGE}?judge=%3Cimg%20src%3Dx%3E", lead.address("work_item", slot)):
        html = html_of(lead.client, address)
        assert "<img src=x" not in html
        assert "&lt;img src=x" in html


def test_lists_go_on_and_ask_no_more_for_more(project: Project, lead: Worker) -> None:
    judgement(project, proposed=True)
    few = queries(lead, PAGE)
    for _no in range(29):
        judgement(project, proposed=True)
    html = html_of(lead.client, PAGE)
    assert queries(lead, PAGE) <= few <= 20
    assert html.count('class="row-link"') == 25
    assert html_of(lead.client, PAGE + following(html, "next").partition("/bridging/")[2]).count("row-link") == 5


def test_the_next_proposal_comes_to_the_desk_beside_its_original_judgement(project: Project, lead: Worker) -> None:
    judgement(project)
    item = judgement(project, proposed=True, text="It is the right count.")
    answer = lead.client.post(f"{PAGE}next/", follow=True)
    html = answer.content.decode()
    slot = Slot.objects.get(item=item)
    assert (answer.redirect_chain[-1][0], slot.holder) == (f"/p/trees/work/{slot.pk}/", lead.member.user)
    assert "Original judgement" in html
    assert "It is the right count." in html
    assert "Own scores: not needed" in html
    assert "Without scores" in html


def test_what_was_proposed_is_approved_and_what_was_changed_counts_as_edited(project: Project, lead: Worker) -> None:
    first, second = (judgement(project, proposed=True) for _no in range(2))
    for item, changes in ((first, {}), (second, {"criterion_name": ["Better", "Name 2"]})):
        lead.client.post(f"{PAGE}take/{item.pk}/")
        slot = Slot.objects.get(item=item)
        form = {"token": str(slot.token), "revision": 0, **posted(PROPOSAL), "confirm": "1", **changes}
        assert lead.client.post(lead.address("work_submit", slot), form).status_code == 302
        assert Item.objects.get(pk=item.pk).state == "accepted"
    html = html_of(lead.client, PAGE)
    assert [html.count(f'?stage={stage}#list"') for stage in ("approved", "edited")] == [1, 1]
    (name, _other) = [one["name"] for one in Annotation.objects.get(slot__item=second).draft["branches"]]
    assert name == "Better"


def test_one_that_somebody_else_has_is_not_taken(project: Project, lead: Worker) -> None:
    item = judgement(project, proposed=True)
    other = colleague(project, "reviewer")
    other.client.post(f"{PAGE}take/{item.pk}/")
    answer = lead.client.post(f"{PAGE}take/{item.pk}/", follow=True)
    assert "No proposal is available to you right now." in answer.content.decode()
    assert Slot.objects.get(item=item).holder == other.member.user


@pytest.mark.parametrize(
    ("role", "seen", "made", "taken"),
    [("viewer", 200, 403, 403), ("annotator", 403, 403, 403), ("reviewer", 200, 403, 302)],
)
def test_who_may_look_make_and_take(project: Project, role: str, seen: int, made: int, taken: int) -> None:
    item = judgement(project, proposed=True)
    client = colleague(project, role).client
    assert [client.get(address).status_code for address in (PAGE, GAIN, f"{GAIN}items/")] == [seen] * 3
    assert client.post(f"{PAGE}make/").status_code == made
    assert [client.post(f"{PAGE}{what}").status_code for what in (f"take/{item.pk}/", "next/")] == [taken] * 2


def test_an_item_of_another_project_cannot_be_taken(lead: Worker) -> None:
    elsewhere = judgement(branching_project("elsewhere"), proposed=True)
    assert lead.client.post(f"{PAGE}take/{elsewhere.pk}/").status_code == 404


# --- from our own work ------------------------------------------------------------------------------------------------
def test_a_lead_makes_judgements_of_a_project_that_they_lead_too(project: Project, lead: Worker) -> None:
    source = make_project(slug="feedback", name="Feedback")
    decided_item(source, CORRECTION)
    assert lead.client.post(f"{PAGE}make/", {"source": source.pk}).status_code == 422
    assert not Item.objects.filter(project=project).exists()
    source.members.create(user=lead.member.user, role="lead")
    answer = lead.client.post(f"{PAGE}make/", {"source": source.pk}, follow=True)
    assert "1 judgement was created" in answer.content.decode()
    assert "written comments from people" in html_of(lead.client, PAGE)


def test_a_refusal_stands_beside_the_form(project: Project, lead: Worker) -> None:
    source = make_project(slug="feedback")
    source.members.create(user=lead.member.user, role="lead")
    answer = lead.client.post(f"{PAGE}make/", {"source": source.pk})
    assert answer.status_code == 422
    assert "has no accepted items that judge a response" in answer.content.decode()


# --- before and after -------------------------------------------------------------------------------------------------
def test_before_and_after_stand_beside_each_other_and_open_their_pairs(project: Project, lead: Worker) -> None:
    item = approved(judgement(project, proposed=True))
    own, recovered = judges(project)
    judged(item, own, "first", "first")
    judged(item, recovered, "second", "second")
    without = approved(judgement(project, proposed=True, label=None))
    judged(without, own, "first", "first")
    html = html_of(lead.client, GAIN)
    told = said(html)
    assert "judge-m · branching · n=5 scale=5-25" in told
    assert "+100.0" in told
    assert "p = 1.000" in told
    assert "too few to tell" in told
    assert "1 without a human label" in told.replace("&#x27;", "'")
    pairs = html_of(lead.client, f"{GAIN}items/?row=0&which=gained")
    assert item.key in pairs
    assert without.key in html_of(lead.client, f"{GAIN}items/?row=0&which=no+label")
    assert queries(lead, GAIN) <= 20
    assert queries(lead, f"{GAIN}items/?row=0") <= 20


@pytest.mark.parametrize("odd", ["?row=7", "?row=-1&which=x", "?start=99999999999999", "?row=²"])
def test_an_odd_address_opens_nothing(lead: Worker, odd: str) -> None:
    assert "No matching pairs." in html_of(lead.client, f"{GAIN}items/{odd}")


def test_nothing_to_compare_says_what_to_do(lead: Worker) -> None:
    assert "Nothing to compare yet" in html_of(lead.client, GAIN)
