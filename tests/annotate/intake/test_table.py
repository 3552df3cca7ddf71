from typing import Any

import pytest
from django.db import connection
from django.forms.models import model_to_dict

from annotate.bulk_rows import BulkInsert
from annotate.models import Annotation, Item, Slot
from tests.support.people import DRAFT, FACTS, make_item, make_project

pytestmark = pytest.mark.django_db


def told(row: Any) -> dict[str, Any]:
    return {name: value for name, value in model_to_dict(row).items() if not name.endswith(("id", "_at"))}


def test_a_row_is_stored_as_the_model_would_store_it() -> None:
    project = make_project()
    BulkInsert(Item, ("key", "content_hash", "facts"), project_id=project.pk, state="ready").insert([("a", "h", FACTS)])
    made = Item.objects.create(project=project, key="b", content_hash="h", facts=FACTS, state="ready")
    stored = Item.objects.get(key="a")
    assert told(stored) == told(made) | {"key": "a"}
    assert abs((stored.created_at - made.created_at).total_seconds()) < 60


def test_json_and_flags_come_back_as_they_were() -> None:
    item = make_item(make_project())
    table = BulkInsert(Annotation, ("draft", "doubts", "authored"), item_id=item.pk, rater="import")
    table.insert([(DRAFT, [], True), ({"text": "火 \u2028 'quoted' \"twice\" %s"}, [{"path": "a"}], False)])
    first, second = Annotation.objects.order_by("pk")
    assert (first.draft, first.doubts, first.authored) == (DRAFT, [], True)
    assert (second.draft["text"], second.doubts) == ("火 \u2028 'quoted' \"twice\" %s", [{"path": "a"}])


def test_no_rows_are_no_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        BulkInsert(Slot, ("item_id",), project_id=1, stage="annotate", round=1).insert([])


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL copies rows")
def test_sqlite_takes_many_rows_in_a_statement_and_keeps_their_order(django_assert_num_queries: Any) -> None:
    project = make_project()
    table = BulkInsert(Item, ("key", "content_hash", "facts"), project_id=project.pk)
    with django_assert_num_queries(1):
        table.insert((f"{number % 7}-{number}", f"h{number}", FACTS) for number in range(3000))
    keys = Item.objects.order_by("pk").values_list("key", flat=True)
    assert list(keys) == [f"{number % 7}-{number}" for number in range(3000)]
