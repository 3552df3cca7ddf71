import re

import pytest
from django.urls import reverse

from annotate.doors.table import Way, all_pages, pages_for
from annotate.kinds import all_kinds
from annotate.models import Member, Project, User
from tests.support.desks import colleague
from tests.support.pages import client_of, html_of, nav_of
from tests.support.people import make_project

ROLES = ("lead", "reviewer", "annotator", "viewer")
READER_DOORS = ["Overview", "Work", "Data", "Models", "Results", "Team & settings"]


def way(role: str, tab: str = "", path: str = "", kind: str = "feedback") -> Way:
    project, user = Project(slug="p", kind_slug=kind), User(username="u")
    return Way(Member(project=project, user=user, role=role), tab, path)


def titles(steps: object) -> list[str]:
    return [str(step.title) for step in steps]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("role", "doors"),
    [
        ("lead", READER_DOORS),
        ("reviewer", ["Overview", "Work", "Data", "Models", "Results", "Guidelines"]),
        ("viewer", ["Overview", "Data", "Models", "Results", "Guidelines"]),
        ("annotator", ["Work", "Guidelines"]),
    ],
)
def test_every_role_has_the_doors_behind_which_it_sees_something(role: str, doors: list[str]) -> None:
    assert titles(way(role).doors) == doors


def test_the_row_holds_the_pages_behind_the_open_door() -> None:
    lead = way("lead", "tokens", "/p/p/tokens/")
    assert titles(lead.row) == [
        "People",
        "Calibration",
        "Pace",
        "Guidelines",
        "Precedents",
        "Settings",
        "API tokens",
        "Webhooks",
        "Audit trail",
    ]
    assert [step.href for step in lead.row if step.is_open] == ["/p/p/tokens/"]
    assert [step.is_open for step in lead.doors] == [False] * 5 + [True]


def test_the_trail_leads_from_the_door_to_the_page_or_to_the_one_above() -> None:
    items = way("lead", "items", "/p/p/items/")
    assert titles(items.trail) == ["Data", "Items"]
    assert items.is_at_end
    assert not way("lead", "items", "/p/p/items/7/").is_at_end


def test_a_door_with_one_page_has_neither_row_nor_trail() -> None:
    overview = way("lead", "overview", "/p/p/")
    assert overview.row == overview.trail == []
    assert overview.current == "page"
    assert titles(way("lead", "overview", "/p/p/below/").trail) == ["Overview"]


def test_a_page_without_a_door_opens_none() -> None:
    nowhere = way("lead", "", "/p/p/nosuch/")
    assert not any(door.is_open for door in nowhere.doors)
    assert nowhere.row == nowhere.trail == []


def test_pages_of_the_installation_are_for_its_administrators() -> None:
    lead = way("lead", "runs")
    assert "Endpoints" not in titles(lead.row)
    staff = way("lead", "runs")
    staff.member.user.is_staff = True
    assert "Endpoints" in titles(staff.row)


def test_names_of_pages_are_told_apart() -> None:
    names = [page.name for page in all_pages()]
    assert len(names) == len(set(names))


@pytest.mark.django_db
@pytest.mark.parametrize("kind", sorted(all_kinds()))
def test_no_door_leads_to_a_page_that_refuses_and_each_page_says_where_it_is(kind: str) -> None:
    project = make_project(slug="p", kind_slug=kind)
    for role in ROLES:
        worker = colleague(project, role)
        for page in pages_for(worker.member):
            html = html_of(worker.client, page.address("p"))
            here = f'href="{page.address("p")}"'
            row = nav_of(html, "door-row") or nav_of(html, "project-doors")
            assert re.search(rf'{here}\s+aria-current="page"', row), (role, page.name)
            assert nav_of(html, "project-doors").count("aria-current") == 1, (role, page.name)
            assert bool(nav_of(html, "trail")) == bool(nav_of(html, "door-row")), (role, page.name)


@pytest.mark.django_db
def test_an_annotator_sees_no_link_to_what_others_read() -> None:
    annotator = colleague(make_project(slug="p"), "annotator").client
    html = nav_of(html_of(annotator, "/p/p/drafts/"), "project-doors")
    assert set(re.findall(r'href="([^"]+)"', html)) == {"/p/p/work/", "/p/p/guidelines/"}


@pytest.mark.django_db
def test_a_missing_page_and_a_refused_one_keep_the_doors() -> None:
    project = make_project(slug="p")
    annotator, stranger = colleague(project, "annotator").client, client_of(User.objects.create(username="s"))
    for address, status in (("/p/p/nosuch/", 404), ("/p/p/items/77/", 404), ("/p/p/people/", 403)):
        assert nav_of(html_of(annotator, address, status), "project-doors")
        assert not nav_of(html_of(stranger, address, 404), "project-doors")


@pytest.mark.django_db
def test_the_name_of_the_project_leads_to_the_others() -> None:
    html = html_of(colleague(make_project(slug="p", name="Moons"), "viewer").client, "/p/p/items/")
    name = html[html.index("project-name") : html.index("</details>", html.index("project-name"))]
    assert "Moons" in name
    assert f'href="{reverse("projects")}"' in name
