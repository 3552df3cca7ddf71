"""Query strings and forms that nobody's browser sends: nothing but the named filters is ever looked at."""

import re

import pytest
from django.db import transaction
from django.http import HttpResponse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.models import Slot, User
from tests.security.addresses import addresses
from tests.security.asking import client_of, path_for, taken_back
from tests.security.crawl import body
from tests.security.lines import LINES, Line
from tests.security.world import World

pytestmark = pytest.mark.django_db

LISTS = ("items", "items_csv", "review", "inbox", "projects", "people", "my_drafts", "overview", "guidelines", "home")
LISTS += ("leaderboard", "leaderboard_csv", "leaderboard_items")
LISTS += ("agreement", "agreement_units", "trust", "trust_units")
LISTS += ("ranking", "ranking_battles", "ranking_compare")
LISTS += ("branches", "branch_criteria", "branch_gain", "branch_systems")
LISTS += ("stale_items", "precedents")
LISTS += ("my_corrections", "disputes", "anchoring_items")
LISTS += ("difficulty", "checklists", "statistics", "statistics_csv", "statistics_items")
KNOWN = {
    *("q", "state", "group", "language", "assigned", "held", "by", "batch", "purpose", "priority", "drop_reason"),
    *("comments", "returned", "reviewed", "skipped", "drafts", "minutes", "event", "since", "until", "order"),
    *("after", "before", "show", "version", "against", "done", "open", "field", "source", "page", "next"),
    *("judge", "column", "sort", "pick", "beside", "first", "second", "author", "other", "scenario", "which", "before"),
    *("section", "item"),
    *("about", "coefficient", "level", "draws", "rater", "part", "left", "right"),
    *("became", "disputed", "arm", "kept", "label", "start", "outcome"),
    *("run", "authors", "threshold", "seed", "sign", "task", "unit", "of", "value", "low", "high", "no"),
}
FIELDS = (
    "user",
    "holder",
    "author",
    "project__members__user",
    "annotations__author",
    "slots__holder",
    "item",
    "pk",
    "id",
)
ENDS = ("password", "email", "token", "last_login", "is_superuser", "facts", "draft", "username")
LOOKUPS = ("", "__startswith", "__regex", "__in", "__gt", "__isnull", "__contains", "__range", "!", "[]", ".x")
WILD = [
    *("", "a", "md5$", "True", "null", "[]", "{}", "%", "_", "'", '"', "\\", "-1", "1.5", "1e999", "NaN", "٣", "²"),
    *("1 OR 1=1", "' OR ''='", "1; DROP TABLE x", "(.*)*$", "\x00", "\r\nX: y", "\ud7ff", "😀", "~", "1~", "~1", "1~x"),
    *(
        "9" * 19,
        "9" * 40,
        "9" * 5000,
        "2026-13-45",
        "0001-01-01",
        "9999-12-31",
        "anyone",
        "../../etc/passwd",
        "x" * 3000,
    ),
]
values = st.sampled_from(WILD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
strange_names = st.builds(
    lambda field, end, lookup: f"{field}__{end}{lookup}",
    *map(st.sampled_from, (FIELDS, ENDS, LOOKUPS)),
) | st.text(st.characters(codec="ascii"), min_size=1, max_size=20).filter(lambda name: name not in KNOWN)
known_names = st.sampled_from(sorted(KNOWN))
fixed = settings(
    derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def listed(answer: HttpResponse) -> list[str]:
    """What the list shows, in its order: the lines of a table file, or the objects that a page leads to."""
    text = body(answer)
    return (
        text.splitlines()
        if answer.headers["Content-Type"].startswith("text/csv")
        else re.findall(r'href="(/p/\w+/\w+/\d+/)', text)
    )


@pytest.fixture
def whole(world: World, name: str) -> list[str]:
    """The list as it is when nothing is asked of it."""
    return listed(client_of(world, "lead").get(path_for(world, addresses()[name], "lead")))


@pytest.mark.parametrize("name", LISTS)
@fixed
@given(query=st.dictionaries(strange_names, values, min_size=1, max_size=3))
def test_what_is_no_filter_changes_nothing(world: World, name: str, whole: list[str], query: dict[str, str]) -> None:
    client, path = client_of(world, "lead"), path_for(world, addresses()[name], "lead")
    assert listed(client.get(path, query)) == whole


@pytest.mark.parametrize("name", LISTS)
@fixed
@given(query=st.dictionaries(known_names, values, min_size=1, max_size=3))
def test_a_strange_value_is_answered_and_opens_nothing(
    world: World, name: str, whole: list[str], query: dict[str, str]
) -> None:
    client, path = client_of(world, "lead"), path_for(world, addresses()[name], "lead")
    answer = client.get(path, query)
    assert answer.status_code in (200, 404, 422)
    if answer.status_code == 200:
        assert set(listed(answer)) <= set(whole)


@pytest.mark.parametrize("name", ["items", "items_csv", "review", "work", "guidelines"])
@pytest.mark.parametrize(
    "query", ["q=%ff%fe", "state=%ff", "q=%", "&&&=&=&q", "q=a&q=b&q=c", "order=%00", "after=%00~%00"]
)
def test_a_damaged_query_is_answered(world: World, name: str, query: str) -> None:
    path = path_for(world, addresses()[name], "lead")
    assert client_of(world, "lead").get(f"{path}?{query}").status_code < 500


@pytest.mark.parametrize("name", ["done", "skipped"])
def test_a_page_that_offers_an_undo_is_answered_whatever_is_named(world: World, name: str) -> None:
    Slot.objects.filter(holder=world.people["annotator"]).update(state="void")
    client, path = client_of(world, "annotator"), path_for(world, addresses()["work"], "annotator")
    answers = {wild: client.get(path, {name: wild}).status_code for wild in WILD}
    assert set(answers.values()) == {200}


def test_nobody_finds_a_password_by_asking_for_it(world: World) -> None:
    """The attack in full: one right and one wrong guess must look alike, also in order and page."""
    client, path = client_of(world, "viewer"), path_for(world, addresses()["items"], "viewer")
    first = User.objects.get(username="lead").password[:6]
    for name in ("slots__holder__password__startswith", "annotations__author__password__startswith", "order", "q"):
        right, wrong = (listed(client.get(path, {name: guess})) for guess in (first, "zzzzzz"))
        assert right == wrong


API_LISTS = ("api_items", "api_imports", "api_runs", "api_releases")


@pytest.mark.parametrize("name", API_LISTS)
@fixed
@given(query=st.dictionaries(strange_names, values, min_size=1, max_size=3))
def test_what_is_no_filter_is_refused_by_the_api(world: World, name: str, query: dict[str, str]) -> None:
    """A program that asks for what does not exist is told so, and gets nothing."""
    known = {"cursor", "limit", *KNOWN}
    client, path = client_of(world, "lead"), path_for(world, addresses()[name], "lead")
    answer = client.get(path, query)
    assert answer.status_code == 422 or set(query) <= known
    assert answer.status_code == 422 or answer.json()["results"] == client.get(path).json()["results"]


@pytest.mark.parametrize("name", API_LISTS)
@fixed
@given(query=st.dictionaries(known_names | st.sampled_from(["cursor", "limit"]), values, min_size=1, max_size=3))
def test_a_strange_value_is_answered_by_the_api_and_opens_nothing(
    world: World, name: str, query: dict[str, str]
) -> None:
    client, path = client_of(world, "lead"), path_for(world, addresses()[name], "lead")
    answer = client.get(path, query)
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        rows = {row.get("id", row.get("version")) for row in answer.json()["results"]}
        assert rows <= {row.get("id", row.get("version")) for row in client.get(path).json()["results"]}
    else:
        assert set(answer.json()) == {"code", "message", "where", "remedy"}


def test_nobody_finds_a_password_by_asking_the_api_for_it(world: World) -> None:
    client, path = client_of(world, "viewer"), path_for(world, addresses()["api_items"], "viewer")
    first = User.objects.get(username="lead").password[:6]
    for name in ("slots__holder__password__startswith", "annotations__author__password__startswith", "order", "by"):
        answers = {guess: client.get(path, {name: guess}) for guess in (first, "zzzzzz")}
        told = {(answer.status_code, body(answer).replace(guess, "guess")) for guess, answer in answers.items()}
        assert [status for status, _text in told] == [422]


POSTED = [line for line in LINES if line.method == "POST" and line.expected["lead"] == "ok"]
FORM_NAMES = [
    *(
        "slot",
        "one",
        "aside",
        "keep",
        "token",
        "revision",
        "seconds",
        "action",
        "reason",
        "reason_field",
        "reason_text",
    ),
    *("drop_reason", "drop_note", "fix_note", "checklist", "question", "weight", "suitable", "error_type", "feedback"),
    *("verb", "note", "text", "field", "answer", "back", "next", "theme", "language", "role", "days", "email", "item"),
    *(
        "items",
        "filters",
        "all",
        "to",
        "priority",
        "person",
        "decided",
        "confirm",
        "version",
        "based_on",
        "kind",
        "slug",
    ),
    *("name", "source", "options", "lease_minutes", "reviews", "overlap", "languages", "groups", "daily_limit", "q"),
    *("task_type", "sub_task_type", "feedback_type", "order", "page", "form", "scope", "selected", "preview", "login"),
    *(
        "opened",
        "as_json",
        "add_row",
        "remove_row",
        "raise_row",
        "option-tasks-rows",
        "option-tasks-key",
        "option-tasks-values",
    ),
]


@pytest.mark.parametrize("line", POSTED, ids=str)
@pytest.mark.parametrize("wild", ["9" * 5000, "\x00", "²", "😀[2]__x", "-1"])
def test_a_strange_form_is_answered(world: World, line: Line, wild: str) -> None:
    client, path = client_of(world, "lead"), path_for(world, addresses()[line.address], "lead")
    with taken_back():
        assert client.post(path, dict.fromkeys(FORM_NAMES, wild)).status_code < 500


def test_a_form_with_too_many_fields_is_refused(world: World) -> None:
    path = path_for(world, addresses()["work_save"], "annotator")
    many = {f"field{number}": "x" for number in range(20_001)}
    with transaction.atomic():
        assert client_of(world, "annotator").post(path, many).status_code == 400
