import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotate.chores import find_alike
from annotate.errors import WrongState
from annotate.intake import duplicate_search
from annotate.models import AlikePair, AlikeSearch, Item, Project
from annotate.upkeep.reconciliation import reconcile
from tests.support.people import make_member, make_project
from tests.support.surveys import case, open_survey, participant_of, start
from tests.support.use_cases import use_case_project

pytestmark = pytest.mark.django_db
QUESTIONS = [
    "What is 15% of 240, and how do you get there?",
    "what is 15 % of 240 and how do you get there",
    "Which planet of the solar system has the most moons?",
    "一个长方形的长是12厘米，宽是5厘米，面积是多少？",
    "一个长方形，长是12厘米，宽是5厘米，面积是多少？",
]


@pytest.fixture
def project() -> Project:
    project = make_project(slug="fb")
    for no, question in enumerate(QUESTIONS):
        facts = {"bench_type": "Error Correction", "user_query": question, "origin_first_response": f"Answer {no}."}
        Item.objects.create(project=project, key=f"q{no}", title=question, state="ready", facts=facts,
                            content_hash=str(no))  # fmt: skip
    return project


def keys(project: Project, **chosen: str | bool) -> list[tuple[str, str]]:
    found = duplicate_search.pairs_of(project, **chosen)  # type: ignore[arg-type]
    return [(one.first.key, one.second.key) for one in found]


def test_what_asks_nearly_the_same_is_found_in_both_languages(project: Project) -> None:
    done = duplicate_search.search_now(project)
    assert keys(project) == [("q0", "q1"), ("q3", "q4")]
    assert (done.items, done.pairs) == (5, 2)


def test_a_higher_threshold_finds_fewer(project: Project) -> None:
    duplicate_search.search_now(project, threshold=0.95)
    assert keys(project) == [("q0", "q1")]


def test_keeping_one_drops_the_other_as_a_duplicate(project: Project) -> None:
    duplicate_search.search_now(project)
    lead = make_member(project, "lead")
    duplicate_search.decide(duplicate_search.pairs_of(project)[0], "second", by=lead.user)
    dropped = Item.objects.get(key="q0")
    assert (dropped.state, dropped.drop_reason) == ("dropped", "duplicate")
    event = dropped.events.get(verb="dropped")
    assert (event.actor, event.note) == (lead.user, "Nearly the same as q1.")
    assert Item.objects.get(key="q1").state == "ready"


def test_what_was_decided_stays_decided_at_the_next_search(project: Project) -> None:
    duplicate_search.search_now(project)
    duplicate_search.decide(duplicate_search.pairs_of(project)[0], "both", by=make_member(project, "lead").user)
    duplicate_search.search_now(project)
    assert keys(project) == [("q3", "q4")]
    assert keys(project, decided=True) == [("q0", "q1")]
    assert not Item.objects.filter(state="dropped").exists()


def test_of_two_who_decide_one_is_told(project: Project) -> None:
    duplicate_search.search_now(project)
    lead, mine, theirs = make_member(project, "lead"), *(duplicate_search.pairs_of(project)[0] for _n in range(2))
    duplicate_search.decide(theirs, "both", by=lead.user)
    with pytest.raises(WrongState):
        duplicate_search.decide(mine, "first", by=lead.user)
    assert not Item.objects.filter(state="dropped").exists()


def test_an_item_that_was_dropped_meanwhile_leaves_the_pair_undecided(project: Project) -> None:
    duplicate_search.search_now(project)
    pair = duplicate_search.pairs_of(project)[0]
    Item.objects.filter(key="q1").update(state="dropped", drop_reason="other")
    with pytest.raises(WrongState):
        duplicate_search.decide(pair, "first", by=make_member(project, "lead").user)
    assert AlikePair.objects.get(pk=pair.pk).decision == ""
    assert keys(project) == [("q3", "q4")]


def test_checks_and_dropped_items_are_not_compared(project: Project) -> None:
    Item.objects.filter(key="q1").update(purpose="gold")
    Item.objects.filter(key="q4").update(state="dropped", drop_reason="other")
    assert duplicate_search.search_now(project).items == 3
    assert keys(project) == []


def test_a_worker_does_what_was_asked_once(project: Project) -> None:
    asked = duplicate_search.ask(project, by=make_member(project, "lead").user)
    assert find_alike.leases.claimable() == [asked.pk]
    assert reconcile()["searches"] == 1
    assert find_alike.leases.claimable() == []
    assert keys(project) == [("q0", "q1"), ("q3", "q4")]


def test_a_search_whose_worker_is_gone_is_taken_up(project: Project) -> None:
    asked = duplicate_search.ask(project, by=make_member(project, "lead").user)
    later = timezone.now() + find_alike.leases.length
    AlikeSearch.objects.filter(pk=asked.pk).update(lease_until=later)
    find_alike.work(asked.pk)
    assert keys(project) == []
    AlikeSearch.objects.filter(pk=asked.pk).update(lease_until=timezone.now())
    find_alike.work(asked.pk)
    assert len(keys(project)) == 2


def test_of_two_requests_the_last_is_answered(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that searches by another threshold, asked for before, stores nothing."""
    lead, resemblance = make_member(project, "lead").user, duplicate_search.resemblance
    asked = duplicate_search.ask(project, by=lead, threshold=0.1)

    def ask_again(*texts: frozenset[str]) -> float:
        if AlikeSearch.objects.get().threshold == 0.1:
            duplicate_search.ask(project, by=lead, threshold=0.7)
        return resemblance(*texts)

    monkeypatch.setattr(duplicate_search, "resemblance", ask_again)
    find_alike.work(asked.pk)
    assert keys(project) == []
    assert find_alike.leases.claimable() == [asked.pk]
    find_alike.work(asked.pk)
    assert keys(project) == [("q0", "q1"), ("q3", "q4")]


def test_cases_of_one_participant_and_of_two_are_told_apart() -> None:
    survey = open_survey(use_case_project(slug="urs", reviews=0), least=2)
    asks = ["User: {} quokkas eat leaves and bark in the evening on the island?\nAssistant: Yes."] * 2
    for first, second in (("Do", "Why do"), ("Did", "Where do")):
        client = Client()
        own = start(survey, client)
        for n, (text, word) in enumerate(zip(asks, (first, second), strict=True)):
            client.post(f"{own}cases/0/", case(n, conversation=text.format(word)))
        client.post(f"{own}answers/", {"services": ["Claude"], "frequency": "daily", "anchor": "2"})
        client.post(f"{own}send/")
        assert participant_of(own).state == "sent"
    duplicate_search.search_now(survey.project)
    scopes = {one.participants for one in duplicate_search.pairs_of(survey.project)}  # type: ignore[attr-defined]
    assert scopes == {"one", "several"}
    assert duplicate_search.pairs_of(survey.project, scope="one").count() == 2


def test_the_command_lists_open_pairs(project: Project) -> None:
    out = StringIO()
    call_command("near_duplicates", "fb", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["items"], told["open"], told["threshold"]) == (5, 2, 0.7)
    assert told["pairs"][0] == {"first": "q0", "second": "q1", "likeness": 1.0, "participants": None}


def test_kinds_whose_items_nobody_asks_are_refused() -> None:
    with pytest.raises(CommandError, match="not compared"):
        call_command("near_duplicates", make_project(kind_slug="preference").slug)
