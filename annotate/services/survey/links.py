"""Private links: a participant's token is shown to them alone; the database knows its hash."""

import hashlib
import secrets

from django.utils import timezone

from annotate.models import Participant, Survey

CHARACTERS = 32


def begin(survey: Survey, *, language: str) -> tuple[Participant, str]:
    """Somebody who has agreed to the notice just now, and their token, which is not stored."""
    token = secrets.token_urlsafe(24)
    now = timezone.now()
    participant = Participant.objects.create(
        survey=survey, token_sha256=digest(token), language=language, consented_at=now, saved_at=now
    )
    return participant, token


def find(slug: str, token: str) -> Participant | None:
    """Whose link this is, within the survey of this project; with survey and project."""
    participants = Participant.objects.filter(token_sha256=digest(token), survey__project__slug=slug)
    return participants.select_related("survey__project").first()


def digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
