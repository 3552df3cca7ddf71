"""How numbers and amounts of money are written on pages and in messages, in the reader's language."""

from decimal import Decimal

from django.utils.formats import number_format


def whole(number: int | None) -> str:
    """A whole number with its thousands set apart."""
    return "" if number is None else number_format(number, use_l10n=True, force_grouping=True)


def rounded(number: float | Decimal, decimals: int) -> str:
    """As people write it; Django's own would cut off what it does not show."""
    return number_format(f"{number:.{decimals}f}", decimals, use_l10n=True, force_grouping=True)


def money(usd: Decimal | None) -> str:
    """An amount in dollars: cents above ten cents, finer below."""
    if usd is None:
        return "–"
    if usd and abs(usd) < Decimal("0.0001"):
        return "< $0.0001"
    decimals = 2 if abs(usd) >= Decimal("0.1") or not usd else 4
    return f"${rounded(usd, decimals)}"
