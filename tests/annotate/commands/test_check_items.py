import pytest

from annotate.models import Annotation, Item
from tests.support.files import command
from tests.support.people import DRAFT, FACTS, make_item, make_project

pytestmark = pytest.mark.django_db


def test_what_is_stored_well_is_counted() -> None:
    make_item(make_project(), suggestion=DRAFT)
    code, told, _err = command("check_items")
    assert (code, told) == (0, {"ok": True, "items": 1, "drafts": 1, "faults": [], "unlisted": 0})


def test_facts_and_drafts_that_do_not_read_are_named() -> None:
    project = make_project(slug="fb")
    make_item(project, suggestion=DRAFT)
    make_item(project, key="bad-facts", facts=FACTS | {"user_query": 7})
    make_item(project, key="bad-draft", suggestion=DRAFT | {"checklist": "x"})
    code, told, err = command("check_items")
    assert (code, told["ok"]) == (1, False)
    assert [(fault["key"], fault["path"].split()[0]) for fault in told["faults"]] == [
        ("bad-facts", "facts"),
        ("bad-draft", "draft"),
    ]
    assert "fb bad-facts facts user_query: must be text, not 7." in err


def test_what_people_are_still_writing_may_be_incomplete() -> None:
    item = make_item(make_project())
    Annotation.objects.create(item=item, rater="somebody", draft={})
    assert command("check_items")[0] == 0


def test_one_project_can_be_checked_alone() -> None:
    make_item(make_project(slug="good"))
    make_item(make_project(), facts={})
    assert command("check_items", "good")[0] == 0
    assert Item.objects.count() == 2
