"""Rules that select conversations from a log. A rule is one small class; a scenario is an ordered list of rules.

Source of the two scenarios' rules: FB-Bench (arXiv 2410.09412), collection from chat logs and from scored preference
data. The phrases are our own.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.formats.chatlog.conversations import Conversation
from annotate.formats.format import BadOption
from annotate.formats.rows import printable
from lib.texts.stored_sentences import say
from lib.texts.tokens import tokens

APOLOGIES: Mapping[str, Sequence[str]] = {
    "en": (
        *("sorry", "apologize", "apologise", "apologies", "my mistake", "my bad", "i was wrong", "i misunderstood"),
        *("you are right", "you're right", "you are correct", "you're correct", "i made an error", "i made a mistake"),
    ),
    "zh": (
        *("抱歉", "对不起", "不好意思", "我的错", "我错了", "我弄错了", "我理解错了", "我搞错了"),
        *("您说得对", "你说得对", "您是对的", "你是对的", "感谢指正", "感谢您的指正", "有误，更正"),
    ),
}
_HAN = re.compile("[\u3400-\u9fff]")


class Rule:
    """What of a log is kept. Raises BadOption for a value that it cannot use.

    of: of which conversations it speaks: dialogues, rated answers, or both (""); of others it says nothing, and they
    stay. silent: what it says of a conversation about which the log does not say what it needs.
    """

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    needs: ClassVar[str | Promise]  # the part of a log that it reads
    usual: ClassVar[str] = ""  # its default value; "" if it has none
    of: ClassVar[str] = ""
    silent: ClassVar[bool] = False
    compares: ClassVar[bool] = False  # whether it needs the other answers to the same question

    def __init__(self, value: str = "") -> None:
        self.value = value.strip() or self.usual
        self.read(self.value)

    def read(self, value: str) -> None:
        """Parse the text into the value that `keeps` compares with; does nothing if the rule has no value."""

    def concerns(self, talk: Conversation) -> bool:
        return not self.of or (self.of == "rated") == talk.rated

    def keeps(self, talk: Conversation) -> bool | None:
        """Whether the conversation stays; None if the log lacks the information."""
        raise NotImplementedError  # every rule says it


def number(rule: Rule, text: str, *, least: float = 0) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < 1e9:
        message = say("The rule %(rule)s needs a number from %(least)s on, not “%(value)s”.")
        params = {"rule": rule.name, "least": f"{least:g}", "value": printable(text, most=60)}
        raise BadOption(message % params)
    return value


class AnsweredRule(Rule):
    name = "answered"
    label = _("The first question has an answer")
    needs = _("the turns")

    def keeps(self, talk: Conversation) -> bool:
        return bool(talk.answered)


class MultiTurn(Rule):
    name = "multi_turn"
    label = _("Minimum number of user questions")
    needs = _("the turns")
    usual = "2"
    of = "dialogue"

    def read(self, value: str) -> None:
        self._least = number(self, value, least=1)

    def keeps(self, talk: Conversation) -> bool:
        return len(talk.asked) >= self._least


class Since(Rule):
    """The value is a day, or a number of days before today, which `settled` makes a day of."""

    name = "since"
    label = _("Since this day, or within this many days")
    needs = _("date of the conversation")
    usual = "91"
    of = "dialogue"

    def read(self, value: str) -> None:
        try:
            self.day = date.fromisoformat(value)
        except ValueError:
            days = number(self, value)
            if days > 36_500:
                days = 36_500
            self.day = datetime.now(UTC).date() - timedelta(days=days)
        self.value = self.day.isoformat()

    def keeps(self, talk: Conversation) -> bool | None:
        return None if talk.created is None else talk.created >= self.day


class Apology(Rule):
    """Phrases of Latin letters count as whole words, whatever their case; Chinese ones wherever they stand."""

    name = "apology"
    label = _("The second answer contains one of these apologies")
    needs = _("the second answer")
    usual = "|".join(phrase for phrases in APOLOGIES.values() for phrase in phrases)
    of = "dialogue"

    def read(self, value: str) -> None:
        phrases = [" ".join(phrase.split()) for phrase in re.split(r"[|\n]", value) if phrase.strip()]
        if not phrases or len(value) > 10_000:
            raise BadOption(say("The rule %(rule)s needs phrases with | between them.") % {"rule": self.name})
        self.value = "|".join(phrases)
        self._found = re.compile("|".join(_phrase(phrase) for phrase in phrases), re.IGNORECASE)

    def keeps(self, talk: Conversation) -> bool:
        return len(talk.answered) > 1 and self._found.search(talk.answered[1].replace("’", "'")) is not None


def is_chinese(phrase: str) -> bool:
    return _HAN.search(phrase) is not None


def _phrase(phrase: str) -> str:
    escaped = re.escape(phrase.replace("’", "'"))
    return escaped if is_chinese(phrase) else rf"(?<!\w){escaped}(?!\w)"


class Tokens(Rule):
    """Counted as we compare texts: a word, a number, a sign or a Chinese character each; blanks do not count."""

    name = "tokens"
    label = _("Fewer tokens than")
    needs = _("the turns")
    usual = "5000"

    def read(self, value: str) -> None:
        self._most = number(self, value, least=1)

    def keeps(self, talk: Conversation) -> bool:
        token_budget = self._most
        if sum(len(turn["content"]) for turn in talk.turns) < token_budget:  # no token is shorter than a character
            return True
        for turn in talk.turns:
            token_budget -= sum(not token.isspace() for token in tokens(turn["content"]))
            if token_budget <= 0:
                return False
        return True


class Unflagged(Rule):
    name = "unflagged"
    label = _("Not flagged as unsafe, nothing redacted")
    needs = _("toxic, redacted or moderation")
    silent = True

    def keeps(self, talk: Conversation) -> bool | None:
        return None if talk.flagged is None else not talk.flagged


class NoRetrieval(Rule):
    name = "no_retrieval"
    label = _("Answered without retrieval or search")
    needs = _("retrieval, search or citations")
    of = "dialogue"
    silent = True

    def keeps(self, talk: Conversation) -> bool | None:
        return None if talk.retrieved is None else not talk.retrieved


class Upvoted(Rule):
    name = "upvoted"
    label = _("Minimum votes (for minus against)")
    needs = _("votes")
    usual = "1"
    of = "dialogue"

    def read(self, value: str) -> None:
        self._least = number(self, value, least=-1e6)

    def keeps(self, talk: Conversation) -> bool | None:
        return None if talk.votes is None else talk.votes >= self._least


class LowestScored(Rule):
    """One answer per question, so that equal questions do not become several items."""

    name = "lowest_scored"
    label = _("Of several answers to a question, the lowest-scored one")
    needs = _("a score")
    of = "rated"
    compares = True

    def keeps(self, talk: Conversation) -> bool | None:
        return talk.lowest


class HighestScored(LowestScored):
    name = "highest_scored"
    label = _("Of several answers to a question, the highest-scored one")

    def keeps(self, talk: Conversation) -> bool | None:
        return talk.highest


class ScoreBelow(Rule):
    name = "score_below"
    label = _("Answers with a score below")
    needs = _("a score")
    usual = "3"
    of = "rated"

    def read(self, value: str) -> None:
        self._limit = number(self, value, least=-1e6)

    def keeps(self, talk: Conversation) -> bool:
        return talk.score is not None and talk.score < self._limit


class ScoreAbove(ScoreBelow):
    name = "score_above"
    label = _("Answers with a score above")
    usual = "4"

    def keeps(self, talk: Conversation) -> bool:
        return talk.score is not None and talk.score > self._limit


_ALL: Sequence[type[Rule]] = (
    *(AnsweredRule, MultiTurn, Since, Apology, Tokens, NoRetrieval, Unflagged, Upvoted),
    *(LowestScored, HighestScored, ScoreBelow, ScoreAbove),
)
RULES: Mapping[str, type[Rule]] = {rule.name: rule for rule in _ALL}
OFF = "off"


def settled(usual: Sequence[str], choices: Mapping[str, str]) -> list[Rule]:
    """The rules of a scenario with the choices applied, in order. choices: rule name -> value, or OFF.

    Raises BadOption.
    """
    for name in choices:
        if name not in RULES:
            message = say("There is no rule “%(name)s”. Rules: %(known)s.")
            raise BadOption(message % {"name": printable(name, most=60), "known": ", ".join(RULES)})
    rule_names = [name for name in RULES if choices.get(name, "" if name in usual else OFF) != OFF]
    return [RULES[name](choices.get(name, "")) for name in rule_names]
