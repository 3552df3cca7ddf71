import pytest
from django.test import Client
from django.urls import reverse

from annotate.items import comments
from annotate.items.pins import Pin
from annotate.models import Comment, Item, Notification, Project, User
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def item(case: Case) -> Item:
    """One that the annotator has worked on."""
    found = case.item()
    case.written(found)
    return found


@pytest.fixture
def thread(case: Case, item: Item) -> Comment:
    return comments.start(item=item, by=case.reviewer, text="Too harsh.", field="feedback")


def post(client: Client, user: User, name: str, pk: int, headers: dict[str, str] | None = None, **said: str):
    client.force_login(user)
    return client.post(reverse(name, args=["fb", pk]), said, headers=headers)


@pytest.mark.parametrize("role", ["annotator", "reviewer", "lead"])
def test_whoever_works_here_comments_on_a_field(client: Client, case: Case, item: Item, role: str) -> None:
    answer = post(client, getattr(case, role), "comment_add", item.pk, text="Why?", field="feedback")
    assert (answer.status_code, answer.url) == (302, reverse("item", args=["fb", item.pk]) + "#threads")
    made = Comment.objects.get()
    assert (made.text, made.field, made.author) == ("Why?", "feedback", getattr(case, role))


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("stranger", 404)])
def test_others_do_not(client: Client, case: Case, item: Item, thread: Comment, role: str, status: int) -> None:
    for name, pk in (("comment_add", item.pk), ("comment_answer", thread.pk), ("comment_resolve", thread.pk)):
        assert post(client, getattr(case, role), name, pk, text="Why?").status_code == status
    assert Comment.objects.count() == 1


def test_an_annotator_cannot_speak_about_items_they_never_had(client: Client, case: Case) -> None:
    other = case.item("other")
    thread = comments.start(item=other, by=case.reviewer, text="Hm.")
    assert post(client, case.annotator, "comment_add", other.pk, text="Why?").status_code == 404
    assert post(client, case.annotator, "comment_answer", thread.pk, text="Why?").status_code == 404


def test_a_thread_of_another_project_is_not_there(client: Client, case: Case, thread: Comment) -> None:
    other = Project.objects.create(slug="other", name="Other", kind_slug="feedback")
    Item.objects.filter(pk=thread.item_id).update(project=other)
    assert post(client, case.lead, "comment_answer", thread.pk, text="Why?").status_code == 404


def test_the_fragment_comes_alone_with_the_new_comment(client: Client, case: Case, item: Item) -> None:
    answer = post(client, case.reviewer, "comment_add", item.pk, HTMX, text="Why so?")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert text.strip().startswith("<section")
    assert "<html" not in text
    assert "Why so?" in text


@pytest.mark.parametrize("headers", [None, HTMX])
@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"text": "  "}, "Write your comment."),
        ({"text": "Why?", "field": "nonsense"}, "Choose the field"),
        ({"text": "x" * 4001}, "4000"),
        ({"text": "a\x00b"}, "Null characters"),
    ],
)
def test_what_is_refused_is_422_with_the_words_kept(
    client: Client, case: Case, item: Item, headers: dict[str, str] | None, said: dict[str, str], message: str
) -> None:
    answer = post(client, case.reviewer, "comment_add", item.pk, headers, **said)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert message in text
    assert not Comment.objects.exists()
    assert said["text"].strip("\x00") in text or "\x00" in said["text"]


def test_the_author_answers_fixed_and_the_reviewer_hears_of_it(client: Client, case: Case, thread: Comment) -> None:
    assert post(client, case.annotator, "comment_answer", thread.pk, answer="fixed").status_code == 302
    assert thread.answers.get().answer == "fixed"
    told = Notification.objects.get(verb="answered")
    assert (told.user, told.actor, told.note) == (case.reviewer, case.annotator, "Fixed")


def test_a_disagreement_says_why(client: Client, case: Case, thread: Comment) -> None:
    refused = post(client, case.annotator, "comment_answer", thread.pk, HTMX, answer="disagree")
    assert refused.status_code == 422
    assert "Say why you disagree." in refused.content.decode()
    post(client, case.annotator, "comment_answer", thread.pk, answer="disagree", text="The model was harsh first.")
    assert thread.answers.get().text == "The model was harsh first."


def test_an_unknown_answer_is_refused(client: Client, case: Case, thread: Comment) -> None:
    assert post(client, case.annotator, "comment_answer", thread.pk, text="x", answer="maybe").status_code == 422


def test_a_reviewer_resolves_and_reopens(client: Client, case: Case, thread: Comment) -> None:
    post(client, case.lead, "comment_resolve", thread.pk)
    thread.refresh_from_db()
    assert thread.resolved_by == case.lead
    post(client, case.reviewer, "comment_resolve", thread.pk, reopen="1")
    thread.refresh_from_db()
    assert thread.resolved_at is None


def test_an_annotator_resolves_only_their_own_threads(client: Client, case: Case, item: Item, thread: Comment) -> None:
    assert post(client, case.annotator, "comment_resolve", thread.pk).status_code == 403
    own = comments.start(item=item, by=case.annotator, text="Is this right?")
    assert post(client, case.annotator, "comment_resolve", own.pk).status_code == 302


def test_nothing_is_answered_below_an_answer(client: Client, case: Case, thread: Comment) -> None:
    reply = comments.answer(thread=thread, by=case.annotator, text="Which part?")
    assert post(client, case.reviewer, "comment_answer", reply.pk, text="All.").status_code == 404


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_nobody_is_led_away(client: Client, case: Case, item: Item, back: str) -> None:
    answer = post(client, case.lead, "comment_add", item.pk, text="x", back=back)
    assert answer.url == reverse("item", args=["fb", item.pk]) + "#threads"


def test_one_comes_back_to_where_one_was(client: Client, case: Case, item: Item) -> None:
    assert (
        post(client, case.lead, "comment_add", item.pk, text="x", back="/p/fb/work/3/").url == "/p/fb/work/3/#threads"
    )


def test_words_are_shown_and_not_run(client: Client, case: Case, item: Item) -> None:
    answer = post(client, case.lead, "comment_add", item.pk, HTMX, text="<b>one</b>\ntwo")
    assert "&lt;b&gt;one&lt;/b&gt;<br>two" in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "called"),
    [("feedback", "Feedback"), ("checklist[1]", "Checklist, row 2"), ("", ""), ("gone", "gone"), ("x[y]", "x")],
)
def test_a_pin_says_its_place_in_words(path: str, called: str) -> None:
    assert Pin(path).words({"feedback": "Feedback", "checklist": "Checklist"}) == called
