"""The public votes of LLMFAO: many people, and GPT-4, on the same pairs of answers.

A file with the column `worker` holds people's votes, one without it GPT-4's. The files hold no texts: an item says
which prompt it is about. Source of the shape: the repository dustalov/llmfao.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.rows import Row
from judging.formats.base import Voted
from judging.formats.battles import sides, who_said
from judging.formats.fields import Bad, VoteFormat, value_of

JUDGE = "gpt-4"


class LlmFao(VoteFormat):
    slug = "llmfao"
    name = gettext_lazy("LLMFAO: votes of the crowd, and of GPT-4, on pairs of models")
    tables = True

    def voted(self, row: Row, options: Mapping[str, str]) -> Voted:
        value = row.value
        pair, prompt = _number(value, "id"), _number(value, "prompt")
        who = (f"worker {_number(value, 'worker')}", False) if "worker" in value else (JUDGE, True)
        votes, said = who_said(value, who)
        return Voted(
            line=row.line,
            key=f"llmfao-{pair:04}",
            facts={
                "prompt": f"Prompt {prompt} of LLMFAO: the file of votes holds no texts.",
                "first": "",
                "second": "",
            },
            sides=sides(value, ["", ""]),
            group=f"prompt {prompt}",
            votes=votes,
            said=said,
        )


def _number(value: Mapping[str, Any], column: str) -> int:
    """A whole number from 0, in a table as text."""
    found = value_of(value, column)
    text = str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise Bad(column, _("must be a whole number from 0."))
    return int(text)


FORMAT = LlmFao()
