"""What only the kinds of votes know: sides, buttons, and what their forms say."""

from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds import find_kind
from annotate.kinds.protocol import ChecklistQuestion, JudgedItem
from annotate.kinds.score_vote.kind import ScoreVoteOptions
from tests.support.people import make_item, make_member, make_project
from tests.support.studies import prefers, vote

PAIR = {"prompt": "How many legs has a spider?", "first": "Eight.", "second": "Six."}
ONE = {"prompt": "How many legs has a spider?", "answer": "Eight.", "questions": ["Is it eight?", "Is it short?"]}
JUDGED = JudgedItem(
    messages=[
        {"role": "user", "content": "How many legs has a spider?"},
        {"role": "assistant", "content": "Six."},
        {"role": "user", "content": "Sure?"},
    ],
    checklist=[ChecklistQuestion("Is it eight?", 1.0)],
)
preference, checklist, score = map(find_kind, ("preference", "checklist_vote", "score_vote"))


@pytest.mark.parametrize(("deal", "texts"), [(0, ["Eight.", "Six."]), (1, ["Six.", "Eight."])])
def test_sides_follow_the_deal_and_votes_the_facts(deal: int, texts: list[str]) -> None:
    facts = preference.read_facts(PAIR)
    hand = preference.dealt(facts, deal)
    assert [side.text for side in hand["sides"]] == texts
    assert [button.key for button in hand["buttons"]] == ["A", "E", "N", "X", "B"]
    by_key = {button.key: button.choice for button in hand["buttons"]}
    assert getattr(facts, by_key["A"]) == texts[0]
    assert getattr(facts, by_key["B"]) == texts[1]
    assert [by_key[key] for key in "ENX"] == ["tie", "both_bad", "cannot_tell"]


def test_the_label_of_an_answer_is_the_same_on_either_side() -> None:
    facts = preference.read_facts(PAIR)
    labels = [{side.text: str(side.label) for side in preference.dealt(facts, deal)["sides"]} for deal in (0, 1)]
    assert labels[0] == labels[1] == {"Eight.": "Text 1", "Six.": "Text 2"}
    assert preference.shown("choice", "second") == "Text 2 is better"


def test_of_a_kept_vote_and_a_button_the_button_counts() -> None:
    facts = preference.read_facts(PAIR)
    posted = QueryDict("choice=tie&reason=short&recognised=1&choice=second")
    assert preference.read_form(posted, facts) == {"choice": "second", "reason": "short", "recognised": True}
    assert preference.read_form(QueryDict("choice=third"), facts)["choice"] is None


def test_a_checklist_vote_asks_for_every_question() -> None:
    facts = checklist.read_facts(ONE)
    draft = checklist.read_form(QueryDict("vote-2=no&reason-2=too+long&vote-9=yes"), facts)
    assert draft == {"votes": [None, "no"], "reasons": ["", "too long"], "recognised": False}
    problems = checklist.problems(facts, checklist.read_draft(draft), None)
    assert [found.path for found in problems] == ["votes[0]"]
    assert checklist.votes(facts, checklist.read_draft(draft)) == {"2": 0.0}


def test_a_draft_of_another_length_than_the_checklist_is_refused() -> None:
    facts = checklist.read_facts(ONE)
    draft = checklist.read_draft({"votes": ["yes"], "reasons": ["", ""], "recognised": False})
    assert [found.path for found in checklist.problems(facts, draft, None)] == ["votes"]


OPTIONS = ScoreVoteOptions(criteria=["Clarity", "Truth"], scale=10)


@pytest.mark.parametrize(
    ("given", "paths"), [("10", []), ("11", ["scores[1]"]), ("0", ["scores[1]"]), ("", ["scores[1]"])]
)
def test_scores_stay_on_the_scale(given: str, paths: list[str]) -> None:
    facts = score.read_facts({"prompt": "Why?", "answer": "So."})
    posted = QueryDict(f"criterion=Clarity&score-1=cannot_tell&criterion=Truth&score-2={given}")
    draft = score.read_draft(score.read_form(posted, facts))
    assert [found.path for found in score.problems(facts, draft, OPTIONS)] == paths


def test_every_score_of_the_scale_is_offered_for_every_criterion() -> None:
    facts = score.read_facts({"prompt": "Why?", "answer": "So."})
    shown = score.form_context(facts, {"scores": {"Truth": 7}, "cannot_tell": ["Clarity"]}, OPTIONS)
    assert list(shown["values"]) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert shown["rows"] == [("Clarity", None, True), ("Truth", 7, False)]


def test_scores_are_votes_by_their_criterion() -> None:
    facts = score.read_facts({"prompt": "Why?", "answer": "So."})
    posted = QueryDict("criterion=Clarity&score-1=cannot_tell&criterion=Truth&score-2=7")
    assert score.votes(facts, score.read_draft(score.read_form(posted, facts))) == {"Clarity": None, "Truth": 7.0}


def test_a_criterion_of_another_project_is_refused() -> None:
    facts = score.read_facts({"prompt": "Why?", "answer": "So."})
    draft = score.read_draft({"scores": {"Wit": 3}, "cannot_tell": [], "reason": "", "recognised": False})
    [found] = score.problems(facts, draft, OPTIONS)
    assert (found.path, "“Wit”" in found.message, "Clarity, Truth" in found.message) == ("scores", True, True)


@pytest.mark.parametrize(
    ("kind", "texts", "facts"),
    [
        (preference, ["Eight.", "Six."], {"first": "Eight.", "second": "Six."}),
        (checklist, ["Eight."], {"answer": "Eight.", "questions": ["Is it eight?"]}),
        (score, ["Eight."], {"answer": "Eight."}),
    ],
    ids=lambda value: getattr(value, "slug", ""),
)
def test_a_ballot_holds_what_a_judge_sees_and_reads_as_facts(
    kind: Any, texts: list[str], facts: dict[str, Any]
) -> None:
    made = kind.ballot(JUDGED, texts)
    asked = {"prompt": "Sure?", "before": [dict(turn) for turn in JUDGED.messages[:2]]}
    assert made == asked | facts
    assert kind.read_facts(made).stored() == made


def test_drafts_that_differ_are_told_apart_so_that_checks_can_count_them() -> None:
    facts = preference.read_facts(PAIR)
    drafts = [{"choice": choice, "reason": "", "recognised": False} for choice in ("first", "second")]
    assert preference.disagreements(facts, drafts) == ["choice"]


@pytest.mark.django_db
def test_people_who_differ_about_an_answer_have_nothing_to_settle() -> None:
    project = make_project(kind_slug="preference", overlap=2, reviews=0)
    item = make_item(project, facts=PAIR)
    for choice in ("first", "second"):
        vote(make_member(project), prefers(choice))
    item.refresh_from_db()
    assert item.state == "accepted"
    assert not item.slots.filter(stage="adjudicate").exists()
