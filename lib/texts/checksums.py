"""Check digits of the numbers that people are known by."""

from datetime import date

_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_RESIDENT_CHECKS = "10X98765432"


def is_luhn(digits: str) -> bool:
    """The check of payment cards (ISO/IEC 7812-1)."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def is_resident_number(number: str) -> bool:
    """An 18-character Chinese resident identity number: a real birth date and its check (GB 11643-1999)."""
    try:
        born = date.fromisoformat(f"{number[6:10]}-{number[10:12]}-{number[12:14]}")
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_RESIDENT_WEIGHTS, number[:17], strict=True))
    return born.year >= 1880 and _RESIDENT_CHECKS[total % 11] == number[17].upper()


def is_iban(number: str) -> bool:
    """An international bank account number without blanks (ISO 13616)."""
    rearranged = number[4:] + number[:4]
    return 15 <= len(number) <= 34 and int("".join(str(int(sign, 36)) for sign in rearranged)) % 97 == 1
