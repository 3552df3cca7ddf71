"""What keeps programs from filling a survey, without asking anybody else: a signed form, its age, a trap, limits."""

import time
from collections.abc import Mapping

from django.core.signing import BadSignature, SignatureExpired, TimestampSigner
from django.utils.crypto import salted_hmac

from annotate.services import rate_limits

TRAP = "website"  # a field that people do not see; programs fill it in
PROOF = "proof"
TOO_FAST = 2.0  # seconds: nobody has read the notice before
GOOD_FOR = 24 * 3600
NEW_AN_HOUR = 20  # participants from one address: a class behind one router can take part
SAVES_AN_HOUR = 300  # of one participant
_signer = TimestampSigner(salt="annotate.survey")


def proof(slug: str) -> str:
    """What a form holds to show that it was made by us, for this survey, and when."""
    return _signer.sign(f"{slug}:{time.time():.1f}")


def looks_human(slug: str, posted: Mapping[str, str]) -> bool:
    """Whether the form is ours, was open long enough, and the trap is empty."""
    form_time = made_at(slug, posted)
    return not posted.get(TRAP) and form_time is not None and time.time() - form_time >= TOO_FAST


def made_at(slug: str, posted: Mapping[str, str]) -> float | None:
    """When we made this form for this survey, in seconds; None where we did not, or more than a day ago."""
    try:
        signed_for, _, seconds = _signer.unsign(posted.get(PROOF, ""), max_age=GOOD_FOR).rpartition(":")
    except (BadSignature, SignatureExpired):
        return None
    return float(seconds) if signed_for == slug else None


def within(name: str, client: str, most: int) -> bool:
    """Count one more in this hour, in the whole installation; False beyond the limit.

    client: an address or a participant; only a keyed hash of it is stored, for an hour.
    """
    digest = salted_hmac("annotate.survey.limits", client, algorithm="sha256").hexdigest()
    return rate_limits.within(f"survey-{name}-{digest}", most, rate_limits.HOUR)
