from decimal import Decimal

import pytest
from django.utils.translation import override

from annotate.web.number_formats import money, rounded, whole


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_numbers_have_groups_of_three_digits_in_both_languages(language: str) -> None:
    with override(language):
        assert whole(1000) == "1,000"
        assert whole(12345678) == "12,345,678"
        assert rounded(12345.678, 1) == "12,345.7"
        assert money(Decimal(1234567)) == "$1,234,567.00"
