import pytest

from lib.texts.personal_data import is_iban, is_luhn, is_resident_number


@pytest.mark.parametrize("digits", ["79927398713", "4111111111111111", "378282246310005"])
def test_luhn_accepts_published_examples_and_no_neighbour(digits: str) -> None:
    assert is_luhn(digits)
    wrong = str((int(digits[-1]) + 1) % 10)
    assert not is_luhn(digits[:-1] + wrong)


def test_luhn_notices_swapped_digits() -> None:
    assert not is_luhn("79927397813")


def test_a_resident_number_needs_a_real_birth_date_and_its_check() -> None:
    # 1·7+1·9+0·10+1·5+0·8+5·4+1·2+9·1+4·6+9·3+1·7+2·9+3·10+1·5+0·8+0·4+2·2 = 167; 167 mod 11 = 2, whose check is X
    assert is_resident_number("11010519491231002X")
    assert is_resident_number("11010519491231002x")
    assert not is_resident_number("110105194912310021")
    assert not is_resident_number("11010519491331002X")
    assert not is_resident_number("11010500001231002X")


@pytest.mark.parametrize("number", ["DE89370400440532013000", "GB82WEST12345698765432", "NO9386011117947"])
def test_an_iban_has_remainder_one(number: str) -> None:
    assert is_iban(number)
    assert not is_iban(number[:-1] + str((int(number[-1]) + 1) % 10))


def test_an_iban_has_a_length() -> None:
    assert not is_iban("NO938601111")
