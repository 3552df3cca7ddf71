import pytest

from annotate.engine.purposes import purposes
from annotate.items.drafts import suggestion_for
from annotate.models import Annotation, Classification
from tests.annotate.purposes.test_preannotate import make_run, waiting_item, worked
from tests.support.people import FACTS, make_item, make_project
from tests.support.scripted import CLASSIFICATION, Script

pytestmark = pytest.mark.django_db
CLASSIFY = purposes()["classify"]


def test_accepted_items_are_classified_too_because_they_tell_how_good_it_is() -> None:
    project = make_project()
    for state, reason in (("imported", ""), ("accepted", ""), ("dropped", "other")):
        waiting_item(project, key=state, state=state, drop_reason=reason)
    planned = make_run(project, "classify")
    assert [one.subject for one in CLASSIFY.plan(planned)] == [
        f"item/{pk}" for pk in project.items.exclude(state="dropped").order_by("pk").values_list("pk", flat=True)
    ]


def test_a_label_is_kept_where_nobody_takes_it_for_a_suggestion() -> None:
    item = make_item(make_project())
    planned = make_run(item.project, "classify")
    worked(planned, Script(CLASSIFICATION))
    found = Classification.objects.get()
    assert (found.item, found.run, found.label) == (item, planned, "Knowledge Q&A;Objective Facts")
    assert (found.group, found.listed) == ("Knowledge Q&A", True)
    assert suggestion_for(item) is None
    assert not Annotation.objects.exists()
    assert CLASSIFY.outcomes(planned, [item.pk]) == {item.pk: "Knowledge Q&A;Objective Facts"}


def test_storing_again_keeps_one_row_with_the_last_reading() -> None:
    planned = make_run(make_item(make_project()).project, "classify")
    worked(planned, Script(CLASSIFICATION))
    worked(planned, Script({"classify": {"label": "Poetry"}}))
    assert list(Classification.objects.values_list("label", "group", "listed")) == [("Poetry", "Poetry", False)]


def test_a_label_longer_than_any_is_cut() -> None:
    planned = make_run(make_item(make_project(), facts=FACTS).project, "classify")
    worked(planned, Script({"classify": {"label": "x" * 1000}}))
    assert Classification.objects.get().label == "x" * 240
