"""People check what a model read in explanations: the page that asks, and what its figures open."""

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.models import Project
from judging.models import ExplanationLabel, Verdict
from tests.support.pages import client_of, html_of, said
from tests.support.people import make_member, make_project
from tests.support.perturbed import brought, perturbation_project, perturbations, single

pytestmark = pytest.mark.django_db
EXPLANATIONS = "/p/fbi/blindspots/explanations/"
CHECK, CHECKED = f"{EXPLANATIONS}check/", f"{EXPLANATIONS}checked/"
READING = ("Names the mistake", "Does not name the mistake", "Found by")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = perturbation_project()
    brought(made, tmp_path, [single(item, 9, 9) for item in perturbations(made, 3)])
    perturbed = Verdict.objects.filter(first__author__sort="perturbed")
    perturbed.update(reason="Fluent, but Titan is no moon of it.", found_in_explanation=True)
    return made


def client(project: Project, role: str = "reviewer") -> Client:
    return client_of(make_member(project, role).user)


def asked(whole: str) -> int:
    (verdict,) = re.findall(r'name="verdict" value="(\d+)"', whole)
    return int(verdict)


def test_the_case_is_asked_about_without_what_anybody_said(project: Project) -> None:
    verdict = asked(html_of(client(project), CHECK))
    ExplanationLabel.objects.create(verdict_id=verdict, person=make_member(project, "lead").user, found=False)
    whole = html_of(client(project), CHECK)
    words = said(whole)
    assert asked(whole) == verdict
    assert "How many moons has planet" in words
    assert "Fluent, but Titan is no moon of it." in words
    assert "Phobos and Titan." in words
    assert "0 of 3" in words
    assert not any(each in words for each in READING)


def test_the_page_is_the_same_whatever_the_model_found(project: Project) -> None:
    reader = client(project)
    pages = []
    for found in (True, False):
        Verdict.objects.filter(first__author__sort="perturbed").update(found_in_explanation=found)
        pages.append(said(html_of(reader, CHECK)))
    assert pages[0] == pages[1]


@pytest.mark.parametrize(("answer", "found"), [("yes", True), ("no", False), ("cannot_tell", None)])
def test_a_label_is_kept_and_the_next_one_asked(project: Project, answer: str, found: bool | None) -> None:
    reviewer = client(project)
    verdict = asked(html_of(reviewer, CHECK))
    told = reviewer.post(CHECK, {"verdict": verdict, "found": answer})
    assert (told.status_code, told["Location"]) == (302, CHECK)
    assert list(ExplanationLabel.objects.values_list("verdict", "found")) == [(verdict, found)]
    after = html_of(reviewer, CHECK)
    assert asked(after) != verdict
    assert "1 of 3" in said(after)


def test_when_all_are_labelled_nothing_is_asked(project: Project) -> None:
    reviewer = client(project)
    for _turn in range(3):
        reviewer.post(CHECK, {"verdict": asked(html_of(reviewer, CHECK)), "found": "yes"})
    assert "You have labelled the whole sample" in said(html_of(reviewer, CHECK))
    assert "3 of 3" in said(html_of(reviewer, CHECK))


@pytest.mark.parametrize(
    "posted", [{}, {"verdict": "1"}, {"verdict": "x", "found": "yes"}, {"verdict": "1", "found": "?"}]
)
def test_a_bad_form_keeps_nothing_and_says_so(project: Project, posted: dict[str, str]) -> None:
    answer = client(project).post(CHECK, posted)
    assert answer.status_code == 422
    assert "Nothing was saved." in answer.content.decode()
    assert not ExplanationLabel.objects.exists()


def test_what_was_not_read_here_cannot_be_labelled(project: Project, tmp_path: Path) -> None:
    gold = Verdict.objects.filter(first__author__sort="gold").first()
    other = perturbation_project(slug="other")
    brought(other, tmp_path, [single(item, 9, 9) for item in perturbations(other, 1)])
    Verdict.objects.filter(judge__project=other).update(reason="Theirs.", found_in_explanation=True)
    theirs = Verdict.objects.filter(judge__project=other, first__author__sort="perturbed").first()
    for verdict in (gold, theirs):
        assert verdict is not None
        assert client(project).post(CHECK, {"verdict": verdict.pk, "found": "yes"}).status_code == 404
    assert not ExplanationLabel.objects.exists()


def test_figures_stand_on_the_page_of_explanations_and_open_their_verdicts(project: Project) -> None:
    reviewer = client(project)
    reviewer.post(CHECK, {"verdict": asked(html_of(reviewer, CHECK)), "found": "no"})
    whole = html_of(reviewer, EXPLANATIONS)
    assert "n = 1, too few" in said(whole)
    assert f'href="{CHECK}"' in whole
    address = f"{CHECKED}?judge=0&amp;which=reader_only"
    assert f'href="{address}"' in whole
    opened = said(html_of(reviewer, address.replace("&amp;", "&")))
    assert "0 yes, 1 no, 0 cannot tell" in opened
    assert "1 explanation" in opened
    assert "No matching explanations." in html_of(reviewer, f"{CHECKED}?which=people_only")


def test_before_anybody_labels_the_page_says_so(project: Project) -> None:
    assert "Nobody has checked the model's reading yet" in html_of(client(project), EXPLANATIONS)
    assert f'href="{CHECK}"' not in html_of(client(project, "viewer"), EXPLANATIONS)


def test_who_may_label_and_who_may_read(project: Project) -> None:
    may = {"lead": (200, 200), "reviewer": (200, 200), "viewer": (403, 200), "annotator": (403, 403)}
    found = {role: tuple(client(project, role).get(path).status_code for path in (CHECK, CHECKED)) for role in may}
    assert found == may
    stranger = client(make_project(), "lead")
    assert [stranger.get(path).status_code for path in (CHECK, CHECKED)] == [404, 404]
    assert stranger.post(CHECK, {}).status_code == 404


def test_it_takes_few_queries(project: Project, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    reader = client(project, "lead")
    reader.get(CHECK)
    with django_assert_max_num_queries(12):
        reader.get(CHECK)
