from collections.abc import Iterable

from hypothesis import given

from lib.texts.anonymisation import PLACEHOLDERS, Anonymiser, Personal
from lib.texts.personal_data import KINDS, personal_data
from tests.lib.texts.writing import any_texts

TOLD = "My name is Sarah Miller, sarah.miller@corp.de."
TEXT = "Write to a.b@corp.de or c.d@corp.de, call 13812345678; a.b@corp.de is better."


def writing(kinds: Iterable[str], *texts: str) -> Anonymiser:
    return Anonymiser(list(kinds), Personal(texts))


def test_every_kind_has_a_placeholder_of_its_own() -> None:
    assert set(PLACEHOLDERS) == set(KINDS)
    assert len(set(PLACEHOLDERS.values())) == len(KINDS)


def test_the_same_value_gets_the_same_placeholder_in_all_texts() -> None:
    writer = writing(KINDS, TEXT)
    assert writer.replaced(TEXT) == "Write to [EMAIL_1] or [EMAIL_2], call [PHONE_1]; [EMAIL_1] is better."
    assert writer.replaced("请联系c.d@corp.de，13912345678") == "请联系[EMAIL_2]，[PHONE_2]"


def test_kinds_and_single_places_can_stay() -> None:
    assert writing(["phone"], TEXT).replaced(TEXT) == TEXT.replace("13812345678", "[PHONE_1]")
    assert writing(KINDS, TEXT).replaced(TEXT, stays=[0, 2]) == (
        "Write to a.b@corp.de or [EMAIL_2], call 13812345678; [EMAIL_1] is better."
    )
    assert writing([], TEXT).replaced(TEXT) == TEXT


def test_a_name_gets_one_placeholder_however_long_it_is_written_and_an_address_keeps_its_own() -> None:
    answer = "Hello Sarah! The Millers wait for Sarah Miller."
    writer = writing(KINDS, TOLD, answer)
    assert writer.replaced(TOLD) == "My name is [NAME_1], [EMAIL_1]."
    assert writer.replaced(answer) == "Hello [NAME_1]! The Millers wait for [NAME_1]."
    assert writing(["email"], TOLD).replaced(TOLD) == "My name is Sarah Miller, [EMAIL_1]."


@given(any_texts)
def test_nothing_is_found_in_what_was_replaced_and_the_rest_stays(text: str) -> None:
    whole = f"{text} a.b@corp.de {text}"
    replaced = writing(KINDS, whole).replaced(whole)
    known = {whole[one.start : one.end] for one in personal_data(whole)}
    assert not known & {replaced[one.start : one.end] for one in personal_data(replaced)}
    assert len(replaced.split("[EMAIL_1]")) >= 2
