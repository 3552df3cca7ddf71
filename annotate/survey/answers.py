"""A participant's part in a survey: the private link, protection against programs, saving answers, and sending them.

A participant's token is shown to them alone; the database stores its hash.
"""

import hashlib
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.signing import BadSignature, SignatureExpired, TimestampSigner
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotate.errors import Refused, WrongState
from annotate.intake.row_reader import content_hash
from annotate.items import flow, slots
from annotate.kinds.contract import ReportedKind
from annotate.models import Item, Participant, Project, ReportedCase, Survey
from annotate.survey.survey_questions import SurveyQuestions
from annotate.web import rate_limits
from lib.texts.anonymisation import Personal
from lib.texts.language import LATIN_LANGUAGES, language_of
from lib.texts.near_duplicates import shingles
from lib.texts.personal_data import PersonalDatum
from lib.texts.sentences import paragraph


def begin(survey: Survey, *, language: str) -> tuple[Participant, str]:
    """Make a participant who has just agreed to the notice; returns them with their token, which is not stored."""
    token = secrets.token_urlsafe(24)
    now = timezone.now()
    participant = Participant.objects.create(
        survey=survey, token_sha256=digest(token), language=language, consented_at=now, saved_at=now
    )
    return participant, token


def find(slug: str, token: str) -> Participant | None:
    """The participant with this link in the survey of this project, with survey and project."""
    participants = Participant.objects.filter(token_sha256=digest(token), survey__project__slug=slug)
    return participants.select_related("survey__project").first()


def digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


# Protection against programs, without an outside service: a signed form, its age, a honeypot field, rate limits.


TRAP = "website"  # a honeypot field: people do not see it, programs fill it in
PROOF = "proof"
TOO_FAST = 2.0  # seconds: nobody can read the notice faster
GOOD_FOR = 24 * 3600
NEW_AN_HOUR = 20  # participants from one address: a class behind one router can take part
SAVES_AN_HOUR = 300  # of one participant
_signer = TimestampSigner(salt="annotate.survey")


def proof(slug: str) -> str:
    """The signed value in a form that proves that this site made it, for this survey, and when."""
    return _signer.sign(f"{slug}:{time.time():.1f}")


def looks_human(slug: str, posted: Mapping[str, str]) -> bool:
    """Whether the form is signed by this site, was open long enough, and has an empty honeypot field."""
    form_time = made_at(slug, posted)
    return not posted.get(TRAP) and form_time is not None and time.time() - form_time >= TOO_FAST


def made_at(slug: str, posted: Mapping[str, str]) -> float | None:
    """When this site made the form for this survey, in seconds; None if it did not, or more than a day ago."""
    try:
        signed_for, _, seconds = _signer.unsign(posted.get(PROOF, ""), max_age=GOOD_FOR).rpartition(":")
    except (BadSignature, SignatureExpired):
        return None
    return float(seconds) if signed_for == slug else None


def within(name: str, client: str, most: int) -> bool:
    """Count one more request in this hour, in the whole installation; False beyond the limit.

    client: an address or a participant; only a keyed hash of it is stored, for an hour.
    """
    digest = salted_hmac("annotate.survey.limits", client, algorithm="sha256").hexdigest()
    return rate_limits.within(f"survey-{name}-{digest}", most, rate_limits.HOUR)


# Cases and answers: they are saved until the participant sends them, once, as items to vet.


def save_case(participant: Participant, no: int, values: Mapping[str, Any]) -> ReportedCase:
    """values: columns of ReportedCase. Raises WrongState once it was sent or taken back."""
    with _unsent(participant):
        return ReportedCase.objects.update_or_create(participant=participant, no=no, defaults=dict(values))[0]


def remove_case(participant: Participant, no: int) -> None:
    """Raises WrongState."""
    with _unsent(participant):
        participant.cases.filter(no=no).delete()


def save_answers(participant: Participant, answers: Mapping[str, Any]) -> None:
    """Raises WrongState."""
    with _unsent(participant):
        Participant.objects.filter(pk=participant.pk).update(answers=dict(answers))


def free_number(participant: Participant) -> int:
    last_case = participant.cases.order_by("-no").first()
    return last_case.no + 1 if last_case else 1


def missing(questionnaire: SurveyQuestions, participant: Participant, cases: Sequence[ReportedCase]) -> list[str]:
    """What is missing before the answers can be sent, in words."""
    sentences = []
    if len(cases) < questionnaire.questions.least:
        sentences.append(_("Report at least %(n)d cases; so far there are %(have)d.")
                    % {"n": questionnaire.questions.least, "have": len(cases)})  # fmt: skip
    number_by_question: dict[object, int] = {}
    for case in cases:
        asks = case.turns[0]["content"]
        question = shingles(asks) or " ".join(asks.split())  # capitals, signs and blanks aside
        if (earlier_number := number_by_question.setdefault(question, case.no)) != case.no:
            sentences.append(
                _("Cases %(one)d and %(other)d ask the same: remove one.") % {"one": earlier_number, "other": case.no}
            )
    if "anchor" not in participant.answers:
        sentences.append(_("Answer the questions about your use."))
    return sentences


def noticed(cases: Sequence[ReportedCase]) -> list[tuple[ReportedCase, PersonalDatum]]:
    """What looks like personal data in the cases, shown before they are sent; each text once per case."""
    finding_by_key = {}
    for case in cases:
        texts = [turn["content"] for turn in case.turns]
        personal = Personal(texts)
        for text in texts:
            for finding in personal.findings(text):
                finding_by_key[case.pk, finding.kind, finding.shown] = (case, finding)
    return list(finding_by_key.values())


def send(participant: Participant, questionnaire: SurveyQuestions) -> Participant:
    """Send everything, once. Raises Refused with what is missing, WrongState if it was sent or withdrawn.

    If the check question was failed, the whole participation is set aside and no items are made from its cases.
    """
    project = participant.survey.project
    with _unsent(participant):
        participant.refresh_from_db(fields=["answers", "state"])
        cases = list(participant.cases.all())
        lacking = missing(questionnaire, participant, cases)
        if lacking:
            raise Refused(paragraph(lacking))
        passed = questionnaire.passes(participant.answers)
        listed = {name for name, _shown in questionnaire.intents}
        for case in cases if passed else ():
            case.item = _item(project, case, listed)
            case.save(update_fields=["item"])
        participant.state = Participant.State.SENT if passed else Participant.State.ASIDE
        participant.sent_at = timezone.now()
        participant.save(update_fields=["state", "sent_at"])
    return participant


def _item(project: Project, case: ReportedCase, listed: set[str]) -> Item:
    """The key reveals nothing about the reporter. A free-text intent is no group, because groups appear in files."""
    kind, text = project.kind, case.turns[0]["content"]
    spoken = language_of(text, project.languages or LATIN_LANGUAGES)
    language = spoken if spoken in project.languages or not project.languages else ""
    reported = ReportedKind(
        case.turns,
        intent=case.intent,
        language=language,
        service=case.service,
        difficulty=case.difficulty,
        satisfaction=case.satisfaction,
    )
    facts = kind.read_facts(kind.reported(reported))
    stored = facts.stored()
    waits = project.waits_for_suggestion
    item = Item.objects.create(
        project=project,
        key=f"survey-{secrets.token_hex(8)}",
        title=kind.title(facts)[:160],
        group=case.intent if case.intent in listed else "",
        language=language,
        content_hash=content_hash(stored),
        schema=kind.schema,
        state=Item.State.IMPORTED if waits else Item.State.READY,
        facts=stored,
    )
    flow.record(item, "reported", by=None)
    if not waits:
        slots.open_annotating(item, project)
    return item


@contextmanager
def _unsent(participant: Participant) -> Iterator[None]:
    """A transaction that locks this participant. Raises WrongState unless the answers are still unsent."""
    with transaction.atomic():
        unsent = Participant.objects.filter(pk=participant.pk, state=Participant.State.BEGUN)
        if not unsent.update(saved_at=timezone.now()):
            raise WrongState(_("This was already sent or withdrawn. Reload the page."))
        yield
