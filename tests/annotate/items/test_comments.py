import pytest

from annotate.errors import Refused
from annotate.items import comments
from annotate.models import Comment, Item, Notification
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def item(case: Case) -> Item:
    return case.item()


@pytest.fixture
def thread(case: Case, item: Item) -> Comment:
    return comments.start(item=item, by=case.reviewer, text="Too harsh.", field="feedback")


def test_a_thread_is_pinned_to_its_field_and_round(case: Case, item: Item, thread: Comment) -> None:
    assert (thread.field, thread.round, thread.parent) == ("feedback", 1, None)
    assert comments.threads(item, "feedback", seen_by=case.lead) == [thread]
    assert comments.threads(item, "checklist", seen_by=case.lead) == []


def test_open_threads_come_before_resolved_ones(case: Case, item: Item, thread: Comment) -> None:
    later = comments.start(item=item, by=case.reviewer, text="And this.")
    comments.resolve(thread=thread, by=case.reviewer)
    assert comments.threads(item, seen_by=case.lead) == [later, thread]


def test_threads_carry_their_answers_in_order(case: Case, item: Item, thread: Comment) -> None:
    first = comments.answer(thread=thread, by=case.annotator, answer="fixed")
    second = comments.answer(thread=thread, by=case.reviewer, text="Thank you.")
    assert comments.threads(item, seen_by=case.lead)[0].replies == [first, second]


def test_threads_take_two_queries(case: Case, item: Item, django_assert_num_queries) -> None:
    for number in range(5):
        thread = comments.start(item=item, by=case.reviewer, text=str(number))
        comments.answer(thread=thread, by=case.annotator, text="Yes.")
    with django_assert_num_queries(2):
        assert [str(reply.author) for thread in comments.threads(item, seen_by=case.lead) for reply in thread.replies]


def test_fixed_needs_no_words(case: Case, thread: Comment) -> None:
    assert comments.answer(thread=thread, by=case.annotator, answer="fixed").text == ""


@pytest.mark.parametrize(("kind", "message"), [("disagree", "why you disagree"), ("", "Write your answer")])
def test_other_answers_say_something(case: Case, thread: Comment, kind: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        comments.answer(thread=thread, by=case.annotator, text=" \n", answer=kind)
    assert Comment.objects.count() == 1


def test_an_empty_comment_is_refused(case: Case, item: Item) -> None:
    with pytest.raises(Refused):
        comments.start(item=item, by=case.reviewer, text="  ")


def test_everybody_in_the_thread_hears_of_an_answer_but_its_writer(case: Case, thread: Comment) -> None:
    comments.answer(thread=thread, by=case.annotator, text="Which part?")
    Notification.objects.all().delete()
    comments.answer(thread=thread, by=case.lead, text="The first sentence.")
    told = Notification.objects.order_by("user")
    assert {note.user for note in told} == {case.annotator, case.reviewer}
    assert {(note.verb, note.note) for note in told} == {("answered", "The first sentence.")}


def test_somebody_who_left_hears_nothing(case: Case, thread: Comment) -> None:
    case.member(case.reviewer).delete()
    comments.answer(thread=thread, by=case.annotator, answer="fixed")
    assert not Notification.objects.exists()


def test_a_resolved_thread_takes_no_answers_until_it_is_reopened(case: Case, thread: Comment) -> None:
    comments.resolve(thread=thread, by=case.reviewer)
    thread.refresh_from_db()
    with pytest.raises(Refused, match="Reopen"):
        comments.answer(thread=thread, by=case.annotator, text="But…")
    comments.reopen(thread=thread)
    thread.refresh_from_db()
    assert comments.answer(thread=thread, by=case.annotator, text="But…").parent == thread


def test_only_the_first_to_resolve_counts(case: Case, thread: Comment) -> None:
    assert comments.resolve(thread=thread, by=case.reviewer)
    assert not comments.resolve(thread=thread, by=case.lead)
    thread.refresh_from_db()
    assert thread.resolved_by == case.reviewer
    assert comments.reopen(thread=thread)
    assert not comments.reopen(thread=thread)


def test_an_answer_is_never_resolved_by_itself(case: Case, thread: Comment) -> None:
    reply = comments.answer(thread=thread, by=case.annotator, answer="fixed")
    assert not comments.resolve(thread=reply, by=case.reviewer)
