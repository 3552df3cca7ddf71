"""The tree on the pages of work and review: what it shows, what its buttons do without a script, what is handed in."""

from html import unescape
from typing import Any

import pytest

from annotate.models import Item, Slot
from tests.support.desks import PARTS, Worker, colleague
from tests.support.pages import html_of
from tests.support.people import make_item, make_project
from tests.support.trees import DRAFT, PAIR, SINGLE
from tests.support.trees_posted import posted

pytestmark = pytest.mark.django_db


def at_work(facts: dict[str, Any] = PAIR, **project: Any) -> tuple[Worker, Slot]:
    made = make_project(kind_slug="branching", **project)
    make_item(made, facts=facts, suggestion=DRAFT)
    worker = colleague(made)
    return worker, worker.opened()


def page(worker: Worker, slot: Slot) -> str:
    return unescape(html_of(worker.client, worker.address("work_item", slot)))


def posts(worker: Worker, slot: Slot, name: str, draft: dict[str, Any], **more: Any) -> Any:
    annotation = worker.annotation(slot)
    slot.refresh_from_db()
    data = {"token": str(slot.token), "revision": annotation.revision, **posted(draft), **more}
    return worker.client.post(worker.address(name, slot), data, headers=PARTS if more else None)


def test_the_page_shows_the_tree_with_its_lineage_sums_and_difference() -> None:
    worker, slot = at_work()
    html = page(worker, slot)
    assert "c1 → g1 → j1" in html
    assert "Totals: A 5, B 9." in html
    assert "B is ahead." in html
    assert "Low scores: Name 1." in html
    assert 'id="corrections" data-live' in html
    assert "People's choice: B is better" in html


def test_a_single_response_has_one_score_a_criterion() -> None:
    worker, slot = at_work(SINGLE)
    html = page(worker, slot)
    assert 'name="score_first"' in html
    assert 'name="score_second"' not in html
    assert 'name="correction_second"' not in html


def test_a_button_of_the_tree_changes_the_saved_draft() -> None:
    worker, slot = at_work()
    answer = posts(worker, slot, "work_save", DRAFT, action="tree:merge-2")
    assert answer.status_code == 200
    (one,) = worker.annotation(slot).draft["branches"]
    assert (one["id"], one["merged"], one["judgement"]["score_first"]) == ("c1", ["c2"], None)
    assert "merged with c2" in unescape(answer.content.decode())


def test_what_is_handed_in_is_the_tree_as_it_was_refined() -> None:
    worker, slot = at_work(reviews=0)
    refined = {**DRAFT, "correction_first": "Eight. A spider is no insect."}
    refined["branches"] = [DRAFT["branches"][1], DRAFT["branches"][0]]
    posts(worker, slot, "work_submit", refined)
    item = Item.objects.get()
    assert item.state == "accepted"
    assert item.base.draft == refined


def test_a_score_that_is_missing_is_pointed_out_and_nothing_is_handed_in() -> None:
    worker, slot = at_work()
    data = posted(DRAFT) | {"score_second": ["5", ""]}
    answer = worker.client.post(
        worker.address("work_submit", slot),
        {"token": str(slot.token), "revision": worker.annotation(slot).revision, **data},
    )
    assert answer.status_code == 422
    assert "give every response a score from 1 to 5." in unescape(answer.content.decode()).lower()
    assert Item.objects.get().state == "ready"


def test_a_reviewer_sees_what_was_changed() -> None:
    worker, slot = at_work(reviews=1)
    refined = {**DRAFT, "correction_first": "Eight. A spider is no insect."}
    posts(worker, slot, "work_submit", refined)
    reviewer = colleague(worker.project, "reviewer")
    review = Slot.objects.get(stage="review")
    Slot.objects.filter(pk=review.pk).update(opens_at=Item.objects.get().created_at)
    reviewer.client.post(f"/p/{worker.project.slug}/review/{review.pk}/take/")
    html = unescape(html_of(reviewer.client, f"/p/{worker.project.slug}/review/{review.pk}/"))
    assert "A spider is no insect." in html
    assert 'name="level_3"' in html


def test_others_read_the_tree_and_what_became_of_it() -> None:
    worker, slot = at_work(reviews=0)
    refined = {**DRAFT, "correction_first": "Eight. A spider is no insect."}
    posts(worker, slot, "work_submit", refined)
    viewer = colleague(worker.project, "viewer")
    html = unescape(html_of(viewer.client, f"/p/{worker.project.slug}/items/{Item.objects.get().pk}/"))
    assert "A spider is no insect." in html
    assert "What number 1 looks at." in html


def test_a_reviewers_buttons_change_the_tree_too() -> None:
    worker, slot = at_work(reviews=1)
    written = {**DRAFT, "correction_first": "Eight. A spider is no insect."}
    posts(worker, slot, "work_submit", written)
    reviewer = colleague(worker.project, "reviewer")
    review = Slot.objects.get(stage="review")
    Slot.objects.filter(pk=review.pk).update(opens_at=Item.objects.get().created_at)
    reviewer.client.post(f"/p/{worker.project.slug}/review/{review.pk}/take/")
    page = f"/p/{worker.project.slug}/review/{review.pk}/"
    review.refresh_from_db()
    data = {"token": str(review.token), "revision": 0, "action": "tree:up-2", **posted(written)}
    answer = reviewer.client.post(f"{page}save/", data, headers=PARTS)
    assert answer.status_code == 200, answer.content.decode()[:500]
    (text,) = review.annotations.filter(author=reviewer.member.user)
    assert [one["id"] for one in text.draft["branches"]] == ["c2", "c1"]
