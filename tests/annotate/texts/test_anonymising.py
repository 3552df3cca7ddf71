from hypothesis import given

from annotate.texts.anonymising import PLACEHOLDERS, Anonymiser
from annotate.texts.personal_data import KINDS, personal_data
from tests.annotate.texts.writing import any_texts

TEXT = "Write to a.b@corp.de or c.d@corp.de, call 13812345678; a.b@corp.de is better."


def test_every_kind_has_a_placeholder_of_its_own() -> None:
    assert set(PLACEHOLDERS) == set(KINDS)
    assert len(set(PLACEHOLDERS.values())) == len(KINDS)


def test_the_same_value_gets_the_same_placeholder_in_all_texts() -> None:
    writer = Anonymiser(KINDS)
    assert writer.replaced(TEXT) == "Write to [EMAIL_1] or [EMAIL_2], call [PHONE_1]; [EMAIL_1] is better."
    assert writer.replaced("请联系c.d@corp.de，13912345678") == "请联系[EMAIL_2]，[PHONE_2]"


def test_kinds_and_single_places_can_stay() -> None:
    assert Anonymiser(["phone"]).replaced(TEXT) == TEXT.replace("13812345678", "[PHONE_1]")
    assert Anonymiser(KINDS).replaced(TEXT, stays=[0, 2]) == (
        "Write to a.b@corp.de or [EMAIL_2], call 13812345678; [EMAIL_1] is better."
    )
    assert Anonymiser([]).replaced(TEXT) == TEXT


@given(any_texts)
def test_nothing_is_found_in_what_was_replaced_and_the_rest_stays(text: str) -> None:
    whole = f"{text} a.b@corp.de {text}"
    replaced = Anonymiser(KINDS).replaced(whole)
    known = {whole[one.start : one.end] for one in personal_data(whole)}
    assert not known & {replaced[one.start : one.end] for one in personal_data(replaced)}
    assert len(replaced.split("[EMAIL_1]")) >= 2
