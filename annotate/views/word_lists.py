import re
from collections.abc import Sequence
from typing import Any

from django import forms


class WordsField(forms.CharField):
    """A list of words in one line, parted by commas; repeated ones are taken once."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, Sequence) and not isinstance(value, str) else value

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # a CharField that reads a list
        words = (word.strip() for word in re.split(r"[,;，；\n]", super().to_python(value) or ""))
        return list(dict.fromkeys(word for word in words if word))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)
