"""Prepared statements send what their querysets would send, and read what these would read."""

import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, get_type_hints
from uuid import UUID

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

import annotate.doors.waiting  # the counts of every page: only the settings name it
import annotate.urls  # noqa: F401 - brings all modules with pages, and with them their statements
from annotate.models import Annotation, Member, Project, Slot
from annotate.prepared import PREPARED, Change, prepared, prepared_change
from tests.support.desks import worker
from tests.support.installations import Installations

SAMPLES: dict[Any, Any] = {
    int: 7,
    str: "annotate",
    bool: True,
    datetime: datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC),
    UUID: UUID(int=5),
    list[str]: ["feedback"],
    dict[str, Any]: {"feedback": "50 % off, it's “all”"},
}
OURS = [statement for statement in PREPARED if statement.build.__module__.startswith(("annotate.", "judging."))]


def sample_of(build: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(build)
    return {name: SAMPLES[hints[name]] for name in inspect.signature(build).parameters}


def sent(ask: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        ask()
    return [query["sql"] for query in queries]


def differing(statement: Any) -> list[str]:
    """The uses of a prepared statement in which it sends something else than its queryset."""
    values = sample_of(statement.build)
    if isinstance(statement, Change):
        queryset, changes = statement.build(**values)
        pairs = {"change": (lambda: statement(**values), lambda: queryset.update(**changes))}
    else:
        pairs = {
            "rows": (lambda: statement.rows(**values), lambda: list(statement.build(**values))),
            "exists": (lambda: statement.exists(**values), lambda: statement.build(**values).exists()),
        }
        query = statement.build(**values).query
        if not query.is_sliced and query.group_by is None:
            pairs["count"] = (lambda: statement.count(**values), lambda: statement.build(**values).count())
    return [f"{statement.__name__}: {use}" for use, (mine, theirs) in pairs.items() if sent(mine) != sent(theirs)]


@pytest.mark.django_db
@pytest.mark.parametrize("statement", OURS, ids=lambda statement: statement.__name__)
def test_a_prepared_statement_is_what_its_queryset_sends(statement: Any) -> None:
    assert differing(statement) == []


ON_THE_SERVER = """
from tests.annotate.test_prepared import OURS, differing
result = [len(OURS), [use for statement in OURS for use in differing(statement)]]
"""


@pytest.mark.slow
def test_it_is_so_on_both_kinds_of_database(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        assert installation.python(ON_THE_SERVER) == [len(OURS), []]


@prepared
def _texts(author: int) -> QuerySet[Annotation]:
    texts = Annotation.objects.select_related("slot__item__base", "suggestion").filter(author=author)
    return texts.order_by("pk")


@prepared
def _numbers(state: str) -> QuerySet[Slot, tuple[int, str]]:
    return Slot.objects.filter(state=state).order_by("pk").values_list("pk", "state")


@prepared
def _slugs(now: datetime) -> QuerySet[Project, str]:
    return Project.objects.filter(created_at__lte=now).values_list("slug", flat=True)


@prepared
def _members(user: int) -> QuerySet[Member]:
    return Member.objects.select_related("project__readiness").filter(user=user)


@prepared_change
def _renamed(slug: str, name: str) -> tuple[QuerySet[Project], dict[str, Any]]:
    return Project.objects.filter(slug=slug), {"name": name}


@pytest.mark.django_db
class TestRows:
    def test_instances_have_all_columns_and_relations_without_more_statements(self) -> None:
        ada = worker(items=2)
        ada.opened()
        queryset = _texts.build(author=ada.member.user_id)
        with CaptureQueriesContext(connection) as queries:
            [text] = _texts.rows(author=ada.member.user_id)
            assert text.slot is not None
            relations = text.slot.item, text.slot.item.base, text.suggestion
        assert len(queries) == 1
        [expected] = queryset
        assert relations == (expected.slot.item, expected.slot.item.base, expected.suggestion)
        for mine, theirs in ((text, expected), (text.slot, expected.slot), (text.slot.item, expected.slot.item)):
            columns = [field.attname for field in mine._meta.concrete_fields]
            assert [getattr(mine, name) for name in columns] == [getattr(theirs, name) for name in columns]
        assert (text._state.db, text._state.adding) == ("default", False)

    def test_a_missing_relation_of_the_other_side_is_missing(self) -> None:
        ada = worker()
        member = _members.first(user=ada.member.user_id)
        assert member is not None
        with CaptureQueriesContext(connection) as queries:
            assert not hasattr(member.project, "readiness")
        assert len(queries) == 0

    def test_values_are_tuples_or_single_values(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        assert _numbers.rows(state=Slot.State.HELD) == [(slot.pk, "held")]
        assert _slugs.rows(now=datetime.now(UTC)) == [ada.member.project.slug]
        assert _numbers.count(state="open") == 1

    def test_a_change_says_how_many_rows_it_changed(self) -> None:
        ada = worker()
        assert _renamed(slug="nowhere", name="x") == 0
        assert _renamed(slug=ada.member.project.slug, name="Moons, %s") == 1
        assert Project.objects.get().name == "Moons, %s"

    @pytest.mark.parametrize("number", [2**63, -(10**40)])
    def test_a_number_that_no_row_can_have_finds_none(self, number: int) -> None:
        assert (_texts.rows(author=number), _texts.first(author=number), _members.count(user=number)) == ([], None, 0)
        assert _members.exists(user=number) is False

    def test_nothing_is_compared_with_none(self) -> None:
        with pytest.raises(TypeError, match="Parameter author: None"):
            _texts.rows(author=None)
