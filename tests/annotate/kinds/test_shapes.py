"""Faults in rows, in words."""

from typing import Literal

import pytest
from pydantic import BaseModel, ValidationError

from annotate.kinds.shapes import fault_in_words


class Row(BaseModel):
    group: Literal["true or false", "it's", "open"]


def test_allowed_values_are_listed_without_a_word_of_any_language() -> None:
    with pytest.raises(ValidationError) as wrong:
        Row(group="closed")  # type: ignore[arg-type]
    message = fault_in_words(wrong.value.errors()[0])  # type: ignore[arg-type]
    assert message == "is “closed”; allowed: 'true or false', \"it's\", 'open'."
