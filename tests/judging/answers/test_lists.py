import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.models import Item
from judging.answers.queries import answer_detail, answers_page
from judging.models import Answer, Author
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


def test_pages_lead_through_all_current_answers_there_and_back() -> None:
    project = make_project()
    items = [decided_item(project, CORRECTION) for _ in range(4)]
    for item in items:
        answer_of(item, "A", text="old")
        answer_of(item, "A", version=2)
        answer_of(item, "A", sample=2)
    answer_of(items[0], "B")
    author = Author.objects.get(name="A")
    everything = [(item.pk, sample) for item in items for sample in (1, 2)]

    seen: list[Answer] = []
    page = answers_page(author, size=3)
    assert page.previous is None
    seen += page.rows
    while page.next:
        page = answers_page(author, after=page.next, size=3)
        seen += page.rows
    assert [(one.item_id, one.sample) for one in seen] == everything
    assert {one.version for one in seen if one.sample == 1} == {2}

    back = answers_page(author, before=page.previous, size=3)
    assert [(one.item_id, one.sample) for one in back.rows] == everything[3:6]
    assert back.next == everything[5]
    first = answers_page(author, before=back.previous, size=3)
    assert [(one.item_id, one.sample) for one in first.rows] == everything[:3]
    assert first.previous is None


def test_search_finds_words_of_the_text_and_keys() -> None:
    project = make_project()
    first, second = decided_item(project, CORRECTION), decided_item(project, CORRECTION)
    answer_of(first, "A", text="Phobos and 100% Deimos")
    answer_of(second, "A", text="Three.")
    author = Author.objects.get()
    assert [one.item for one in answers_page(author, q="phobos").rows] == [first]
    assert [one.item for one in answers_page(author, q="0% d").rows] == [first]
    assert [one.item for one in answers_page(author, q=second.key).rows] == [second]
    assert answers_page(author, q="Saturn").rows == []


def test_an_answer_stands_with_its_conversation_versions_and_samples() -> None:
    item = decided_item(make_project(), CORRECTION)
    old, new = answer_of(item, "A", text="old"), answer_of(item, "A", version=2)
    answer_of(item, "A", sample=2)
    other = answer_of(item, "A", sample=2, version=2)
    found = answer_detail(item.project, new.pk)
    assert found is not None
    assert found.asked is not None
    assert found.asked.messages[-1] == {"role": "user", "content": CORRECTION["feedback"]}
    assert (found.versions, found.others, found.is_current) == ([new, old], [other], True)
    older = answer_detail(item.project, old.pk)
    assert older is not None
    assert not older.is_current


def test_while_an_item_is_open_there_is_no_conversation() -> None:
    item = decided_item(make_project(), CORRECTION)
    answer = answer_of(item, "A")
    Item.objects.filter(pk=item.pk).update(state="ready")
    found = answer_detail(item.project, answer.pk)
    assert found is not None
    assert found.asked is None


def test_an_answer_is_found_in_its_project_only(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    answer = answer_of(decided_item(make_project(), CORRECTION), "A")
    assert answer_detail(make_project(), answer.pk) is None
    project = answer.item.project
    with django_assert_num_queries(2):
        assert answer_detail(project, answer.pk) is not None
