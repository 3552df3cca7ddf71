from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import queue
from annotate.items.slots import dealt_to
from annotate.models import Annotation, Item, Member, Project, Slot
from judging.models import Answer, Study
from judging.studies.progress import close, live, results
from tests.support.people import make_member, make_project
from tests.support.studies import AUTHORS, answered_project, drawn, prefers, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Project:
    return answered_project(items=8)


@pytest.fixture
def study(source: Project) -> Study:
    return drawn(source, design="balanced", budget=30, overlap=2, repeats=0.2, apart=2)


@pytest.fixture
def client(study: Study, client: Client) -> Client:
    lead = make_member(study.source, "lead")
    Member.objects.get_or_create(project=study.project, user=lead.user, role="lead")
    client.force_login(lead.user)
    return client


def page(client: Client, study: Study, name: str = "study_live") -> str:
    answer = client.get(reverse(name, args=[study.source.slug, study.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def side_of(member: Member, item: Item, letter: str) -> str:
    """What somebody chooses who takes the answer on that side."""
    turned = dealt_to(item, member.user_id) % 2
    return ("first", "second")[(letter == "B") != bool(turned)]


def votes(member: Member, choose: Callable[[Item], str], **said: Any) -> list[Annotation]:
    """All that this person is asked."""
    given = []
    while slot := queue.claim_next(member, "annotate"):
        item = Item.objects.get(pk=slot.item_id)
        given.append(vote(member, prefers(choose(item), **said)))
    return given


def test_a_study_without_a_vote_has_a_page(client: Client, study: Study) -> None:
    told = page(client, study)
    assert "0 / 29" in told
    assert "Nobody has voted yet." in told
    assert "Rankings are shown only after the study is closed" in told


def test_the_ranking_of_a_voting_project_leads_to_the_project_of_the_answers(client: Client, study: Study) -> None:
    html = client.get(reverse("ranking", args=[study.project.slug])).content.decode()
    assert f'<a href="{reverse("ranking", args=[study.source.slug])}">See the ranking there</a>' in html
    assert "No preferences yet" not in html


def test_who_always_takes_the_left_one_shows_in_sides_and_repetitions(client: Client, study: Study) -> None:
    ann = make_member(study.project)
    given = votes(ann, lambda item: side_of(ann, item, "A"))
    found = live(study)
    again = sum(one.item.parent_id is not None for one in given)
    assert again > 0
    assert (found.votes, found.left.value, found.left.n) == (len(given) - again, 1.0, len(given) - again)
    assert (found.again.asked, found.again.same.value, found.again.same_side.value) == (again, 0.0, 1.0)
    assert "100.0" in page(client, study)


def test_who_stays_with_an_answer_says_the_same_again(study: Study) -> None:
    ann = make_member(study.project)
    texts = dict(Answer.objects.values_list("text", "pk"))
    votes(ann, lambda item: "first" if texts[item.facts["first"]] < texts[item.facts["second"]] else "second")
    found = live(study)
    assert (found.again.same.value, found.again.same_side.value) == (1.0, 0.0)


def test_votes_are_counted_by_what_they_say_and_by_person(client: Client, study: Study) -> None:
    ann, ben = make_member(study.project), make_member(study.project)
    for choice in ("tie", "both_bad", "cannot_tell", "tie"):
        vote(ann, prefers(choice, recognised=choice == "both_bad"))
    vote(ben, prefers("first"))
    found = live(study)
    first = {one.name: one for one in found.people}[ann.user.username]
    assert found.words["both_bad"] == 1
    assert (found.recognised.value, found.recognised.n) == (1 / found.votes, found.votes)
    assert (first.votes, first.recognised, first.words["cannot_tell"]) == (4, 1, 1)
    assert found.budget_left == 25
    assert "25 of 30 votes left" in page(client, study)


def test_the_pace_is_of_seconds_at_work_and_says_who_cannot_have_read(study: Study) -> None:
    """Two answers of 26 and 28 characters: nobody reads them in less than half a second; a long one takes longer."""
    ann = make_member(study.project)
    first, second, third = (vote(ann, prefers("tie")) for _number in range(3))
    for one, seconds in ((first, 4), (second, 8), (third, 60)):
        Annotation.objects.filter(pk=one.pk).update(active_seconds=seconds)
    Answer.objects.filter(pk=first.item.ballot.first_id).update(text="x" * 500)
    found = live(study)
    assert (found.pace.median, found.pace.fast.value, found.pace.fast.n) == (8, 1 / 3, 3)


def test_the_matrix_counts_votes_on_pairs_and_sides_are_shown_by_author(study: Study) -> None:
    ann = make_member(study.project)
    given = [one for one in votes(ann, lambda _item: "tie") if one.item.parent_id is None]
    found = live(study)
    assert sum(found.pairs.values()) == len(given)
    assert set(found.pairs.values()) == {4}
    assert {one.name: one.votes for one in found.shown} == dict.fromkeys(AUTHORS, 8)


def test_nobody_learns_who_leads_before_it_is_closed(client: Client, study: Study) -> None:
    ann = make_member(study.project)
    votes(ann, lambda _item: "first", recognised=True)
    assert results(study) is None
    assert 'id="results"' not in page(client, study)
    close(study)
    told = page(client, study)
    assert 'id="results"' in told
    assert "Close study" not in told


def test_a_closed_study_is_ranked_with_and_without_who_recognised_a_model(study: Study) -> None:
    ann, ben = make_member(study.project), make_member(study.project)
    votes(ann, lambda _item: "first")
    votes(ben, lambda _item: "second", recognised=True)
    close(study)
    study.refresh_from_db()
    found = results(study)
    assert found is not None
    whole, blind = found
    assert whole.battles.n == 2 * sum(each.battles for each in blind.values()) // 2 == 24
    assert whole.standings[0].elo == pytest.approx(1000)  # each vote of Ann's has one of Ben's against it


def many(study: Study, count: int) -> None:
    """So many votes of four people, as rows."""
    people = [make_member(study.project).user for _number in range(4)]
    items = list(study.project.items.filter(parent=None))
    now = timezone.now()
    slots = Slot.objects.bulk_create(
        Slot(item=items[n // 4 % len(items)], project=study.project, stage="annotate", round=1 + n // 4 // len(items),
             no=100 + n % 4, state="submitted", holder=people[n % 4])
        for n in range(count)
    )  # fmt: skip
    Annotation.objects.bulk_create(
        Annotation(
            item_id=slot.item_id,
            slot=slot,
            author_id=slot.holder_id,
            draft=prefers(("first", "second", "tie")[n % 3]),
            active_seconds=n % 60,
            outcome="annotated",
            submitted_at=now + timedelta(seconds=n),
        )
        for n, slot in enumerate(slots)
    )


@pytest.mark.parametrize(("count", "closed"), [(0, False), (3, False), (1000, False), (1000, True)])
def test_a_page_takes_as_many_queries_however_many_votes(
    client: Client, study: Study, count: int, closed: bool, django_assert_max_num_queries: Any
) -> None:
    many(study, count)
    if closed:
        close(study)
    with django_assert_max_num_queries(20):
        page(client, study)
    assert live(study).votes == count
    with django_assert_max_num_queries(20):
        page(client, study, "study_leaks")


def test_votes_that_are_no_pairs_have_a_page_without_sides(client: Client, study: Study) -> None:
    other = drawn(study.source, "score_vote", into="scores")
    Member.objects.get_or_create(project=other.project, user=study.source.members.get(role="lead").user, role="lead")
    told = page(client, other)
    assert "Left answer won" not in told
    assert 'id="pairs"' not in told


def test_answers_that_name_a_model_are_listed_with_what_became_of_them(client: Client, source: Project) -> None:
    answer = Answer.objects.filter(author__name="Beryl").order_by("pk")[0]
    answer.text = "Beryl says two."
    answer.save()
    study = drawn(source, into="named")
    Member.objects.get_or_create(project=study.project, user=source.members.get(role="lead").user, role="lead")
    told = page(client, study, "study_leaks")
    assert answer.item.key in told
    assert "masked" in told
    assert "Nothing found" in told


@pytest.mark.parametrize("name", ["study_live", "study_leaks"])
def test_only_leads_of_both_projects_see_it(study: Study, name: str) -> None:
    path = reverse(name, args=[study.source.slug, study.pk])
    for project, role, status in (
        (study.source, "lead", 404),
        (study.source, "viewer", 403),
        (make_project(), "lead", 404),
    ):
        client = Client()
        client.force_login(make_member(project, role).user)
        assert client.get(path).status_code == status
