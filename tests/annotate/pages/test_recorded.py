import json

import pytest
from django.apps import apps
from django.test import Client

from annotate.models import ApiToken, Comment, Member, User
from annotate.people.own_record import SECRETS, person_columns, words
from annotate.review import decisions
from tests.support.pages import client_of, html_of, said
from tests.support.reviews import WRITTEN, Case

pytestmark = pytest.mark.django_db
PAGE, FILE = "/mine/record/", "/mine/record/record.json"


def file_of(client: Client) -> dict[str, list[dict[str, object]]]:
    answer = client.get(FILE)
    assert answer.status_code == 200
    return json.loads(b"".join(answer.streaming_content))


def test_every_column_that_names_a_person_is_found_and_has_words() -> None:
    found = {place.name for place in person_columns()}
    named = {
        f"{model._meta.label_lower}.{one.name}"
        for model in apps.get_models()
        for one in model._meta.concrete_fields
        if one.is_relation and one.related_model is User
    }
    assert named <= found
    assert found - set(words()) == set(), "describe these in own_record.WORDS"


def test_the_page_says_in_words_what_there_is(case: Case) -> None:
    case.written(case.item())
    words = said(html_of(client_of(case.annotator), PAGE))
    assert "Texts and decisions you wrote" in words
    assert "Your project memberships" in words
    assert client_of(case.stranger).get(PAGE).status_code == 200


def test_the_file_holds_ones_own_rows_and_nobody_elses(case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    Comment.objects.create(item=review.item, author=case.reviewer, text="Not yours.")
    told = file_of(client_of(case.annotator))
    (text,) = told["annotate.annotation.author"]
    assert text["draft"]["feedback"] == WRITTEN["feedback"]
    assert text["active_seconds"] == 60
    assert {row["author_id"] for row in told["annotate.annotation.author"]} == {case.annotator.pk}
    assert told["annotate.comment.author"] == []
    assert [row["username"] for row in told["annotate.user.id"]] == ["annotator"]


def test_nothing_that_lets_somebody_in_is_given_out(case: Case) -> None:
    case.lead.set_password("a long secret of mine")
    case.lead.save()
    ApiToken.objects.create(project=case.project, name="ci", role="lead", sha256="f" * 64, created_by=case.lead)
    told = file_of(client_of(case.lead))
    (token,) = told["annotate.apitoken.created_by"]
    assert token["name"] == "ci"
    assert not SECRETS & set(token)
    assert "password" not in told["annotate.user.id"][0]
    assert case.lead.password not in json.dumps(told)
    assert "f" * 64 not in json.dumps(told)


def test_the_file_is_whole_however_many_rows_there_are(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.people.own_record.CHUNK", 2)
    for number in range(5):
        case.written(case.item(f"k-{number}"))
    assert len(file_of(client_of(case.annotator))["annotate.annotation.author"]) == 5


def test_the_page_takes_as_many_queries_for_one_text_as_for_many(case: Case, django_assert_max_num_queries) -> None:
    client = client_of(case.annotator)
    html_of(client, PAGE)
    with django_assert_max_num_queries(len(person_columns()) + 5):
        html_of(client, PAGE)
    for number in range(3):
        case.written(case.item(f"k-{number}"))
    with django_assert_max_num_queries(len(person_columns()) + 5):
        html_of(client, PAGE)


def test_it_is_for_oneself_alone(client: Client, case: Case) -> None:
    assert client.get(PAGE).status_code == 302
    assert client.get(FILE).status_code == 302
    Member.objects.filter(user=case.annotator).delete()
    assert file_of(client_of(case.annotator))["annotate.member.user"] == []
