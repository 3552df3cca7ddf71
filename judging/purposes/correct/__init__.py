"""Better versions of answers, written from the judgements that are low and from nothing else: one job an answer."""

from judging.purposes.correct.purpose import PURPOSE

__all__ = ["PURPOSE"]
