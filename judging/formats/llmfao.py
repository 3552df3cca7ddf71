"""The public votes of LLMFAO: many people, and two judges, on the same pairs of answers.

A file with the column `worker` holds people's votes, one without it the votes of a judge. The judge is named by the
column `judge`, else by the option, else by the published name of the file. The files hold no texts: an item says which
prompt it is about. Source of the shape: the repository dustalov/llmfao.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.format import Option
from annotate.formats.rows import ImportRow, Problem
from judging.formats.fields import MOST_AUTHOR, VoteFormat, name_of, sides, value_of, vote_or_statement
from judging.formats.format import BadJudgementValue, Voted
from lib.texts.stored_sentences import say as _

JUDGES = {"gpt4-": "gpt-4", "gpt3-": "gpt-3.5-turbo-instruct"}  # part of a published file's name -> judge


class LlmFao(VoteFormat):
    slug = "llmfao"
    name = gettext_lazy("LLMFAO: votes of the crowd, and of GPT-4, on pairs of models")
    tables = True
    options = (Option("judge", gettext_lazy("Judge of a file without workers"), (), ""),)

    def read(self, path: Path, *, name: str, options: Mapping[str, str] | None = None) -> Iterator[Voted | Problem]:
        complete_options = self.complete(options or {})
        return self._stream(path, name, {"judge": complete_options["judge"] or _judge_of(name)})

    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        value = row.value
        pair, prompt = _number(value, "id"), _number(value, "prompt")
        votes, verdicts = vote_or_statement(value, _who(value, options["judge"]))
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
            said=verdicts,
        )


def _judge_of(file_name: str) -> str:
    """The judge by the file's name; empty if the name says nothing."""
    name = Path(file_name).name.lower()
    return next((judge for part, judge in JUDGES.items() if part in name), "")


def _who(value: Mapping[str, Any], judge: str) -> tuple[str, bool]:
    """The name, and whether it is a judge. Raises BadJudgementValue if nothing says whose verdict it is."""
    if "worker" in value:
        return f"worker {_number(value, 'worker')}", False
    if value.get("judge"):
        return name_of(value, "judge", MOST_AUTHOR), True
    if not judge:
        raise BadJudgementValue(
            "judge",
            _(
                "The file does not name the judge of these verdicts. Enter the judge in the form, use "
                "--option judge=NAME, or add a column `judge`."
            ),
        )
    return judge, True


def _number(value: Mapping[str, Any], column: str) -> int:
    """A whole number from 0; in tables it is a text."""
    number = value_of(value, column)
    text = str(number) if isinstance(number, str | int) and not isinstance(number, bool) else ""
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise BadJudgementValue(column, _("must be a whole number of 0 or more."))
    return int(text)


FORMAT = LlmFao()
