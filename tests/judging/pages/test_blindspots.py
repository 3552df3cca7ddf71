from pathlib import Path

import pytest
from django.test import Client

from annotate.models import Project
from judging.models import Judge, Verdict
from tests.support.judge_rows import make_judge
from tests.support.people import make_member, make_project
from tests.support.perturbed import (
    brought,
    judge_called,
    pairwise,
    perturbation,
    perturbation_project,
    perturbations,
    reference,
    single,
)

pytestmark = pytest.mark.django_db
HERE, PAIRS = "/p/fbi/blindspots/", "/p/fbi/blindspots/pairs/"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = perturbation_project()
    items = perturbations(project, 24)
    invariant = perturbation(project, 1, "score_invariant", "score-invariant")
    rows = [single(item, 9, 9 if place < 6 else 7) for place, item in enumerate(items)]
    rows += [single(item, 9, 7, judge="other") for item in items]
    rows += [pairwise(items[0], "gold"), pairwise(items[1], None), pairwise(invariant, "both_good")]
    rows += [reference(items[0], 10), reference(items[1], 3), reference(items[2], None)]
    rows.append(single(items[0], 9, 9, strategy="Told", found_in_explanation=True))
    brought(project, tmp_path, rows)
    return project


@pytest.fixture
def lead(client: Client, project: Project) -> Client:
    client.force_login(make_member(project, "lead").user)
    return client


def page(client: Client, path: str = HERE, **query: str | int) -> str:
    answer = client.get(path, query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_matrix_prints_shares_intervals_and_what_could_not_be_read(lead: Client) -> None:
    told = page(lead, judge="judge-m")
    assert "Entity, Vanilla: 25 % not noticed, interval 12–45, n = 24" in told  # Wilson, 6 of 24
    assert 'class="cell cell--shaded heat-25"' in told
    assert told.count('<a class="cell ') == 5
    assert 'class="cell cell--thin"' in told  # one pair is too few for a colour


def test_another_judge_is_another_matrix_and_all_stand_by_ability(lead: Client) -> None:
    told = page(lead, judge="other")
    assert "Vanilla: 0 % not noticed" in told
    assert "Reference" in told.partition('id="totals"')[2]
    assert "One below" not in told  # only of the chosen judge


def test_choices_scores_control_and_explanations_have_their_tables(lead: Client) -> None:
    told = page(lead, judge="judge-m")
    for part in ("pairwise", "controls", "explained", "comparing"):
        assert f'id="{part}"' in told
    control = told.partition('id="controls"')[2].partition("</section>")[0]
    assert "100.0 %" in control
    assert "Top score" in told
    assert "0.0 %" in told.partition('id="explained"')[2].partition("</section>")[0]


def test_two_judges_are_compared_on_their_pairs(lead: Client, project: Project) -> None:
    mine, other = Judge.objects.filter(strategy="Vanilla").order_by("name")
    told = page(lead, first=f"{mine.pk}-single", second=f"{other.pk}-single").partition('id="comparing"')[2]
    # Six discordant pairs, all for the other: 2 / 2^6 = 0.031; one category, so that Holm changes nothing.
    assert "<strong>0.031</strong>" in told
    assert page(lead, first="999-single", second="nonsense")


def test_ranges_stand_together(lead: Client, project: Project) -> None:
    assert 'id="ranges"' not in page(lead)
    before = judge_called(project, "Told")
    wide = make_judge(project, before.name, "Told", "scale=1-5")
    for verdict in Verdict.objects.filter(judge=before):
        Verdict.objects.create(
            judge=wide,
            item=verdict.item,
            first=verdict.first,
            score_first=verdict.score_first,
            case_sha=verdict.case_sha,
        )
    assert "Told · scale=1-5" in page(lead).partition('id="ranges"')[2].partition("</section>")[0]


def test_a_cell_opens_its_pairs_with_the_difference_and_the_judges_words(lead: Client, project: Project) -> None:
    judge = judge_called(project, "Told")
    Verdict.objects.filter(judge=judge, found_in_explanation=True).update(reason="Titan <b>is</b> no moon of Mars.")
    told = page(lead, PAIRS, column=f"{judge.pk}-single", category="entity-errors", outcome="missed")
    assert "<del>Deimos</del><ins>Titan</ins>" in told
    assert "Titan &lt;b&gt;is&lt;/b&gt; no moon of Mars." in told
    assert "1 pair<" in told
    assert "named in the explanation" in told


def test_pairs_come_page_by_page_and_back(lead: Client, project: Project) -> None:
    judge = Judge.objects.get(name="other")
    first = page(lead, PAIRS, column=f"{judge.pk}-single")
    assert (first.count('<article class="pair"'), 'rel="next"' in first, 'rel="prev"' in first) == (20, True, False)
    after = int(first.partition("after=")[2].partition('"')[0])
    second = page(lead, PAIRS, column=f"{judge.pk}-single", after=after)
    assert (second.count('<article class="pair"'), 'rel="next"' in second, 'rel="prev"' in second) == (4, False, True)
    before = int(second.partition("before=")[2].partition('"')[0])
    assert page(lead, PAIRS, column=f"{judge.pk}-single", before=before).count('<article class="pair"') == 20


@pytest.mark.parametrize("column", ["", "x-single", "999999-single", "1-sideways"])
def test_pairs_of_no_judge_are_nowhere(lead: Client, column: str) -> None:
    assert lead.get(PAIRS, {"column": column}).status_code == 404


def test_unreadable_pairs_and_odd_places_are_pages_too(lead: Client, project: Project) -> None:
    column = f"{judge_called(project, 'Pairwise').pk}-pairwise"
    assert "Not readable" in page(lead, PAIRS, column=column, outcome="unparsed")
    assert "No matching pairs." in page(lead, PAIRS, column=column, category="nowhere", after="x", before="-1")


def test_without_verdicts_it_says_how_to_get_some(client: Client) -> None:
    project = perturbation_project(slug="bare")
    client.force_login(make_member(project, "viewer").user)
    assert "No perturbed answer has been judged yet" in page(client, "/p/bare/blindspots/")


def test_nothing_but_the_control_is_a_page_too(client: Client, tmp_path: Path) -> None:
    project = perturbation_project(slug="control")
    item = perturbation(project, 1, "score_invariant", "score-invariant")
    rows = [each(item, *said) for each, said in ((single, (9, 9)), (pairwise, ("both_good",)), (reference, (10,)))]
    brought(project, tmp_path, rows)
    client.force_login(make_member(project, "viewer").user)
    told = page(client, "/p/control/blindspots/")
    assert 'class="cell cell--thin"' in told
    assert 'id="pairwise"' not in told


def test_only_kinds_that_hold_answers_have_the_page_and_its_entry(client: Client) -> None:
    project = make_project(slug="fb")
    client.force_login(make_member(project, "lead").user)
    assert client.get("/p/fb/blindspots/").status_code == 404
    assert "blindspots" not in client.get("/p/fb/leaderboard/").content.decode()


@pytest.mark.parametrize(("role", "status"), [("annotator", 403), ("viewer", 200), ("reviewer", 200)])
def test_who_may_read_it(client: Client, project: Project, role: str, status: int) -> None:
    client.force_login(make_member(project, role).user)
    assert client.get(HERE).status_code == status


def test_strangers_find_nothing(client: Client, project: Project) -> None:
    client.force_login(make_member(make_project()).user)
    assert {client.get(path).status_code for path in (HERE, PAIRS)} == {404}


def test_queries_do_not_grow_with_pairs(lead: Client, project: Project, django_assert_max_num_queries: object) -> None:
    judge = Judge.objects.get(name="other")
    page(lead, PAIRS, column=f"{judge.pk}-single")
    with django_assert_max_num_queries(20):  # type: ignore[operator]
        page(lead, PAIRS, column=f"{judge.pk}-single")
    page(lead)
    with django_assert_max_num_queries(24):  # type: ignore[operator]
        page(lead)
