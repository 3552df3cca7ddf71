from collections.abc import Callable

import pytest
from django.db.models import F

from annotate.models import Item, Member, Slot, User
from judging.models import Answer, Author, Ballot, Study
from judging.studies.designs import Blinding
from judging.studies.leaks import orders, reading_of, scan
from judging.studies.served_pages import readable
from tests.support.files import command
from tests.support.judged import CORRECTION, decided_item
from tests.support.numbering import begin_anew
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn, prefers, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    source = answered_project(items=3, slug="gems", name="Gems")
    Author.objects.update(family="gemfamily", provider="GemWorks")
    answer = Answer.objects.filter(author__name="Beryl")[0]
    answer.text = "I, Beryl of GemWorks, count two."
    answer.save()
    return drawn(source)


def test_a_study_as_it_is_drawn_tells_nothing(study: Study) -> None:
    vote(make_member(study.project), prefers("first"))
    before = [model.objects.count() for model in (User, Member, Slot)]
    code, told, _err = command("leak_scan", "votes")
    assert (code, told["findings"], told["projects"], told["items"]) == (0, [], ["votes"], 9)
    assert told["pages"] > 9 + 8  # the desk of every vote item; lists and the API
    assert [model.objects.count() for model in (User, Member, Slot)] == before  # the visitor is gone
    assert command("leak_scan", "gems", "--pages", "0")[1]["projects"] == ["votes"]


def test_a_scan_of_one_study_searches_its_names_alone(study: Study) -> None:
    columns = {"source": study.source, "project": study.project, "options": study.options}
    Study.objects.bulk_create(Study(name=f"Another {n}", seed=n, **columns) for n in range(9))
    assert list(reading_of(study.project, study).names) == [study.pk]
    assert len(reading_of(study.project).names) == 10


def first(study: Study) -> Item:
    return study.project.items.order_by("pk")[0]


def change(study: Study, **columns: object) -> None:
    Item.objects.filter(pk=first(study).pk).update(**columns)


LEAKS: dict[str, Callable[[Study], None]] = {
    "facts": lambda study: change(study, facts={**first(study).facts, "second": "Ask beryl."}),
    "key": lambda study: change(study, key="opal-9b-1"),
    "group": lambda study: change(study, group="Jasper 70B"),
}


@pytest.mark.parametrize("place", LEAKS)
def test_whatever_tells_is_found_where_it_is_and_the_command_ends_with_1(study: Study, place: str) -> None:
    LEAKS[place](study)
    code, told, err = command("leak_scan", "votes", "--pages", "0")
    assert code == 1
    assert "may reveal whose" in err
    assert place in {one["place"] for one in told["findings"]}


def test_a_project_whose_name_tells_is_found_on_its_pages(study: Study) -> None:
    study.project.name = "Opal-9B against the rest"
    study.project.save()
    code, told, _err = command("leak_scan", "votes", "--pages", "1")
    assert code == 1
    assert {(one["place"], one["word"]) for one in told["findings"]} >= {("page", "Opal-9B"), ("api", "Opal-9B")}


def test_a_name_in_the_question_is_no_leak_and_is_told(study: Study) -> None:
    change(study, facts={**first(study).facts, "prompt": "Is Beryl a stone?"}, title="Is Beryl a stone?")
    code, told, _err = command("leak_scan", "votes", "--pages", "1")
    assert (code, told["in_questions"], told["findings"]) == (0, ["Beryl"], [])


def test_an_author_who_is_called_like_one_of_our_words_is_no_leak(study: Study) -> None:
    """A button, a class of our styles, the name of the product, and the words of the API."""
    for name, new in zip(("Opal-9B", "Jasper-70B", "Beryl"), ("Equal", "strong", "Touchstone"), strict=True):
        Author.objects.filter(name=name).update(name=new)
    Study.objects.update(options=study.options | {"authors": ["Equal", "strong", "Touchstone"]})
    code, told, _err = command("leak_scan", "votes", "--pages", "1")
    assert (code, told["findings"]) == (0, [])
    assert set(told["our_words"]) >= {"Equal", "Touchstone"}


def test_a_page_is_read_without_its_markup() -> None:
    page = '<p class="strong" title="by Opal"><strong>Two.</strong><!-- Beryl --><a href="/jasper/">x</a></p>'
    assert list(readable(page)) == ["by Opal", "Two.", " Beryl ", "/jasper/", "x"]


def test_words_that_a_lead_leaves_alone_are_left_alone(study: Study) -> None:
    LEAKS["facts"](study)
    Study.objects.update(options=study.options | {"blinding": {"never": ["Beryl"]}})
    assert Blinding(never=["Beryl"]).never == ["Beryl"]
    assert command("leak_scan", "votes", "--pages", "0")[0] == 0


def test_without_votes_there_is_nothing_to_scan() -> None:
    make_project(slug="plain")
    code, _told, err = command("leak_scan", "plain")
    assert (code, "draw_votes" in err) == (1, True)


# --- orders -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def many() -> Study:
    """A hundred pairs of two authors, dealt the same in every run."""
    begin_anew()
    project = make_project()
    authors = [Author.objects.create(project=project, name=name) for name in ("Opal", "Quartz")]
    for _number in range(100):
        item = decided_item(project, CORRECTION)
        Answer.objects.bulk_create(Answer(item=item, author=author, text="Two.") for author in authors)
    return drawn(project, authors=["Opal", "Quartz"], overlap=1, seed=20261121)


def test_an_order_that_chance_deals_is_no_finding(many: Study) -> None:
    assert list(orders(many)) == []


def test_one_who_always_stands_first_is_a_finding(many: Study) -> None:
    turned = Ballot.objects.filter(first__author__name="Quartz")
    turned.update(first=F("second"), second=F("first"))
    (found,) = orders(many)
    assert (found.place, found.where, found.word) == ("order", "first in the facts", "Opal")
    assert found.text.startswith("100 of 100 against Quartz")
    assert scan(many.project).findings == [found]
