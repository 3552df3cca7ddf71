"""A form shows choices in the order of the taxonomy; the published data has them in another, which must survive."""

import pytest

from tests.support.desks import worker
from tests.support.people import DRAFT

pytestmark = pytest.mark.django_db

PUBLISHED = {**DRAFT, "feedback_type": ["Hinting Guidance", "Pointing Out Errors"]}
AS_POSTED = ["Pointing Out Errors", "Hinting Guidance"]


def test_an_untouched_list_keeps_its_order_through_the_work_page() -> None:
    annotator = worker(suggestion=PUBLISHED)
    slot = annotator.opened()
    annotator.post("work_save", slot, feedback_type=AS_POSTED)
    assert annotator.annotation(slot).draft["feedback_type"] == PUBLISHED["feedback_type"]


def test_a_choice_taken_out_and_put_back_stands_where_it_was() -> None:
    annotator = worker(suggestion=PUBLISHED)
    slot = annotator.opened()
    annotator.post("work_save", slot, feedback_type=AS_POSTED[:1])
    annotator.post("work_save", slot, feedback_type=AS_POSTED)
    assert annotator.annotation(slot).draft["feedback_type"] == PUBLISHED["feedback_type"]


def test_a_new_choice_comes_last() -> None:
    annotator = worker(suggestion=PUBLISHED)
    slot = annotator.opened()
    annotator.post("work_save", slot, feedback_type=["Raising Objections", *AS_POSTED])
    assert annotator.annotation(slot).draft["feedback_type"] == [*PUBLISHED["feedback_type"], "Raising Objections"]
