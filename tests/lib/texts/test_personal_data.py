from itertools import pairwise

import pytest
from hypothesis import given

from lib.texts.personal_data import Kind, PersonalDatum, personal_data
from tests.lib.texts.writing import any_texts


@pytest.mark.parametrize(
    ("written", "kind", "shown"),
    [
        ("bob.smith+x@mail.corp.de", "email", "b•••@mail.corp.de"),
        ("13812345678", "phone", "138•••78"),
        ("138 1234 5678", "phone", "138•••78"),
        ("138-1234-5678", "phone", "138•••78"),
        ("+86 138 1234 5678", "phone", "+86•••78"),
        ("+8613812345678", "phone", "+86•••78"),
        ("+49 170 1234567", "phone", "+49•••67"),
        ("+1 (415) 555-2671", "phone", "+1 •••71"),
        ("+447438423801", "phone", "+44•••01"),
        ("0049 89 1234567", "phone", "004•••67"),
        ("(983) 453-5879", "phone", "(98•••79"),
        ("983-453-5879", "phone", "983•••79"),
        ("4111 1111 1111 1111", "card", "411•••11"),
        ("4242424242424242", "card", "424•••42"),
        ("5555-5555-5555-4444", "card", "555•••44"),
        ("3782 822463 10005", "card", "378•••05"),
        ("11010519491231002X", "id_number", "110•••2X"),
        ("DE89 3704 0044 0532 0130 00", "iban", "DE8•••00"),
        ("GB82WEST12345698765432", "iban", "GB8•••32"),
        ("010-62345678", "phone", "010•••78"),
        ("536-22-8145", "id_number", "536•••45"),
        ("52.14.8.201", "ip", "52•••"),
        ("2607:f8b0:4005:805::200e", "ip", "2607•••"),
        ("sk-proj-abcdefghij9876543210ABCD", "secret", "sk-p•••"),
        ("ghp_" + "aB3" * 12, "secret", "ghp_•••"),
        ("AKIAQWERTYU2OPASDFGH", "secret", "AKIA•••"),
        ("https://files.corp.de/a?x=1&access_token=9f8e7d6c", "link", "files.corp.de/•••"),
        ("https://me:pa55word@corp.de/x", "link", "corp.de/•••"),
    ],
)
@pytest.mark.parametrize("frame", ["{}", "Reach me: {}.", "请联系{}，谢谢", '{{"contact": "{}"}}', "a\n{}\nb", "({})"])
def test_personal_data_is_found_where_it_stands(written: str, kind: Kind, shown: str, frame: str) -> None:
    text = frame.format(written)
    start = text.index(written)
    assert personal_data(text) == [PersonalDatum(kind, start, start + len(written), shown)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no data here",
        "1000000000",
        "15000000000",
        "123456789012345678",
        "3.14159265358979",
        "0.4242424242424242",
        "4,242,424,242,424,242",
        "192.168.100.200",
        "2024-01-02 10:11:12",
        "x = 13812345678 * 2",
        "13812345678+1",
        "5 +12345678",
        "(a) +12345678",
        "+1000000000",
        "1 2 3 4 5 6 7 8 9 10 11 12",
        "4242424242424241",
        "110105194912310021",
        "DE89 3704 0044 0532 0130 01",
        "00123456789",
        "555-555-5555",
        "a13812345678",
        "138123456789",
        "2**70 = 1180591620717411303424",
        "@app.route('/') and @dataclass",
        "someone@example.com, x@test.invalid",
        "git@github.com:a/b.git",
        "https://a.example/p/13812345678",
        "version 52.14.8.201",
        "2.3.1.1 Confirmatory analysis",
        "https://host.corp.de/verify?secret=$secretKey and f'https://host.corp.de/?key={API_KEY}'",
        "dialect+driver://username:password@host:5432/name",
        "127.0.0.1, 10.0.0.8, 8.8.8.8, 203.0.113.9 and 999.1.1.1",
        "std::vector and 2001:db8::1 at 10:11:12:13",
        "https://a.example/search?q=key&page=2",
        "api_key = os.environ['API_KEY']",
        "token=YOUR_API_KEY_9 and password: ********",
        "password = getpass()",
        "sk-short and eyJ",
        "000-22-8145, 536-00-8145, 936-22-8145",
    ],
)
def test_numbers_and_signs_that_belong_to_nobody_raise_no_alarm(text: str) -> None:
    assert personal_data(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("password: hunter2Xy9, thanks", "hunter2Xy9"),
        ("API key = 'q8Zr4tLm2'", "q8Zr4tLm2"),
        ("密码是Qw98erTy。", "Qw98erTy"),
        ("my access token is 9f8e7d6c5b.", "9f8e7d6c5b"),
    ],
)
def test_of_a_named_key_only_its_value_is_found(text: str, value: str) -> None:
    (found,) = personal_data(text)
    assert (found.kind, text[found.start : found.end]) == ("secret", value)


def test_what_stands_inside_a_link_is_found_once() -> None:
    (found,) = personal_data("https://corp.de/?mail=a.b@corp.de&token=13812345678")
    assert found.kind == "link"


def test_findings_come_in_order_and_do_not_overlap() -> None:
    text = "13812345678, a.b@corp.de, 11010519491231002X, 4242424242424242"
    found = personal_data(text)
    assert [finding.kind for finding in found] == ["phone", "email", "id_number", "card"]
    assert all(left.end <= right.start for left, right in pairwise(found))


@given(any_texts)
def test_what_is_found_lies_in_the_text_and_is_not_shown_whole(text: str) -> None:
    whole = f"{text}\n13812345678\n{text}"
    found = personal_data(whole)
    assert any(finding.shown == "138•••78" for finding in found)
    for finding in found:
        assert 0 <= finding.start < finding.end <= len(whole)
        assert whole[finding.start : finding.end] not in finding.shown


@pytest.mark.parametrize(
    "text",
    [
        "http://" + "a:" * 50_000,
        "key=" * 50_000,
        "eyJ" * 60_000,
        "1.2." * 50_000,
        "2a:" * 60_000,
        "1 " * 100_000,
        "4" * 200_000,
        "a@" * 100_000,
        "DE89 3704 " * 20_000,
        "+1 2 " * 50_000,
    ],
)
def test_long_runs_are_read_to_their_end(text: str) -> None:
    assert personal_data(text) == []
    assert [finding.kind for finding in personal_data(f"{text}\nb@corp.de")] == ["email"]


def test_a_list_of_addresses_and_numbers_is_found_whole() -> None:
    assert len(personal_data("13812345678, +49 170 1234567, a@corp.de\n" * 5_000)) == 15_000
