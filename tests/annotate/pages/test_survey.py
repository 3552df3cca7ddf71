"""The pages of a survey: for the public without an account, and for its leads."""

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.models import Item, Member, Participant, RateCounter, ReportedCase, Slot, Survey
from annotate.survey import answers
from annotate.survey.survey_questions import survey_questions
from tests.support.people import make_member, make_project
from tests.support.surveys import ANSWERS, case, filled, open_survey, participant_of, sent, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return open_survey()


@pytest.fixture
def public() -> Client:
    return Client()


# --- beginning ------------------------------------------------------------------------------------------------------
def test_who_agrees_gets_a_link_of_which_only_the_hash_is_kept(survey: Survey, public: Client) -> None:
    own = start(survey, public)
    token = own.split("/")[-2]
    stored = Participant.objects.get()
    assert len(token) == 32
    assert token not in json.dumps([str(value) for value in vars(stored).values()])
    page = public.get(own)
    assert (page.status_code, page.headers["X-Robots-Tag"]) == (200, "noindex, nofollow")
    assert token in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]


def test_whoever_was_too_quick_has_agreed_all_the_same(survey: Survey, public: Client) -> None:
    answer = public.post(
        f"/survey/{survey.project.slug}/", {"proof": answers.proof(survey.project.slug), "consent": "1"}
    )
    assert answer.status_code == 422
    assert 'name="consent" value="1" checked' in answer.content.decode()


@pytest.mark.parametrize(
    "changes", [{"consent": ""}, {answers.TRAP: "http://x.example"}, {"proof": ""}, {"proof": "a:1:b"}]
)
def test_robots_and_who_does_not_agree_do_not_begin(survey: Survey, changes: dict[str, str]) -> None:
    assert start(survey, **changes) == ""
    assert not Participant.objects.exists()


def test_a_form_that_was_just_made_or_made_for_another_survey_is_refused(survey: Survey, public: Client) -> None:
    address = f"/survey/{survey.project.slug}/"
    for proof in (answers.proof(survey.project.slug), answers.proof("another")):
        assert public.post(address, {"proof": proof, "consent": "1"}).status_code == 422


def test_so_many_begin_from_one_address_in_an_hour(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "NEW_AN_HOUR", 2)
    assert [bool(start(survey)) for _again in range(3)] == [True, True, False]


def test_behind_a_proxy_each_address_counts_for_itself(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(answers, "NEW_AN_HOUR", 1)
    addresses = ["192.0.2.1", "192.0.2.2", "9.9.9.9, 192.0.2.1"]
    begun = [bool(start(survey, Client(headers={"x-forwarded-for": one}))) for one in addresses]
    assert begun == [True, False, False]  # nobody is believed where no proxy is trusted
    RateCounter.objects.all().delete()
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    begun = [bool(start(survey, Client(headers={"x-forwarded-for": one}))) for one in addresses]
    assert begun == [True, True, False]


def test_a_closed_survey_is_not_begun_but_gone_on_with(survey: Survey, public: Client) -> None:
    own = start(survey, public)
    Survey.objects.update(opened_at=None)
    assert start(survey) == ""
    assert public.get(own).status_code == 200


def test_links_of_nobody_and_of_other_projects_are_no_pages(survey: Survey, public: Client) -> None:
    own, other = start(survey), open_survey()
    token = own.split("/")[-2]
    unknown = token[:-1] + ("y" if token.endswith("x") else "x")
    assert public.get(f"/survey/{survey.project.slug}/{unknown}/").status_code == 404
    assert public.get(f"/survey/{other.project.slug}/{token}/").status_code == 404
    assert public.get(f"/survey/{make_project().slug}/").status_code == 404


# --- cases ----------------------------------------------------------------------------------------------------------
def test_a_case_is_saved_changed_and_removed(survey: Survey, public: Client) -> None:
    own = start(survey, public)
    assert public.post(f"{own}cases/0/", case(1)).status_code == 302
    saved = ReportedCase.objects.get()
    assert saved.turns == [
        {"role": "user", "content": "Wherefore quokka1 zyxtal?"},
        {"role": "assistant", "content": "Therefore frobnia1."},
    ]
    assert "quokka1" in public.get(f"{own}cases/1/").content.decode()
    assert public.post(f"{own}cases/1/", case(1, intent="", own_intent=" To  marvel ")).status_code == 302
    assert (ReportedCase.objects.get().intent, ReportedCase.objects.get().pk) == ("To marvel", saved.pk)
    assert public.post(f"{own}cases/1/remove/").status_code == 302
    assert not ReportedCase.objects.exists()


def test_removing_a_case_asks_first(survey: Survey, public: Client) -> None:
    own = filled(survey)
    page = public.get(own).content.decode()
    assert f'href="{own}cases/2/remove/"' in page
    assert f'action="{own}cases/2/remove/"' not in page
    question = public.get(f"{own}cases/2/remove/").content.decode()
    assert "Remove case 2?" in question
    assert "quokka2" in question
    assert f'action="{own}cases/2/remove/"' in question
    assert ReportedCase.objects.count() == 5
    assert public.get(f"{own}cases/9/remove/").status_code == 404
    public.post(f"{own}cases/2/remove/")
    assert not ReportedCase.objects.filter(no=2).exists()


def test_that_the_link_is_shown_once_is_said_once(survey: Survey, public: Client) -> None:
    own = start(survey, public)
    words = "If you lose it, we can&#x27;t recover it."
    assert words in public.get(own).content.decode()
    assert words not in public.get(own).content.decode()
    assert words not in Client().get(own).content.decode()


def test_how_many_cases_are_needed_is_said_before_the_consent(public: Client) -> None:
    survey = open_survey(least=4, most=7, notice={"en": "We gather."})
    page = public.get(f"/survey/{survey.project.slug}/").content.decode()
    assert "Report at least 4 and at most 7 cases" in page
    assert page.index("at least 4") < page.index('name="consent"')


def test_what_was_not_answered_is_not_never_used(survey: Survey, public: Client) -> None:
    own = start(survey, public)
    page = public.get(f"{own}answers/").content.decode()
    first = re.search(r'<select name="satisfaction_0".*?</select>', page, re.S)
    assert first is not None
    assert re.findall(r'<option value="([^"]*)"', first[0]) == ["", "never", "1", "2", "3", "4", "5"]
    assert re.search(r'<option value="" selected>no answer', first[0])
    assert page.count("How satisfied are you in general?") == 1
    public.post(f"{own}answers/", ANSWERS | {"satisfaction_1": "never", "satisfaction_2": ""})
    answers = participant_of(own).answers
    names = [name for name, _shown in survey_questions(survey).intents]
    assert answers["satisfaction"] == {names[0]: 4}
    assert answers["never_used"] == [names[1]]
    again = public.get(f"{own}answers/").content.decode()
    shown = [re.search(rf'name="satisfaction_{n}".*?value="([^"]*)" selected', again, re.S) for n in range(3)]
    assert [found and found[1] for found in shown] == ["4", "never", ""]


def test_what_is_required_is_said_before_the_consent(survey: Survey, public: Client) -> None:
    page = public.get(f"/survey/{survey.project.slug}/").content.decode()
    required = page.partition('id="requirements"')[2].partition("</section>")[0]
    assert page.index('id="requirements"') < page.index('name="consent"')
    for words in ("at least 5", "the conversation as text", "No names", "need no answer", "private link"):
        assert words in required


@pytest.mark.parametrize("path", ["cases/0/", "answers/"])
def test_no_control_has_an_answer_before_it_is_given(survey: Survey, public: Client, path: str) -> None:
    page = public.get(start(survey, public) + path).content.decode()
    form = page.partition("<main")[2].partition("</main>")[0]
    assert len(re.findall("<(?:input|select|textarea)", form)) > 5
    assert not re.findall(r"<input[^>]* checked", form)
    assert {match.strip() for match in re.findall(r"<textarea[^>]*>(.*?)</textarea>", form, re.S)} <= {""}
    typed = [tag for tag in re.findall(r"<input[^>]*>", form) if re.search('type="(?:text|number)"', tag)]
    assert not [tag for tag in typed if re.search('value="[^"]', tag)]
    for select in re.findall(r"<select.*?</select>", form, re.S):
        first, *rest = re.findall(r"<option[^>]*>", select)
        assert 'value=""' in first
        assert not [option for option in rest if "selected" in option]


def test_a_file_of_a_chat_service_is_read(survey: Survey, public: Client) -> None:
    own = start(survey, public)
    turns = [{"role": "user", "content": "From a file?"}, {"role": "assistant", "content": "Yes."}]
    file = SimpleUploadedFile("chat.json", json.dumps({"messages": turns}).encode())
    assert public.post(f"{own}cases/0/", case(1, conversation="", file=file)).status_code == 302
    assert ReportedCase.objects.get().turns == turns


@pytest.mark.parametrize(
    "changes",
    [
        {"conversation": ""},
        {"conversation": "Assistant:"},
        {"intent": ""},
        {"intent": "Sleep"},
        {"difficulty": "6"},
        {"satisfaction": ""},
        {"service": ""},
        {"file": SimpleUploadedFile("chat.json", b"{}")},
    ],
)
def test_a_bad_case_is_told_and_not_kept(survey: Survey, public: Client, changes: dict[str, Any]) -> None:
    answer = public.post(f"{start(survey, public)}cases/0/", case(1, **changes))
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert not ReportedCase.objects.exists()


def test_neither_of_two_fields_of_which_one_is_needed_is_called_optional(survey: Survey, public: Client) -> None:
    page = public.get(f"{start(survey, public)}cases/0/").content.decode()
    optional = [label for label in page.split("<label ")[1:] if "optional" in label.split("</label>")[0]]
    assert [one.split('"')[1] for one in optional] == ["id_file", "id_own_intent"]


def test_there_are_only_so_many_cases(public: Client) -> None:
    own = start(open_survey(least=1, most=1), public)
    public.post(f"{own}cases/0/", case(1))
    assert public.get(f"{own}cases/0/").status_code == 404


# --- sending --------------------------------------------------------------------------------------------------------
def test_sending_makes_an_item_of_each_case_that_says_nothing_of_its_reporter(survey: Survey) -> None:
    them = sent(survey)
    items = Item.objects.order_by("pk")
    assert (them.state, items.count(), Slot.objects.open().count()) == ("sent", 5, 5)
    assert items[0].facts["question"] == "Wherefore quokka1 zyxtal?"
    assert (items[0].group, items[0].state) == ("Leisure", "ready")
    facts = items[0].facts
    assert (facts["service"], facts["difficulty"], facts["satisfaction"]) == ("Sorbot1", 2, 5)
    assert "25–34" not in json.dumps(list(items.values("key", "title", "facts")))


def test_what_is_missing_is_told_and_nothing_sent(survey: Survey, public: Client) -> None:
    own = filled(survey, cases=4)
    public.post(f"{own}cases/0/", case(2))
    answer = public.post(f"{own}send/")
    assert answer.status_code == 422
    assert "Cases 2 and 5 ask the same" in answer.content.decode()
    assert not Item.objects.exists()


def test_two_cases_that_differ_in_capitals_and_signs_alone_ask_the_same(public: Client) -> None:
    own = start(open_survey(least=2), public)
    for n, text in enumerate(("Why is the sky blue, really?", "why is the sky blue – really")):
        public.post(f"{own}cases/0/", case(n, conversation=f"User: {text}\nAssistant: {n}."))
    page = public.get(own).content.decode()
    assert "Cases 1 and 2 ask the same: remove one." in page


def test_a_name_that_somebody_gives_is_shown_before(survey: Survey, public: Client) -> None:
    own = filled(survey, cases=4)
    public.post(f"{own}cases/0/", case(5, conversation="User: 我叫王小明，mihi placet?\nAssistant: 小明你好"))
    page = public.get(f"{own}send/").content.decode()
    assert "a person&#x27;s name (王•••)" in page
    assert public.post(f"{own}send/").status_code == 422


def test_what_looks_like_personal_data_is_shown_before(survey: Survey, public: Client) -> None:
    own = filled(survey)
    public.post(f"{own}cases/1/", case(1, conversation="User: Write to jane.roe@mail-server.org!"))
    page = public.get(f"{own}send/").content.decode()
    assert "j•••@mail-server.org" in page
    assert public.post(f"{own}send/").status_code == 422
    assert not Item.objects.exists()
    assert public.post(f"{own}send/", {"read": "1"}).status_code == 302
    assert Item.objects.count() == 5


def test_everything_is_shown_before_it_is_sent(survey: Survey, public: Client) -> None:
    page = public.get(f"{filled(survey)}send/").content.decode()
    assert "You are about to submit 5 cases with your answers." in page
    main = page.partition("<main")[2]
    for words in ("Wherefore quokka3 zyxtal?", "Sorbot3", "Leisure", "25–34", "every day", "Rarely", "no answer"):
        assert words in main
    assert not Item.objects.exists()


def test_a_participant_keeps_a_copy_of_what_they_sent(survey: Survey, public: Client) -> None:
    own = filled(survey)
    assert "Not submitted yet" in public.get(f"{own}copy.txt").content.decode()
    public.post(f"{own}send/")
    page = public.get(own).content.decode()
    assert "What you submitted" in page
    assert f'href="{own}copy.txt"' in page
    answer = public.get(f"{own}copy.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    text = answer.content.decode()
    assert "User: Wherefore quokka5 zyxtal?\n\nAssistant: Therefore frobnia5." in text
    assert "Which assistant was it?\n  Sorbot5\n" in text
    assert "Age group\n  25–34\n" in text
    assert "Submitted: 20" in text
    assert own.split("/")[-2] not in text


def test_nothing_is_left_to_copy_after_a_withdrawal(survey: Survey, public: Client) -> None:
    own = filled(survey)
    public.post(f"{own}withdraw/")
    assert public.get(f"{own}copy.txt").headers["Location"] == own


def test_whoever_fails_the_check_question_is_set_aside_whole_and_leads_see_it(survey: Survey) -> None:
    them = sent(survey, anchor="1")
    assert (them.state, Item.objects.count(), them.cases.count()) == ("aside", 0, 5)
    lead = Client()
    lead.force_login(make_member(survey.project, "lead").user)
    page = lead.get(f"/p/{survey.project.slug}/survey/").content.decode()
    assert "Excluded (failed attention check)" in page


def test_nothing_is_changed_or_sent_twice(survey: Survey, public: Client) -> None:
    own = filled(survey)
    public.post(f"{own}send/")
    for address, posted in (("send/", {}), ("cases/1/", case(9)), ("cases/1/remove/", {}), ("answers/", ANSWERS)):
        assert public.post(own + address, posted).headers["Location"] == own
    assert (Item.objects.count(), ReportedCase.objects.filter(service="Sorbot9").count()) == (5, 0)


def test_withdrawing_asks_first(survey: Survey, public: Client) -> None:
    own = filled(survey)
    assert "Withdraw my data?" in public.get(f"{own}withdraw/").content.decode()
    assert participant_of(own).state == "begun"
    public.post(f"{own}withdraw/")
    assert (participant_of(own).state, participant_of(own).answers) == ("withdrawn", {})
    assert "Sorbot" not in public.get(own).content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_pages_and_questions_speak_the_readers_language(public: Client, language: str) -> None:
    survey = open_survey(notice={"en": "We gather.", "zh": "我们收集。"})
    page = public.get(f"/survey/{survey.project.slug}/", headers={"accept-language": language}).content.decode()
    assert f'<html lang="{language}"' in page
    assert ("我们收集。" in page, "We gather." in page) == (language == "zh-hans", language == "en")


# --- leads ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def lead(survey: Survey) -> Client:
    client = Client()
    client.force_login(make_member(survey.project, "lead").user)
    return client


def _questions(**changes: Any) -> dict[str, Any]:
    return {"least": "1", "most": "3", "expected": "1", "about": ["age"], "choices": "Yes | 是\nNo | 否"} | changes


def test_questions_are_data_and_previewed(survey: Survey, lead: Client) -> None:
    address = f"/p/{survey.project.slug}/survey/"
    assert lead.post(address, _questions(title_zh="问卷", intents="Gardening", services="Sorbot")).status_code == 302
    page = lead.get(f"{address}preview/", headers={"accept-language": "zh-hans"}).content.decode()
    assert all(word in page for word in ("问卷", "Gardening", "Sorbot", "是"))
    assert "jobs" not in page


@pytest.mark.parametrize("changes", [{"least": "4"}, {"expected": "3"}, {"most": "99"}, {"about": ["name"]}])
def test_questions_that_cannot_be_asked_are_refused(survey: Survey, lead: Client, changes: dict[str, Any]) -> None:
    assert lead.post(f"/p/{survey.project.slug}/survey/", _questions(**changes)).status_code == 422
    assert Survey.objects.get().questions == {}


def test_it_is_opened_and_closed(survey: Survey, lead: Client) -> None:
    for wanted in ("0", "1"):
        lead.post(f"/p/{survey.project.slug}/survey/switch/", {"open": wanted})
        assert Survey.objects.get().is_open == (wanted == "1")


def test_a_survey_of_a_former_lead_takes_nobody_new_until_another_opens_it(survey: Survey, lead: Client) -> None:
    own = start(survey)
    Member.objects.filter(user=survey.created_by).delete()
    assert start(survey) == ""
    assert Client().post(f"{own}cases/0/", case(1)).status_code == 302  # who has begun goes on
    page = lead.get(f"/p/{survey.project.slug}/survey/").content.decode()
    assert "No longer valid" in page
    assert "Nobody can start the survey until you reopen it." in page
    lead.post(f"/p/{survey.project.slug}/survey/switch/", {"open": "1"})
    assert start(survey) != ""
    assert "No longer valid" not in lead.get(f"/p/{survey.project.slug}/survey/").content.decode()


def test_answers_are_exported_without_conversations_and_without_the_withdrawn(survey: Survey, lead: Client) -> None:
    sent(survey)
    own = filled(survey, first=11)
    Client().post(f"{own}withdraw/")
    answer = lead.get(f"/p/{survey.project.slug}/survey/answers/")
    rows = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]  # type: ignore[attr-defined]
    assert [(row["state"], row["age"], len(row["cases"])) for row in rows] == [("sent", "25–34", 5)]
    assert rows[0]["satisfaction"] == {"Factual_QA": 4}
    assert "quokka" not in json.dumps(rows)


def test_strangers_and_others_do_not_lead_it(survey: Survey) -> None:
    for role, status in (("annotator", 403), ("viewer", 403)):
        client = Client()
        client.force_login(make_member(survey.project, role).user)
        for end in ("", "preview/", "answers/"):
            assert client.get(f"/p/{survey.project.slug}/survey/{end}").status_code == status
    stranger = Client()
    stranger.force_login(make_member(make_project(), "lead").user)
    assert stranger.get(f"/p/{survey.project.slug}/survey/").status_code == 404
