"""A log as a format: what the rules choose of it, as rows of the project's kind without personal data.

It is reached from a page and a command of its own and is offered nowhere else, because it leaves rows out on purpose.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from django.utils.translation import gettext_lazy as _

from annotate.formats.base import Format
from annotate.formats.chatlog import choosing
from annotate.formats.chatlog.comparing import Read, compared
from annotate.formats.chatlog.conversations import Unknown, conversation
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source
from lib.texts.conversations import Unreadable
from lib.texts.said import say


class ChatLog(Format):
    slug = "chatlog"
    name = _("Chat log")
    kinds = frozenset({"feedback", "use_case"})

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        return choosing.read(options).as_options()

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        """A row for each conversation that is kept; lines that hold none are problems."""
        choice, excluded_count, kept_count = choosing.read(options), 0, 0
        for entry in conversations(source, compare=choice.compares):
            if isinstance(entry, Problem):
                yield entry
            elif choice.keeps(entry[1]):
                kept_count += 1
                line, talk = entry
                yield Row(line, choice.scenario.row(choice.anonymous(line, talk)))
            else:
                excluded_count += 1
        if excluded_count and not kept_count:
            message = say("The rules leave out every conversation (%(n)s). Loosen them, or look for a fuller log.")
            yield Problem(source.name, None, "", message % {"n": excluded_count})


def conversations(source: Source, *, compare: bool = False, most: int | None = None) -> Iterator[Read | Problem]:
    """Everything in the log, in its order. compare: with the answers to a question beside each other; most: of it."""
    if compare:
        yield from compared(lambda: islice(_conversations(source), most))
    else:
        yield from islice(_conversations(source), most)


def _conversations(source: Source) -> Iterator[Read | Problem]:
    shape = JsonArray() if source.first_character() == b"[" else JsonLines()
    for row in shape.rows(source, {}):
        yield row if isinstance(row, Problem) else _read(source, row)


def _read(source: Source, row: Row) -> Read | Problem:
    try:
        return row.line, conversation(row.value)
    except Unknown:
        message = say(
            "There is no conversation in it. Known are messages, conversations, conversation, turns, a service's tree, "
            "and a prompt with its response."
        )
    except Unreadable:
        message = say("There is no conversation in it that begins with a user's words.")
    return Problem(source.name, row.line, "", message)


UNLISTED = ChatLog()
