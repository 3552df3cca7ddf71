"""Whoever votes on answers, or looks at the votes, finds no trace of whose they are."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from scipy.stats import chi2_contingency, chisquare

from annotate.items import comments
from annotate.items.slots import dealt_to
from annotate.models import Item, Member, Notification, Project, Slot, User
from annotate.people import tokens
from config import urls
from judging.models import Answer, Author, Ballot, Study
from judging.studies.plans import plan
from tests.security.addresses import addresses
from tests.security.asking import without_tokens
from tests.security.crawl import body
from tests.support.files import command
from tests.support.judged import CORRECTION, decided_item
from tests.support.numbering import begin_anew
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn, prefers, vote, wish

pytestmark = pytest.mark.django_db

FAMILY, PROVIDER, STUDY = "gemfamily", "GemWorks", "the autumn study of gems"
NAMES = ("Opal-9B", "Jasper-70B", "Beryl")
TELLING = (*NAMES, FAMILY, PROVIDER, STUDY, "4815162342")  # the last one is the seed
ROLES = ("annotator", "reviewer", "viewer", "lead")
KINDS = ("preference", "checklist_vote", "score_vote")


class Blind:
    """A study with votes in it and people of every role in the project in which they vote, and in no other."""

    def __init__(self, kind: str) -> None:
        self.source = answered_project(items=2, slug="gems", name="Gems")
        Author.objects.update(family=FAMILY, provider=PROVIDER)
        self.study = drawn(self.source, kind, overlap=2, seed=4815162342, items=2)
        Study.objects.update(name=STUDY)
        self.project: Project = self.study.project
        self.members = {role: make_member(self.project, role) for role in ROLES}
        self._work(kind)

    def _work(self, kind: str) -> None:
        """Two votes of one person and one of another, one in hand, a comment, a release."""
        drafts = {
            "preference": prefers("first", reason="shorter"),
            "checklist_vote": {"votes": ["yes", "no"], "reasons": ["", ""], "recognised": True},
            "score_vote": {"scores": {"Overall quality": 3}, "cannot_tell": [], "reason": "", "recognised": False},
        }
        second = make_member(self.project)
        for member in (self.members["annotator"], second, second):
            said = vote(member, drafts[kind])
        comments.start(item=said.item, by=second.user, text="Hard to say.")

    @cache  # noqa: B019 - one visit: signing in again would be told on the page of what is recorded
    def client(self, role: str) -> Client:
        """Signed in, and with a token: each address looks at one of the two."""
        secret = tokens.make(by=self.members[role], name="reader", role=role).secret
        client = Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)
        client.force_login(self.members[role].user)
        return client

    @property
    def ids(self) -> list[int]:
        """Some of everything that an address may name: of the votes, and of what they are about."""
        told = [Item.objects.filter(project=self.project), Slot.objects.filter(project=self.project)]
        found = {one.pk for rows in told for one in rows.order_by("pk")[:3]}
        hidden = [Author, Answer, Ballot, Study]
        return sorted(found | {model.objects.order_by("-pk").values_list("pk", flat=True)[0] for model in hidden})

    def paths(self) -> Iterator[str]:
        for address in addresses().values():
            if "token" in address.parameters or "logout" in address.name or address.name.startswith("mfa_"):
                continue  # a second step at sign-in is drawn anew for each look
            for pk in self.ids if address.id_name else [0]:
                try:
                    yield address.path(slug=self.project.slug, object_id=pk)
                except Exception:  # an address whose id is no number: it leads to no object of ours
                    break

    def pages(self, role: str) -> dict[str, str]:
        """path -> headers and body of everything that this role can read. Of refusals, nobody writes the page."""
        client, found = self.client(role), {}
        with patch.multiple(urls, handler403=refusal, handler404=refusal):
            for path in self.paths():
                with transaction.atomic():
                    answer = client.get(path)
                    transaction.set_rollback(True)
                if answer.status_code == 200:
                    found[path] = f"{answer.headers}\n{body(answer)}"
        return found


def refusal(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """Half of all answers, in a fiftieth of the time; what the pages of refusals say is tested where they are."""
    return HttpResponse(status=403)


def same(text: str) -> str:
    """Without what differs whenever a page is asked for: tokens, cookies, request ids, what a clock says."""
    headers, _line, page = text.partition("\n")
    page = re.sub(r"\b(an?|\d+)\s(second|minute)s? ago|\bnow\b", "a while ago", page)
    page = re.sub(r"\d\d:\d\d(:\d\d)?(\.\d+)?", "a time", page)
    headers = re.sub(r"'(Set-Cookie|Expires|Content-Length|Date|X-Request-ID)': '[^']*'", "", headers)
    return without_tokens(page) + headers


@pytest.fixture(params=KINDS)
def blind(request: pytest.FixtureRequest) -> Blind:
    return Blind(request.param)


def traces(pages: dict[str, str]) -> list[tuple[str, str]]:
    return [(path, word) for path, text in pages.items() for word in TELLING if word.lower() in text.lower()]


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_no_page_of_the_votes_and_no_answer_of_the_api_names_a_model(blind: Blind, role: str) -> None:
    pages = blind.pages(role)
    assert any("/items/" in path or "/work/" in path for path in pages)
    assert any(path.startswith("/api/v1/projects/") for path in pages)
    assert len(pages) > 10
    assert traces(pages) == []
    if role == "annotator":
        assert_the_same_of_renamed_models(blind, pages)


def assert_the_same_of_renamed_models(blind: Blind, pages: dict[str, str]) -> None:
    """Every page of the annotator, as it was before."""
    before = {path: same(text) for path, text in pages.items()}
    for number, author in enumerate(Author.objects.all()):
        author.name, author.family, author.provider = f"Renamed-{number}", "other", "Others"
        author.save()
    after = {path: same(text) for path, text in blind.pages("annotator").items()}
    assert {path for path in before if before[path] != after.get(path)} == set()
    assert after.keys() == before.keys()


@pytest.mark.slow
def test_the_same_search_finds_the_names_where_they_may_stand(blind: Blind) -> None:
    """A lead of both sides reads the study; so the search is able to find what it looks for."""
    both = blind.members["lead"]
    Member.objects.create(project=blind.source, user=both.user, role="lead")
    found = traces(blind.pages("lead"))
    assert {word for path, word in found if "/studies/" in path} >= {*NAMES, STUDY}


def test_an_export_and_its_manifest_name_no_model(blind: Blind, tmp_path: Path) -> None:
    out = tmp_path / "votes.jsonl"
    command("export_items", blind.project.slug, "--out", str(out), "--state", "any")
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert {"votes.jsonl", "votes.jsonl.manifest.json", "votes.jsonl.card.md"} <= set(written)
    assert traces(written) == []


def test_what_is_stored_with_a_vote_names_no_model(blind: Blind) -> None:
    """Facts, keys, titles, history, notifications: whatever a page to come may show."""
    rows = {
        "items": str(list(Item.objects.filter(project=blind.project).values())),
        "events": str([list(item.events.values()) for item in Item.objects.filter(project=blind.project)]),
        "notices": str(list(Notification.objects.filter(project=blind.project).values())),
    }
    assert traces(rows) == []


def test_a_lead_of_the_votes_alone_learns_nothing_of_the_study(blind: Blind) -> None:
    client = blind.client("lead")
    page = client.get(f"/p/{blind.project.slug}/studies/")
    assert page.status_code == 200
    assert traces({"": page.content.decode()}) == []
    assert client.post(f"/p/{blind.project.slug}/studies/{blind.study.pk}/close/").status_code == 404
    assert client.get(f"/p/{blind.source.slug}/studies/").status_code == 404
    assert Study.objects.get().closed_at is None


# --- chance -----------------------------------------------------------------------------------------------------------
def many(items: int, authors: tuple[str, ...]) -> Project:
    """Sides follow from numbers of rows: with the same ones chance deals the same in every run."""
    begin_anew()
    project = make_project()
    found = [Author.objects.create(project=project, name=name) for name in authors]
    for _number in range(items):
        item = decided_item(project, CORRECTION)
        Answer.objects.bulk_create(Answer(item=item, author=author, text="Two.") for author in found)
    return project


@pytest.mark.parametrize("design", [{}, {"design": "balanced", "budget": 500}, {"design": "random", "budget": 500}])
def test_the_side_says_nothing_about_the_model_over_ten_thousand_hand_outs(design: dict[str, Any]) -> None:
    study = drawn(many(500, ("a", "b")), authors=["a", "b"], items=500, seed=20261121, overlap=1, **design)
    left: Counter[str] = Counter()
    for ballot in study.ballots.select_related("item", "first__author", "second__author"):
        assert ballot.second is not None
        for person in range(1, 21):
            on_the_left = ballot.second if dealt_to(ballot.item, person) % 2 else ballot.first
            left[on_the_left.author.name] += 1
    assert sum(left.values()) == 10_000
    assert chisquare([left["a"], left["b"]]).pvalue > 0.01


def test_the_first_of_the_facts_says_nothing_about_the_model() -> None:
    study = drawn(many(500, ("a", "b")), authors=["a", "b"], items=500, seed=20261121)
    first = Counter(study.ballots.values_list("first__author__name", flat=True))
    assert chisquare([first["a"], first["b"]]).pvalue > 0.01


def test_the_place_in_the_queue_says_nothing_about_the_model() -> None:
    source = many(200, ("a", "b", "c"))
    votes = plan(wish(source, "score_vote", authors=["a", "b", "c"], items=200, seed=20261121)).votes
    whose = dict(Answer.objects.values_list("pk", "author__name"))
    table = [[0] * 6 for _author in "abc"]
    for place, one in enumerate(votes):
        table["abc".index(whose[one.first])][place * 6 // len(votes)] += 1
    assert len(votes) == 600
    assert chi2_contingency(table).pvalue > 0.01


def test_nobody_of_the_source_is_let_into_the_votes_by_the_draw() -> None:
    source = answered_project()
    make_member(source, "viewer")
    study = drawn(source)
    assert not User.objects.filter(memberships__project=study.project).exists()
