"""Raw messages to judges: for which steps they may be written, and the judge that verdicts made so belong to."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from annotate.models import PromptVersion
from annotate.services.prompts import parts
from annotate.services.prompts.files import shipped
from judging.models import NOT_FENCED
from judging.readers import readers
from judging.readers.pattern import OwnPattern
from judging.strategies import strategies
from judging.strategies.base import Strategy
from judging.strategies.raw import possible_slots, problems_of, readers_for, unseen_of
from lib.texts.fencing import slots_of
from lib.texts.raw_messages import RawMessages, is_raw

DIGITS = 8  # of the hash that tells one wording's judge from another's


@dataclass(frozen=True)
class RawJudgeStep:
    """See annotate.purposes.base.RawStep. shipped: the slots of the fenced prompt."""

    strategy: Strategy
    shipped: Sequence[str]

    @property
    def slots(self) -> Sequence[str]:
        return possible_slots(self.shipped)

    @property
    def readers(self) -> Sequence[tuple[str, str | Promise, str | Promise]]:
        choices = [
            (reader.slug, reader.name, reader.about) for reader in readers_for(self.strategy, readers().values())
        ]
        return [*choices, (OwnPattern.slug, OwnPattern.name, OwnPattern.about)]

    def problems(self, raw: RawMessages) -> list[str]:
        return problems_of(raw, self.strategy, self.shipped)

    def warnings(self, raw: RawMessages) -> list[str]:
        return list(unseen_of(raw, self.shipped))


def raw_step(scope: str, step: str) -> RawJudgeStep | None:
    """None where no strategy of the family takes raw messages for such a step."""
    using = (
        candidate
        for candidate in strategies().values()
        if candidate.family == scope and step in candidate.steps and candidate.takes_raw
    )
    strategy, file = next(using, None), shipped(scope).get((step, "en"))
    return RawJudgeStep(strategy, sorted(slots_of(file.text))) if strategy and file else None


def word_for(versions: Iterable[PromptVersion], texts: Sequence[PromptVersion] = ()) -> str:
    """Of a judge's variant: `not-fenced=` and a hash of the raw texts with their readers; "" where all is fenced.

    Verdicts in two wordings are those of two judges: with raw messages the lead's words are all there is. texts: of
    the run; a system's rule that protects nothing counts as raw messages do.
    """
    raw = [version.sha256 for version in versions if is_raw(version.text)]
    raw += [
        version.sha256
        for version in texts
        if parts.is_unprotected(version.scope, version.step, version.language, version.text)
    ]
    return f"{NOT_FENCED}={_hash(sorted(raw))}" if raw else ""


def word_for_texts(texts: Sequence[PromptVersion]) -> str:
    """`own-texts=` and a hash of the texts inside its prompts that are not as they were shipped; "" where all are."""
    changed = [
        f"{version.scope}.{version.step}.{version.language}={version.sha256}" for version in parts.changed(texts)
    ]
    return f"own-texts={_hash(changed)}" if changed else ""


def _hash(words: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:DIGITS]
