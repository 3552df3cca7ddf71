import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.guidelines import rulings
from annotate.guidelines.rulings import last_event
from annotate.models import Item, Precedent
from tests.support.pages import client_of, said, text_of
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
LIST = "/p/fb/precedents/"
PARTS = {"HX-Request": "true"}


@pytest.fixture
def at_work(client: Client, case: Case) -> tuple[Client, Item]:
    """The annotator at the page of an item."""
    item = case.item("k")
    Item.objects.filter(pk=item.pk).update(group="Reasoning")
    client.force_login(case.annotator)
    client.post("/p/fb/work/next/")
    return client, Item.objects.select_related("project").get(pk=item.pk)


def asked(case: Case, item: Item, question: str = "May it name the answer?") -> Precedent:
    return rulings.ask(item=item, field="feedback", by=case.annotator, question=question)


def ruled(case: Case, item: Item, question: str = "May it name the answer?", ruling: str = "Yes, once.") -> Precedent:
    one = asked(case, item, question)
    return rulings.rule(precedent=one, by=case.lead, ruling=ruling, everywhere=False, based_on=last_event(one))


def work_page(client: Client) -> str:
    return client.post("/p/fb/work/next/", follow=True).content.decode()


def test_a_question_is_asked_without_leaving_the_work(at_work: tuple[Client, Item]) -> None:
    client, item = at_work
    page = work_page(client)
    assert 'data-key="ask"' in page
    assert f'hx-post="/p/fb/precedents/ask/{item.pk}/"' in page
    form = {"field": "feedback", "question": "May it name the answer?"}
    answer = client.post(f"/p/fb/precedents/ask/{item.pk}/", form, headers=PARTS)
    assert answer.content.decode().strip().startswith('<form class="controls" id="ask-form"')
    assert "Sent to your lead." in text_of(answer)
    assert Precedent.objects.get().question == "May it name the answer?"
    assert "1 open question" in said(work_page(client))


def test_it_works_without_scripts(at_work: tuple[Client, Item]) -> None:
    client, item = at_work
    address = f"/p/fb/precedents/ask/{item.pk}/"
    assert "Ask about a field" in text_of(client.get(address + "?field=feedback"))
    answer = client.post(address, {"field": "feedback", "question": "So?", "back": "/p/fb/work/"})
    assert (answer.status_code, answer.headers["location"]) == (302, "/p/fb/work/")


@pytest.mark.parametrize("bad", [{"question": " "}, {"field": "nowhere"}])
def test_a_bad_question_is_refused_with_what_was_typed(at_work: tuple[Client, Item], bad: dict[str, str]) -> None:
    client, item = at_work
    form = {"field": "feedback", "question": "So or so?", "back": "//evil.example/"} | bad
    answer = client.post(f"/p/fb/precedents/ask/{item.pk}/", form)
    assert answer.status_code == 422
    assert "evil" not in answer.content.decode()
    assert "question" in bad or "So or so?" in answer.content.decode()
    assert not Precedent.objects.exists()


def test_only_who_sees_the_item_asks(at_work: tuple[Client, Item], case: Case) -> None:
    _client, item = at_work
    for user, status in ((case.stranger, 404), (case.viewer, 403), (case.reviewer, 200)):
        assert client_of(user).get(f"/p/fb/precedents/ask/{item.pk}/").status_code == status


def test_a_ruling_stands_at_its_field_on_work_and_review(at_work: tuple[Client, Item], case: Case) -> None:
    client, item = at_work
    other = case.item("other")
    Item.objects.filter(pk=other.pk).update(group="Reasoning")
    ruled(case, other)
    page = work_page(client)
    assert page.count('id="precedents-feedback"') == 1
    assert (
        page.index('id="field-feedback"') < page.index('id="precedents-feedback"') < page.index('id="field-checklist"')
    )
    review = case.under_review("third")
    Item.objects.filter(pk=review.item_id).update(group="Reasoning")
    page = client_of(case.reviewer).get(f"/p/fb/review/{review.slot_id}/").content.decode()
    assert page.index('id="point-feedback"') < page.index('id="precedents-feedback"')
    assert 'data-key="ask"' in page
    assert item.group == "Reasoning"


@pytest.mark.parametrize("page", ["work", "review"])
def test_more_rulings_cost_no_more_queries(at_work: tuple[Client, Item], case: Case, page: str) -> None:
    client, _item = at_work
    address = client.post("/p/fb/work/next/").headers["location"]
    if page == "review":
        review = case.under_review("third")
        client, address = client_of(case.reviewer), f"/p/fb/review/{review.slot_id}/"
    before = queries(client, address)
    other = Item.objects.select_related("project").get(pk=case.item("other").pk)
    for number in range(5):
        ruled(case, other, f"Number {number}?")
    assert queries(client, address) == before


def queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as found:
        assert client.get(address).status_code == 200
    return len(found)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '<a hx-get="/x">a</a>', "[x](javascript:alert(1))"])
def test_nothing_in_a_ruling_runs(at_work: tuple[Client, Item], case: Case, text: str) -> None:
    client, _item = at_work
    other = case.item("other")
    Item.objects.filter(pk=other.pk).update(group="Reasoning")
    ruled(case, other, text, text)
    for page in (work_page(client), client_of(case.lead).get(LIST + "?show=all").content.decode()):
        body = page.split('id="main"')[1]
        assert "<script>alert" not in body
        assert '<a hx-get="/x"' not in body
        assert 'href="javascript' not in body


class TestTheList:
    def test_open_ruled_and_all(self, at_work: tuple[Client, Item], lead: Client, case: Case) -> None:
        _client, item = at_work
        asked(case, item, "Open one?")
        ruled(case, item, "Ruled one?")
        lead.force_login(case.lead)
        for show, found in (("open", (True, False)), ("ruled", (False, True)), ("all", (True, True))):
            text = text_of(lead.get(f"{LIST}?show={show}"))
            assert ("Open one?" in text, "Ruled one?" in text) == found
            assert "Open 1 Ruled 1 All 2" in text

    def test_it_is_narrowed_by_field_item_and_words(self, at_work: tuple[Client, Item], case: Case) -> None:
        _client, item = at_work
        asked(case, item)
        lead = client_of(case.lead)
        for query, found in (
            ("field=feedback", True),
            ("field=checklist", False),
            ("q=name", True),
            ("q=kettle", False),
            (f"item={item.pk}", True),
            ("item=999", False),
            ("item=x", True),
        ):
            assert ("May it name the answer?" in text_of(lead.get(f"{LIST}?show=all&{query}"))) is found

    def test_annotators_read_rulings_and_not_who_asked(self, at_work: tuple[Client, Item], case: Case) -> None:
        _client, item = at_work
        ruled(case, item)
        text = text_of(client_of(case.viewer).get(LIST))
        assert "Yes, once." in text
        assert "annotator" not in text
        assert "annotator" in text_of(client_of(case.lead).get(LIST + "?show=all"))

    def test_older_ones_are_a_page_further(
        self, at_work: tuple[Client, Item], case: Case, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _client, item = at_work
        first, second = asked(case, item, "First?"), asked(case, item, "Second?")
        monkeypatch.setattr("annotate.guidelines.precedent_pages.PAGE", 1)
        lead = client_of(case.lead)
        assert "First?" not in text_of(lead.get(LIST))
        assert "First?" in text_of(lead.get(f"{LIST}?before={second.pk}"))
        assert first.pk < second.pk

    def test_what_is_hidden_is_found_by_no_word(self, case: Case) -> None:
        case.project.reviews = 2
        case.project.save(update_fields=["reviews"])
        item = case.item("k")
        case.written(item)
        slot = item.slots.filter(stage="review").earliest("no")
        client_of(case.reviewer).post(f"/p/fb/review/{slot.pk}/take/")
        item = Item.objects.select_related("project").get(pk=item.pk)
        one = rulings.ask(item=item, field="feedback", by=case.reviewer, question="I would drop it: right?")
        lead = client_of(case.lead)
        page = text_of(lead.get(LIST))
        assert "Read it and opt out of this item" in page
        assert "drop it" not in page
        assert "independently" not in text_of(lead.get(LIST + "?q=drop"))
        assert lead.post(f"{LIST}{one.pk}/rule/", {"ruling": "Yes", "based_on": 1}).status_code == 404
        assert "drop it" not in text_of(client_of(case.annotator).get(LIST + "?show=all"))
        assert "I would drop it" in text_of(lead.post(f"{LIST}{one.pk}/read/", follow=True))


class TestRuling:
    def test_a_lead_rules_and_withdraws(self, at_work: tuple[Client, Item], case: Case) -> None:
        _client, item = at_work
        one, lead = asked(case, item), client_of(case.lead)
        form = {"ruling": "Yes, once.", "scope": "all", "based_on": last_event(one)}
        assert "Yes, once." in text_of(lead.post(f"{LIST}{one.pk}/rule/", form, follow=True))
        assert Precedent.objects.get().group == ""
        lead.post(f"{LIST}{one.pk}/withdraw/", {"based_on": last_event(one)})
        assert Precedent.objects.get().ruling == ""
        assert "History" in text_of(lead.get(LIST))

    def test_who_was_slower_sees_both_rulings(self, at_work: tuple[Client, Item], case: Case) -> None:
        _client, item = at_work
        one, lead = asked(case, item), client_of(case.lead)
        form = {"scope": "all", "based_on": last_event(one)}
        lead.post(f"{LIST}{one.pk}/rule/", form | {"ruling": "Theirs."})
        answer = lead.post(f"{LIST}{one.pk}/rule/", form | {"ruling": "Mine."})
        assert answer.status_code == 409
        assert "Mine." in text_of(answer)
        assert "Theirs." in text_of(answer)
        assert Precedent.objects.get().ruling == "Theirs."

    def test_an_empty_ruling_is_refused_at_its_question(self, at_work: tuple[Client, Item], case: Case) -> None:
        _client, item = at_work
        one = asked(case, item)
        answer = client_of(case.lead).post(f"{LIST}{one.pk}/rule/", {"ruling": " ", "based_on": last_event(one)})
        assert answer.status_code == 422
        assert "Write the ruling." in text_of(answer)

    @pytest.mark.parametrize("verb", ["rule", "withdraw", "read"])
    def test_others_do_not_rule(self, at_work: tuple[Client, Item], case: Case, verb: str) -> None:
        _client, item = at_work
        one = asked(case, item)
        for user, status in ((case.stranger, 404), (case.reviewer, 403), (case.annotator, 403)):
            assert client_of(user).post(f"{LIST}{one.pk}/{verb}/", {"ruling": "x"}).status_code == status
        assert client_of(case.lead).post(f"{LIST}999/{verb}/", {"ruling": "x"}).status_code == 404
        assert Precedent.objects.get().ruling == ""


def test_a_null_character_is_left_out(at_work: tuple[Client, Item]) -> None:
    client, item = at_work
    client.post(f"/p/fb/precedents/ask/{item.pk}/", {"field": "feedback", "question": "So\0?"})
    assert Precedent.objects.get().question == "So?"
    assert client.get(LIST + "?q=%00&field=%00&item=%00").status_code == 200
