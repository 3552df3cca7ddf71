"""What annotate calls in judging without knowing it: see `hooks` in annotate/engine/discovery.py."""

from judging.answers.personal_data import KEEPER
from judging.answers.personal_data import WORDS as RECORD_WORDS
from judging.audit_verbs import VERBS as AUDIT_VERBS
from judging.studies.waves import SOURCE as WORK_SOURCE

__all__ = ["AUDIT_VERBS", "KEEPER", "RECORD_WORDS", "WORK_SOURCE"]
