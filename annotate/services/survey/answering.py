"""A participant's own work: cases and answers, saved while they are not sent; then sent once, as items to vet."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.kinds.reported import Reported
from annotate.models import Item, Participant, Project, ReportedCase
from annotate.services import flow, slots
from annotate.services.errors import Refused, WrongState
from annotate.services.importing.rows import content_hash
from annotate.services.survey.questions import Asked
from lib.texts.anonymising import Personal
from lib.texts.language import LATIN_LANGUAGES, language_of
from lib.texts.near_duplicates import shingles
from lib.texts.personal_data import Finding


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


def missing(questionnaire: Asked, participant: Participant, cases: Sequence[ReportedCase]) -> list[str]:
    """What has to be done before it can be sent, in words."""
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


def noticed(cases: Sequence[ReportedCase]) -> list[tuple[ReportedCase, Finding]]:
    """What looks like personal data in them, to be shown before they are sent; each text once a case."""
    finding_by_key = {}
    for case in cases:
        texts = [turn["content"] for turn in case.turns]
        personal = Personal(texts)
        for text in texts:
            for finding in personal.findings(text):
                finding_by_key[case.pk, finding.kind, finding.shown] = (case, finding)
    return list(finding_by_key.values())


def send(participant: Participant, questionnaire: Asked) -> Participant:
    """Hand everything in, once. Raises Refused with what is missing, WrongState if it was sent or taken back.

    Whoever failed the check question is set aside whole: no item is made of their cases.
    """
    project = participant.survey.project
    with _unsent(participant):
        participant.refresh_from_db(fields=["answers", "state"])
        cases = list(participant.cases.all())
        lacking = missing(questionnaire, participant, cases)
        if lacking:
            raise Refused(" ".join(lacking))
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
    """Its key says nothing of its reporter. An intent in their own words is no group: groups stand in files."""
    kind, text = project.kind, case.turns[0]["content"]
    spoken = language_of(text, project.languages or LATIN_LANGUAGES)
    language = spoken if spoken in project.languages or not project.languages else ""
    reported = Reported(
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
    """A transaction in which nobody else changes this participant. Raises WrongState unless it is still unsent."""
    with transaction.atomic():
        unsent = Participant.objects.filter(pk=participant.pk, state=Participant.State.BEGUN)
        if not unsent.update(saved_at=timezone.now()):
            raise WrongState(_("This was sent or taken back already. Load the page again."))
        yield
