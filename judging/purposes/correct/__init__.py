"""Corrections of answers, written from nothing but the low judgements about them: one job per answer."""

from judging.purposes.correct.correction_runs import PURPOSE

__all__ = ["PURPOSE"]
