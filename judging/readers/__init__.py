"""Readers: how the verdict is found in the plain text of an evaluator that answers in its own words.

A module of this folder lists its instances in `READERS`. A reader never guesses: a reply that names no verdict, or two
that differ, is Unread with the reason, and never a zero or a tie.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from django.utils.translation import gettext as _

from judging.readers.base import LONGEST, BadReader, Reader, Unread
from judging.readers.pattern import OwnPattern
from judging.strategies.scales import Scale


@dataclass(frozen=True)
class Target:
    """What is to be found in a reply: a choice between two answers, or a score of one on its scale.

    scale: of the score; None for a choice. prefix: what was written for the evaluator as the beginning of its reply.
    """

    scale: Scale | None
    prefix: str = ""


@cache
def readers() -> Mapping[str, Reader]:
    """slug -> reader, of the `READERS` of every module here, in the order of their places."""
    modules = [import_module(f"{__name__}.{module_info.name}") for module_info in iter_modules(__path__)]
    all_readers = [reader for module in modules for reader in getattr(module, "READERS", ())]
    return {reader.slug: reader for reader in sorted(all_readers, key=lambda reader: reader.place)}


def reader_named(slug: str, pattern: str = "", *, probe: bool = False) -> Reader:
    """The reader with this slug; `regex` is made of its pattern. Raises BadReader, which says what to write instead.

    probe: also refuse a pattern that is slow on awkward texts.
    """
    if slug == OwnPattern.slug:
        return OwnPattern(pattern, probe=probe)
    if slug not in readers():
        there_are = ", ".join([*readers(), OwnPattern.slug])
        raise BadReader(_("There is no reader “%(slug)s”. Readers: %(all)s.") % {"slug": slug, "all": there_are})
    if pattern:
        raise BadReader(_("Only the reader “regex” has a pattern. Remove the pattern, or choose that reader."))
    return readers()[slug]


def read(reader: Reader, reply: str, target: Target) -> float | str | Unread:
    """The score, or the choice: `first`, `second` or `tie` (of JSON also `both_good`, `both_bad`). Never raises.

    reply: what came back, without what was written ahead of it; services differ in whether they repeat that. Where
    both readings are possible and differ, the reply is Unread.
    """
    if len(reply) > LONGEST:
        return Unread(_("The reply is longer than %(most)d characters; nothing was read.") % {"most": LONGEST})
    prefix = target.prefix.strip()
    joined_value = reader.read(_joined(prefix, reply), target.scale, prefix)
    if not prefix or not reply.lstrip().startswith(prefix):
        return joined_value
    alone = reader.read(reply, target.scale, prefix)
    values = {value for value in (joined_value, alone) if not isinstance(value, Unread)}
    if len(values) > 1:
        return Unread(_("The reply begins like its prefix, and says another thing with it than without."))
    return values.pop() if values else alone


def _joined(prefix: str, reply: str) -> str:
    """A number that the prefix ends with stays a number of its own."""
    apart = prefix[-1:].isalnum() and reply[:1].isalnum()
    return f"{prefix} {reply}" if apart else prefix + reply
