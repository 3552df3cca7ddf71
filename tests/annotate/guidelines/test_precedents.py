from typing import Any

import pytest

from annotate.errors import Refused
from annotate.guidelines import rulings
from annotate.guidelines.rulings import last_event
from annotate.models import Item, Notification, Precedent, PrecedentEvent
from tests.support.people import make_project
from tests.support.reviews import FACTS, Case

pytestmark = pytest.mark.django_db


@pytest.fixture
def item(case: Case) -> Item:
    made = case.item("k", suggestion=None)
    Item.objects.filter(pk=made.pk).update(group="Reasoning")
    return Item.objects.select_related("project").get(pk=made.pk)


def ask(
    item: Item, case: Case, question: str = "May the feedback name the answer?", field: str = "feedback"
) -> Precedent:
    return rulings.ask(item=item, field=field, by=case.annotator, question=question)


def rule(one: Precedent, case: Case, ruling: str = "Yes, once.", *, everywhere: bool = False) -> Precedent:
    return rulings.rule(precedent=one, by=case.lead, ruling=ruling, everywhere=everywhere, based_on=last_event(one))


def lines(user: Any) -> list[tuple[str, str]]:
    return list(Notification.objects.filter(user=user).order_by("id").values_list("verb", "note"))


def test_the_leads_hear_of_a_question_and_the_asker_of_the_ruling(case: Case, item: Item) -> None:
    one = ask(item, case)
    assert lines(case.lead) == [("asked", "May the feedback name the answer?")]
    rule(one, case)
    assert lines(case.annotator) == [("ruled", "Yes, once.")]
    assert lines(case.reviewer) == []


@pytest.mark.parametrize("given", [{"question": " "}, {"field": "nowhere"}])
def test_a_question_says_something_about_a_field(case: Case, item: Item, given: dict[str, str]) -> None:
    with pytest.raises(Refused):
        ask(item, case, **given)
    assert not Precedent.objects.exists()


def test_a_ruling_holds_in_the_group_or_for_all(case: Case, item: Item) -> None:
    one = rule(ask(item, case), case)
    assert one.group == "Reasoning"
    assert rule(one, case, everywhere=True).group == ""
    assert rule(one, case).group == "Reasoning"


def test_every_change_stays_in_the_history(case: Case, item: Item) -> None:
    one = rule(rule(ask(item, case), case), case, "No.")
    rulings.withdraw(precedent=one, by=case.lead, based_on=last_event(one), why="Hasty.")
    told = [(event.verb, event.text) for event in PrecedentEvent.objects.all()]
    assert told == [
        ("asked", "May the feedback name the answer?"),
        ("ruled", "Yes, once."),
        ("changed", "No."),
        ("withdrawn", "Hasty."),
    ]
    stored = Precedent.objects.get()
    assert (stored.ruling, stored.ruled_at, stored.ruled_by) == ("", None, None)
    assert lines(case.annotator)[-1] == ("ruled", "The ruling was withdrawn. Hasty.")


def test_who_ruled_on_an_older_page_is_told(case: Case, item: Item) -> None:
    one = ask(item, case)
    based_on = last_event(one)
    rule(one, case)
    with pytest.raises(rulings.Outruled) as raced:
        rulings.rule(precedent=one, by=case.lead, ruling="No.", everywhere=True, based_on=based_on)
    assert raced.value.theirs == "Yes, once."
    with pytest.raises(rulings.Outruled):
        rulings.withdraw(precedent=one, by=case.lead, based_on=based_on)
    assert Precedent.objects.get().ruling == "Yes, once."


def test_nothing_said_is_no_ruling(case: Case, item: Item) -> None:
    one = ask(item, case)
    with pytest.raises(Refused):
        rule(one, case, "  ")
    with pytest.raises(Refused):
        rulings.withdraw(precedent=one, by=case.lead, based_on=last_event(one))


class TestAtTheField:
    def another(self, case: Case, key: str = "other", group: str = "Reasoning", query: str = "") -> Item:
        made = case.item(key, suggestion=None)
        facts = {**FACTS, "user_query": query or FACTS["user_query"]}
        Item.objects.filter(pk=made.pk).update(group=group, facts=facts, title="")
        return Item.objects.select_related("project").get(pk=made.pk)

    def test_a_ruling_stands_at_the_same_field_of_the_group(self, case: Case, item: Item) -> None:
        one = rule(ask(item, case), case)
        found = rulings.at_fields(self.another(case), seen_by=case.reviewer)
        assert {name: [each.pk for each in at.rulings] for name, at in found.items()} == {"feedback": [one.pk]}
        assert rulings.at_fields(self.another(case, "code", "Coding"), seen_by=case.reviewer) == {}

    def test_a_ruling_for_all_groups_stands_everywhere(self, case: Case, item: Item) -> None:
        rule(ask(item, case), case, everywhere=True)
        assert "feedback" in rulings.at_fields(self.another(case, "code", "Coding"), seen_by=case.reviewer)

    def test_an_item_without_a_group_may_be_of_any(self, case: Case, item: Item) -> None:
        rule(ask(item, case), case)
        assert "feedback" in rulings.at_fields(self.another(case, "bare", ""), seen_by=case.reviewer)

    def test_another_project_never_shows_it(self, case: Case, item: Item) -> None:
        rule(ask(item, case), case, everywhere=True)
        Precedent.objects.update(project=make_project())
        assert rulings.at_fields(self.another(case), seen_by=case.reviewer) == {}

    def test_the_nearest_comes_first_and_the_rest_is_counted(self, case: Case, item: Item) -> None:
        for question in ("Of moons?", "Of planets?", "Of kettles and tea?", "Of stones?", "Of rivers?"):
            rule(ask(item, case, question), case)
        Item.objects.filter(pk=item.pk).update(title="")
        about_tea = self.another(case, query="How many kettles does tea for ten people need?")
        at = rulings.at_fields(about_tea, seen_by=case.reviewer)["feedback"]
        assert (at.rulings[0].question, len(at.rulings), at.more) == ("Of kettles and tea?", 3, 2)

    def test_what_was_asked_about_the_item_itself_comes_first(self, case: Case, item: Item) -> None:
        own = rule(ask(item, case, "Something else entirely?"), case)
        rule(ask(self.another(case), case, FACTS["user_query"]), case)
        at = rulings.at_fields(item, seen_by=case.reviewer)["feedback"]
        assert at.rulings[0].pk == own.pk

    def test_an_open_question_stands_at_its_own_item_only(self, case: Case, item: Item) -> None:
        ask(item, case)
        assert len(rulings.at_fields(item, seen_by=case.reviewer)["feedback"].waiting) == 1
        assert rulings.at_fields(self.another(case), seen_by=case.reviewer) == {}

    def test_it_is_one_question_to_the_database(self, case: Case, item: Item, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
        for number in range(6):
            rule(ask(item, case, f"Number {number}?"), case)
        other = self.another(case)
        with django_assert_num_queries(1):
            rulings.at_fields(other, seen_by=case.reviewer)
