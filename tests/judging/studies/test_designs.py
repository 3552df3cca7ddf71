from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from annotate.errors import Refused
from annotate.items import queue, slots
from annotate.models import Annotation, Item, Member, Project, Slot
from annotate.work import desk, progress, submit
from judging.models import Answer, Author, Study
from judging.ratings.preferences import sides
from judging.studies.designs import Blinding, Design, blinding_of, design_of
from judging.studies.draw import draw
from judging.studies.plans import plan
from judging.studies.progress import close
from judging.studies.waves import next_wave, so_far
from tests.support.people import make_member, make_project
from tests.support.studies import AUTHORS, answered_project, drawn, prefers, vote, wish

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Project:
    return answered_project(items=12)


def pairs(study: Study) -> Counter[frozenset[str]]:
    shown = study.ballots.filter(item__parent=None).values_list("first__author__name", "second__author__name")
    return Counter(frozenset(pair) for pair in shown)


# --- what is drawn ----------------------------------------------------------------------------------------------------
def test_a_budget_is_never_passed_repeats_included() -> None:
    """Three people a pair and a tenth again: 9 pairs are 27 votes and 3 repeats; a tenth is too much."""
    design = Design(overlap=3, budget=30, repeats=0.1)
    assert (design.room, design.repeats_of(9), design.votes_of(9)) == (9, 3, 30)
    assert Design(overlap=3, budget=2).room == 0
    assert Design(overlap=3).room is None


def test_a_balanced_draw_asks_about_every_pair_and_group_alike(source: Project) -> None:
    study = drawn(source, design="balanced", budget=24, overlap=2)
    assert pairs(study) == {frozenset(pair): 4 for pair in combinations(AUTHORS, 2)}
    assert Counter(study.project.items.values_list("group", flat=True)) == {"Coding": 6, "Reasoning": 6}
    assert Slot.objects.filter(project=study.project).count() == 24 == study.counts["asked"]


def test_a_draw_at_random_takes_as_many_as_the_budget_and_the_same_again(source: Project) -> None:
    once, again = (drawn(source, into=into, design="random", budget=11, overlap=2) for into in "ab")
    assert once.counts["votes"] == 5
    assert pairs(once) == pairs(again)
    assert pairs(drawn(source, into="c", design="random", budget=11, seed=8)) != pairs(once)


def test_a_draw_at_random_asks_about_an_item_as_often_as_is_said(source: Project) -> None:
    """Twelve items, three pairs each, two people on each: of 13 pairs some item has two."""
    often = drawn(source, into="often", design="random", budget=26)
    assert max(Counter(often.ballots.values_list("first__item", flat=True)).values()) >= 2
    once = drawn(source, into="once", design="random", budget=26, per_item=1)
    assert sorted(Counter(once.ballots.values_list("first__item", flat=True)).values()) == [1] * 12


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"per_item": 1}, "for the random design only"),
        ({"design": "random", "per_item": -1}, "1 or more"),
        ({"budget": 10}, "36 votes, more than the budget"),
        ({"design": "adaptive"}, "Enter the number of votes"),
        ({"design": "guessing"}, "is not a design"),
        ({"design": "random", "budget": 1, "overlap": 2}, "not enough for one pair"),
        ({"repeats": 1.5}, "between 0 and 1"),
        ({"repeats": 0.1, "apart": 0}, "At least one other item"),
        ({"overlap": 0}, "At least one person"),
    ],
)
def test_what_does_not_go_together_is_refused(source: Project, said: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        plan(wish(source, **said))


def test_only_pairs_are_repeated_or_asked_adaptively(source: Project) -> None:
    for said in ({"repeats": 0.1}, {"design": "adaptive", "budget": 9}):
        with pytest.raises(Refused, match="need pairs of answers"):
            plan(wish(source, "score_vote", **said))


def test_a_study_remembers_its_design_and_an_older_one_has_the_plain_one(source: Project) -> None:
    study = drawn(source, design="balanced", budget=20, overlap=2, repeats=0.25, apart=3)
    study.refresh_from_db()
    assert design_of(study.options) == Design("balanced", overlap=2, budget=20, repeats=0.25, apart=3)
    assert blinding_of(study.options).phrases == list(Blinding().phrases)
    assert design_of({"overlap": 2}) == Design(overlap=2)


# --- asked again ------------------------------------------------------------------------------------------------------
def test_a_repeat_shows_the_same_person_the_sides_exchanged(source: Project) -> None:
    study = drawn(source, design="balanced", budget=24, overlap=2, repeats=0.25)
    again = study.ballots.exclude(item__parent=None).select_related("item__parent__ballot")
    assert len(again) == study.counts["repeats"] == 4  # of nine pairs, eighteen votes
    kind = study.project.kind
    for ballot in again:
        first = ballot.item.parent
        assert first is not None
        assert (ballot.first_id, ballot.second_id) == (first.ballot.second_id, first.ballot.first_id)
        for person in range(1, 6):
            hands = [
                kind.dealt(kind.read_facts(one.facts), slots.dealt_to(one, person)) for one in (first, ballot.item)
            ]
            left, right = ([side.text for side in hand["sides"]] for hand in hands)
            assert left == right[::-1]


def test_a_distance_that_nobody_reaches_is_told(source: Project) -> None:
    """Of nine pairs eight lie between the first one and its repetition."""
    nine = {"design": "balanced", "budget": 24, "overlap": 2, "repeats": 0.25}
    assert [plan(wish(source, **nine, apart=apart)).repeats_too_far for apart in (8, 9)] == [False, True]
    assert not plan(wish(source, design="adaptive", budget=30, overlap=1, repeats=0.5, apart=10)).repeats_too_far
    assert not plan(wish(source, items=1)).repeats_too_far


def asked_in_order(member: Member) -> list[Item]:
    """Everything this person is handed out, voted on in turn."""
    items = []
    while slot := desk.open_next(member):
        items.append(Item.objects.get(pk=slot.item_id))
        vote_in(member, slot, "tie")
    return items


def vote_in(member: Member, slot: Slot, choice: str) -> None:
    said = Annotation.objects.get(slot=slot, author=member.user)
    Annotation.objects.filter(pk=said.pk).update(draft=prefers(choice))
    said.refresh_from_db()
    assert slot.token is not None
    submit.submit(annotation=said, token=slot.token, by=member.user)


def test_a_repeat_comes_to_whoever_voted_first_and_after_enough_others(source: Project) -> None:
    study = drawn(source, design="balanced", budget=20, overlap=1, repeats=0.3, apart=4)
    ann, ben = make_member(study.project), make_member(study.project)
    asked = Slot.objects.filter(project=study.project, item__parent=None).order_by("id")
    again = study.project.items.exclude(parent=None).values("parent")
    bens, *hers = asked.filter(item__in=again)
    for slot in [bens, *asked.exclude(item__in=again)[:5]]:
        assert queue.claim(slot.pk, ben)
        vote(ben, prefers("first"))
    # The queue is shuffled; what is asked again comes first, so that there is room behind it.
    Slot.objects.filter(pk__in=[slot.pk for slot in hers]).update(priority=9)
    mine = asked_in_order(ann)
    places = {item.pk: place for place, item in enumerate(mine)}
    repeats = [item for item in mine if item.parent_id is not None]
    assert repeats
    for item in repeats:
        assert item.parent_id in places  # never one that only Ben has voted on
        assert places[item.pk] - places[item.parent_id] > 4
    # None of hers waits: of what is left the first vote was Ben's, or one of her last four.
    left = study.project.items.exclude(parent=None).exclude(pk__in=[item.pk for item in repeats])
    assert {item.parent_id for item in left}.isdisjoint({item.pk for item in mine[:-4]})


def test_nobody_takes_a_repeat_by_its_number_before_its_time(source: Project) -> None:
    study = drawn(source, design="balanced", budget=20, repeats=0.3, apart=4, overlap=1)
    ann = make_member(study.project)
    slot = Slot.objects.filter(project=study.project).exclude(item__parent=None)[0]
    assert queue.claim(slot.pk, ann) is None
    assert progress.within_reach(ann) == study.counts["votes"]


def test_what_is_said_again_is_no_battle_of_its_own(source: Project) -> None:
    study = drawn(source, design="balanced", budget=20, repeats=0.3, apart=4, overlap=1)
    given = asked_in_order(make_member(study.project))
    assert Item.objects.filter(pk__in=[item.pk for item in given]).exclude(parent=None).exists()
    (people,) = sides(source)
    assert len(people.fights) == study.counts["votes"]


def test_a_project_with_another_distance_is_left_as_it_is(source: Project) -> None:
    make_project(slug="votes", kind_slug="preference", overlap=1, reviews=0, options={"apart": 7})
    with pytest.raises(Refused, match="items between a pair and its repetition: 7"):
        drawn(source, repeats=0.1, overlap=1)
    assert drawn(source, repeats=0.1, overlap=1, apart=7).counts["repeats"] == 4


# --- adaptive ---------------------------------------------------------------------------------------------------------
def test_waves_are_drawn_while_people_vote_until_the_budget_is_used_up(source: Project) -> None:
    study = drawn(source, design="adaptive", budget=20, overlap=1, wave=4)
    assert pairs(study).total() == 4
    ann = make_member(study.project)
    voted = asked_in_order(ann)
    study.refresh_from_db()
    assert len(voted) == len({item.pk for item in voted}) == study.counts["votes"] == 20
    assert study.counts["waves"] == 5
    assert min(pairs(study).values()) >= 3  # ties all along: nothing is ever more in doubt than the rest
    why = progress.why_empty(ann)
    assert why is not None
    assert why.why == "spent"


def test_votes_go_where_the_order_is_in_doubt(source: Project) -> None:
    """Opal loses everything, the other two share their votes: their pair gets most of what is left."""
    study = drawn(source, design="adaptive", budget=16, overlap=1, wave=2, floor=0.0)
    ann = make_member(study.project)
    while slot := desk.open_next(ann):
        ballot = study.ballots.select_related("first__author", "second__author").get(item=slot.item_id)
        names = [ballot.first.author.name, ballot.second.author.name]  # type: ignore[union-attr]
        won = {"Opal-9B": "second", names[1]: "first"}.get(names[0], "tie") if "Opal-9B" in names else "tie"
        vote_in(ann, slot, won if names[1] != "Opal-9B" else "first")
    asked = pairs(study)
    assert asked.total() == 16
    assert asked.most_common(1)[0][0] == frozenset(AUTHORS) - {"Opal-9B"}


def test_names_in_the_texts_of_a_later_wave_are_masked_and_listed_too(source: Project) -> None:
    for answer in Answer.objects.filter(author__name="Beryl", item__project=source):
        answer.text += " So says Beryl."
        answer.save()
    study = drawn(source, design="adaptive", budget=20, overlap=1, wave=3)
    asked_in_order(make_member(study.project))
    study.refresh_from_db()
    assert not any("Beryl" in str(item.facts) for item in study.project.items.all())
    shown = {pk for ballot in study.ballots.all() for pk in (ballot.first_id, ballot.second_id)}
    named = {answer.pk for answer in Answer.objects.filter(author__name="Beryl")}
    assert {one["answer"] for one in study.counts["found"]} == shown & named
    assert study.counts["named"]["answers"] == len(shown & named)


def test_renaming_the_models_leaves_the_waves_the_same(source: Project) -> None:
    def told(into: str, names: tuple[str, ...]) -> list[Any]:
        study = drawn(source, into=into, design="adaptive", budget=16, overlap=1, wave=4, authors=names)
        ann = make_member(study.project)
        texts = dict(Answer.objects.values_list("text", "pk"))
        while slot := desk.open_next(ann):
            facts = Item.objects.get(pk=slot.item_id).facts
            vote_in(ann, slot, "first" if texts[facts["first"]] < texts[facts["second"]] else "second")
        return sorted(study.project.items.values_list("key", flat=True))

    before = told("a", AUTHORS)
    for old, new in zip(AUTHORS, ("Zircon", "Agate", "Moss"), strict=True):
        Author.objects.filter(name=old).update(name=new)
    assert told("b", ("Zircon", "Agate", "Moss")) == before


def test_a_wave_is_drawn_once_and_not_before_half_of_the_last_is_out(source: Project) -> None:
    study = drawn(source, design="adaptive", budget=20, overlap=1, wave=4)
    assert next_wave(study) == 0
    ann = make_member(study.project)
    for _number in range(2):
        vote(ann, prefers("first"))
    assert [next_wave(study), next_wave(study)] == [4, 0]


def test_what_was_asked_and_won_is_counted_for_the_next_wave(source: Project) -> None:
    study = drawn(source, design="adaptive", budget=20, overlap=2, wave=3, authors=AUTHORS[:2])
    authors = list(Answer.objects.filter(author__name__in=AUTHORS[:2]).values_list("author", flat=True).distinct())
    ann = make_member(study.project)
    for choice in ("tie", "cannot_tell"):
        vote(ann, prefers(choice))
    won, met = so_far(study, sorted(authors), 2)
    assert won.tolist() == [[0, 0.5], [0.5, 0]]
    assert met.tolist() == [[0, 6], [6, 0]]


def test_where_the_items_run_out_the_study_ends_and_says_so() -> None:
    study = drawn(answered_project(items=2), design="adaptive", budget=50, overlap=1, wave=4)
    ann = make_member(study.project)
    assert len(asked_in_order(ann)) == 6
    study.refresh_from_db()
    assert study.counts["exhausted"]
    assert not any(one.why is None for one in [progress.why_empty(ann)] if one)


def test_a_closed_study_draws_nothing_more(source: Project) -> None:
    study = drawn(source, design="adaptive", budget=20, overlap=1, wave=4)
    close(study)
    assert next_wave(study) == 0
    assert desk.open_next(make_member(study.project)) is None


# --- names ------------------------------------------------------------------------------------------------------------
def named_answer(source: Project, text: str) -> Answer:
    answer = Answer.objects.filter(author__name="Beryl", item__project=source).order_by("pk")[0]
    answer.text = text
    answer.save()
    return answer


def test_a_name_in_an_answer_is_masked_and_listed(source: Project) -> None:
    answer = named_answer(source, "I am Beryl, and as an AI developed by GemWorks, I count two. Not Opal 9b.")
    study = drawn(source)
    texts = {ballot.item.facts["first" if ballot.first_id == answer.pk else "second"] for ballot in study.ballots.all()
             if answer.pk in (ballot.first_id, ballot.second_id)}  # fmt: skip
    assert texts == {"I am […], and […], I count two. Not […]."}
    (found,) = study.counts["found"]
    assert (found["answer"], found["aside"]) == (answer.pk, False)
    assert {"Beryl", "Opal-9B"} < set(found["words"])


def test_or_the_pair_is_set_aside(source: Project) -> None:
    answer = named_answer(source, "Two, says Beryl.")
    found = plan(wish(source, blinding=Blinding(names="set_aside")))
    assert not any(answer.pk in one.answers for one in found.votes)
    assert (found.aside, [one.aside for one in found.found]) == (2, [True])
    study = draw(found, into="votes", by=None)
    assert study.counts["named"] == {"answers": 1, "aside": 2, "too_short": []}


def test_names_can_be_added_and_words_left_alone(source: Project) -> None:
    named_answer(source, "Beryl the cat, said the Gemmer.")
    found = plan(wish(source, blinding=Blinding(also=["Gemmer"], never=["beryl"])))
    assert [dict(one.words) for one in found.found] == [{"Gemmer": 1}]


def test_an_answer_of_a_name_alone_is_never_shown(source: Project) -> None:
    answer = named_answer(source, "Beryl")
    found = plan(wish(source))
    assert not any(answer.pk in one.answers for one in found.votes)
    assert found.aside == 2
