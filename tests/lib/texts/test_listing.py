from django.utils.translation import override

from lib.texts.listing import listed


def test_names_in_a_row_have_the_comma_of_the_language() -> None:
    with override("en"):
        assert listed(["Ada", 2]) == "Ada, 2"
    with override("zh-hans"):
        assert listed(name for name in ("甲", "乙")) == "甲、乙"
    assert listed([]) == ""
