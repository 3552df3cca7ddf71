import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Member, Project
from judging.models import Answer, Study
from tests.support.desks import colleague
from tests.support.judged import a_judge, verdict_on
from tests.support.people import DRAFT, make_item, make_member, make_project
from tests.support.studies import answered_project, drawn, prefers, vote
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db
HERE = "/p/votes/agreement/"
UNITS = f"{HERE}units/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    caches["local"].clear()
    yield
    caches["local"].clear()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """anna and bo say the same on 3 of 4; the judge is with anna on 3 of 4, and with bo on all."""
    project = preference_project()
    voted(project, tmp_path, 0)
    return project


def voted(project: Project, folder: Path, turn: int) -> None:
    said = (("first", "first"), ("first", "first"), ("second", "first"), ("second", "second"))
    for place, (anna, bo) in enumerate(said):
        key = f"t{turn}q{place}"
        bring(
            project,
            folder,
            on_a_pair(key, anna, reason="Two moons it is."),
            on_a_pair(key, bo, rater="bo"),
            *by_judge(key, bo, bo),
        )


def checked(source: Project, met: Sequence[Sequence[str]] = (("yes", "no"), ("yes", "yes"))) -> Project:
    """Two people have voted on checklists of answers to one item, and a judge has read them: it meets 1, not 2."""
    study = drawn(source, "checklist_vote", overlap=2, authors=("Opal-9B", "Beryl"))
    for said in met:
        member = make_member(study.project, "annotator")
        for _answer in range(study.counts["votes"]):
            vote(member, {"votes": list(said), "reasons": ["So it says.", ""], "recognised": False})
    judge = a_judge(source)
    for answer in Answer.objects.filter(author__project=source, author__name__in=("Opal-9B", "Beryl")):
        verdict_on(answer, judge, (1, 0))
    return source


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


@pytest.fixture
def viewer(project: Project) -> Client:
    return colleague(project, "viewer").client


def page(client: Client, address: str = HERE, **said: str) -> str:
    answer = client.get(address, said)
    assert answer.status_code == 200, answer.content[:500]
    return answer.content.decode()


def part(html: str, name: str) -> str:
    start = html.index(f'id="{name}"')
    return html[start : html.index("</section>", start)]


def test_people_stand_beside_the_judge(lead: Client) -> None:
    beside = part(page(lead, coefficient="percent"), "beside")
    assert ">0.75</a>" in beside  # people with each other
    assert ">0.88</a>" in beside  # with the judge: (3/4 + 1) / 2
    assert "+0.13" in beside or "+0.12" in beside
    assert "n = 4, too few" in beside


def test_every_two_raters_have_a_line(lead: Client) -> None:
    """κ of anna and bo: p = 3/4, e = 1/2 · 3/4 + 1/2 · 1/4 = 1/2, so 1/2."""
    pairs = part(page(lead, coefficient="cohen_kappa"), "pairs")
    assert "anna – bo" in pairs
    assert "bo – judge-m" in pairs
    assert ">0.50</a>" in pairs


def test_only_leads_read_names(lead: Client, viewer: Client) -> None:
    assert "anna" in page(lead)
    for address in (HERE, UNITS):
        html = page(viewer, address)
        assert "anna" not in html
        assert "Person 1" in html


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ({"of": "people"}, {0, 1, 2, 3}),
        ({"of": "people", "which": "disagree"}, {2}),
        ({"of": "pair", "rater": ["p1", "p2"], "which": "agree"}, {0, 1, 3}),
        ({"of": "people", "left": "second", "right": "first"}, {2}),
        ({"of": "people", "by": "author", "part": "model-a"}, {0, 1, 2, 3}),
        ({"of": "people", "by": "author", "part": "nobody"}, set()),
        ({"of": "people", "by": "person", "part": "p2", "which": "disagree"}, {2}),
    ],
)
def test_a_number_opens_exactly_its_units(lead: Client, said: dict[str, str], keys: set[int]) -> None:
    html = page(lead, UNITS, **said)
    assert {number for number in range(4) if f">t0q{number}</a>" in html} == keys


@pytest.mark.parametrize("section", ["beside", "slices"])
def test_every_figure_opens_its_units(lead: Client, section: str) -> None:
    cells = re.findall(r"<td>(.*?)</td>", part(page(lead, by="group"), section), re.DOTALL)
    figures = [cell for cell in cells if re.search(r"\d\.\d\d", cell)]
    assert len(figures) >= 3
    assert all("figure-link" in cell for cell in figures)


def test_a_judges_number_opens_what_the_judge_and_two_people_have_rated(lead: Client, project: Project) -> None:
    judge = project.judges.get()
    html = page(lead, UNITS, of="judges", rater=f"j{judge.pk}", which="disagree")
    assert ">t0q2</a>" in html
    assert ">t0q1</a>" not in html
    assert "Two moons it is." in html


def test_who_is_no_rater_is_not_found(lead: Client) -> None:
    for said in ({"rater": "p99"}, {"of": "pair", "rater": "p1"}, {"of": "judges", "rater": "p1"}):
        assert lead.get(UNITS, said).status_code == 404


def test_a_vote_more_changes_the_numbers(lead: Client, project: Project, tmp_path: Path) -> None:
    assert ">0.75</a>" in part(page(lead, coefficient="percent"), "beside")
    bring(project, tmp_path, on_a_pair("new", "first"), on_a_pair("new", "tie", rater="bo"))
    assert ">0.60</a>" in part(page(lead, coefficient="percent"), "beside")


def test_queries_do_not_grow_with_the_units(lead: Client, project: Project, tmp_path: Path) -> None:
    counts = []
    for turn in range(2):
        for address in (HERE, f"{UNITS}?of=people"):
            caches["local"].clear()
            with CaptureQueriesContext(
                connection,
            ) as queries:
                page(lead, address)
            counts.append(len(queries))
        for more in range(turn * 10 + 1, turn * 10 + 4):
            voted(project, tmp_path, more)
    assert counts[:2] == counts[2:]
    assert max(counts) <= 20, [query["sql"][:150] for query in queries]


def test_what_is_remembered_is_not_counted_again(lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = page(lead)
    monkeypatch.setattr("judging.ratings.comparisons._compare_raters", None)
    assert part(page(lead), "beside") == part(first, "beside")


def test_a_page_without_ratings_says_what_makes_some() -> None:
    project = make_project(slug="empty")
    html = page(colleague(project, "lead").client, "/p/empty/agreement/")
    assert "No unit has been rated twice yet" in html
    assert "/p/empty/studies/" in html
    assert "/p/empty/settings/" in html


def test_fields_that_several_people_filled_in_are_compared() -> None:
    """A project of votes knows no author: its people are compared among themselves, on the votes."""
    source = answered_project(items=2)
    study = drawn(source, overlap=2, authors=("Opal-9B", "Beryl"))
    people = [make_member(study.project, "annotator") for _number in range(2)]
    for member, choices in zip(people, (("first", "first"), ("first", "tie")), strict=True):
        for choice in choices:
            vote(member, prefers(choice))
    lead = colleague(study.project, "lead").client
    html = page(lead, "/p/votes/agreement/", coefficient="percent")
    names = [member.user.username for member in people]
    assert " – ".join(names) in part(html, "pairs")
    assert ">0.50</a>" in part(html, "pairs")
    for word in ("Opal", "Beryl"):
        assert word not in html + page(lead, "/p/votes/agreement/units/")


def test_every_field_of_an_overlap_stands_beside_the_others() -> None:
    """Two people on three items: the tasks are alike on all, the deficiencies on two; texts are no labels."""
    project = make_project(slug="twice", overlap=2, reviews=0)
    for _number in range(3):
        make_item(project)
    for person in range(2):
        member = make_member(project, "annotator")
        for place in range(3):
            vote(member, DRAFT | ({"error_type": ["Logical Error"]} if person and not place else {}))
    lead = colleague(project, "lead").client
    fields = part(page(lead, "/p/twice/agreement/", coefficient="percent"), "fields")
    assert "Feedback types" in fields
    assert "Checklist" not in fields
    (row,) = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*Deficiency types.*?</tr>", fields, re.S)
    assert ">0.67</a>" in row
    (address,) = set(re.findall(r'href="([^"]+/units/[^"]+)"', row))
    assert "1 unit<" in page(lead, address.replace("&amp;", "&") + "&which=disagree")


def test_fields_take_as_many_queries_whatever_their_number() -> None:
    project = make_project(slug="twice", overlap=2, reviews=0)
    counts = []
    for items in (1, 5):
        for _number in range(items):
            make_item(project)
        for _person in range(2):
            member = make_member(project, "annotator")
            for _place in range(items):
                vote(member, DRAFT)
        caches["local"].clear()
        client = colleague(project, "viewer").client
        with CaptureQueriesContext(connection) as queries:
            page(client, "/p/twice/agreement/")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_an_item_on_which_somebody_is_still_at_work_is_not_compared() -> None:
    source = answered_project(items=1)
    study = drawn(source, overlap=2, authors=("Opal-9B", "Beryl"))
    vote(make_member(study.project, "annotator"), prefers("first"))
    html = page(colleague(study.project, "lead").client, "/p/votes/agreement/")
    assert "No unit has been rated twice yet" in html


def test_checklists_have_a_consistency_rate_by_author() -> None:
    """Question 1: both yes, the judge too. Question 2: people are split, so that it does not count."""
    source = checked(answered_project(items=1))
    lead = colleague(source, "lead").client
    html = page(lead, f"/p/{source.slug}/agreement/", by="axis")
    rates = part(html, "rates")
    assert "100.00" in rates
    assert "split: 2" in rates
    assert "Opal-9B" in rates
    everybody, *by_author = dict.fromkeys(re.findall(r'href="([^"]+of=majority[^"]*)"', rates))
    assert "2 units" in page(lead, everybody.replace("&amp;", "&"))
    (address,) = (each for each in by_author if "part=Opal-9B" in each)
    opened = page(lead, address.replace("&amp;", "&"))
    assert "1 unit" in opened
    assert "So it says." in opened


def test_checklists_take_no_more_queries_with_more_answers() -> None:
    counts = []
    for items in (2, 6):
        source = checked(answered_project(items=items))
        viewer = colleague(source, "viewer").client
        caches["local"].clear()
        with CaptureQueriesContext(connection) as queries:
            page(viewer, f"/p/{source.slug}/agreement/", by="author")
        counts.append(len(queries))
        Study.objects.all().delete()
        Project.objects.filter(slug="votes").delete()
    assert counts[0] == counts[1] <= 20, [query["sql"][:100] for query in queries]


def test_while_a_study_runs_its_voters_see_nothing() -> None:
    source = answered_project(items=1)
    study = drawn(source)
    reviewer = colleague(source, "reviewer")
    address = f"/p/{source.slug}/agreement/"
    assert reviewer.client.get(address).status_code == 200
    voter = Member.objects.create(project=study.project, user=reviewer.member.user, role="reviewer")
    for where in (address, "/p/votes/agreement/", "/p/votes/agreement/units/"):
        assert reviewer.client.get(where).status_code == 403
    Study.objects.update(closed_at=voter.joined_at)
    assert reviewer.client.get(address).status_code == 200


def test_a_project_of_votes_leads_to_whose_answers_they_are_about() -> None:
    source = answered_project(items=1)
    study = drawn(source)
    lead = colleague(study.project, "lead")
    assert f"/p/{source.slug}/agreement/" not in page(lead.client, "/p/votes/agreement/")
    Member.objects.create(project=source, user=lead.member.user, role="viewer")
    assert f"/p/{source.slug}/agreement/" in page(lead.client, "/p/votes/agreement/")


def test_the_page_stands_among_those_of_judging() -> None:
    project = make_project(slug="empty")
    html = page(colleague(project, "viewer").client, "/p/empty/agreement/")
    assert 'href="/p/empty/agreement/" aria-current="page"' in html


def test_items_of_a_unit_are_links(lead: Client, project: Project) -> None:
    item = Item.objects.filter(project=project).first()
    assert item is not None
    assert f"/p/votes/items/{item.pk}/" in page(lead, UNITS)


def test_the_headline_is_pooled_and_says_what_is_resampled(lead: Client) -> None:
    """By author anna says a a b b, bo a a a b: 3 of 4 equal, e = 25/64 + 9/64, κ = (48 − 34) / (64 − 34)."""
    told = part(page(lead), "headline")
    assert ">0.47</a>" in told
    assert "clustered by item (4 clusters)" in told
    assert "seed 0" in told
    assert "2 people (all who rated)" in told


def test_people_are_chosen_in_the_address(lead: Client, viewer: Client, project: Project, tmp_path: Path) -> None:
    for number in range(4):
        bring(project, tmp_path, on_a_pair(f"t0q{number}", "second", rater="cy"))
    boxes = re.compile(r'type="checkbox" name="raters" value="(\w+)"(\s+checked)?')
    assert [checked for _key, checked in boxes.findall(page(lead))] == [""] * 3
    told = page(lead, raters=["p1", "p2"])
    assert [key for key, checked in boxes.findall(told) if checked] == ["p1", "p2"]
    assert "Selected people: anna, bo." in re.sub(r"\s+", " ", part(told, "headline"))
    assert ">0.47</a>" in part(told, "headline")
    assert "cy" not in part(told, "pairs")
    assert "raters=p1&amp;raters=p2" in told
    assert "anna" not in page(viewer, raters=["p1", "p2"])
    rows = lead.get(f"{HERE}agreement.csv", {"raters": ["p1", "p2"]}).content.decode()
    assert "anna; bo" in rows
    assert "item" in rows
    assert "Person 1; Person 2" in viewer.get(f"{HERE}agreement.csv", {"raters": ["p1", "p2"]}).content.decode()
