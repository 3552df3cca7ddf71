"""What an address of these pages asks for. A judge that is not there is 404; other words fall back to the usual."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from annotate.models import Member
from judging.models import Judge
from judging.services.comparing_raters.material import Material, material
from judging.services.comparing_raters.subjects import Subject, subjects
from judging.services.ratings import WHAT, Today
from judging.services.trust.trusting import EPSILONS
from lib.stats.alternative_annotator import EPSILON


@dataclass(frozen=True)
class Asked:
    """subjects: what people or judges have rated. names: key of a rater -> what this member may call them."""

    subjects: Sequence[Subject]
    today: Today
    found: Material
    judges: Sequence[Judge]
    judge: Judge
    epsilon: float
    names: Mapping[str, str]

    @property
    def said(self) -> str:
        """The words of the address, for links to the same numbers."""
        return urlencode({"about": self.found.subject.slug, "judge": self.judge.pk, "epsilon": self.epsilon})


def asked(request: HttpRequest, member: Member) -> Asked | None:
    """None where no judge has rated anything, or nobody has."""
    project_subjects = [subject for subject in subjects(member.project) if subject.slug in WHAT]
    about = next(
        (subject for subject in project_subjects if subject.slug == request.GET.get("about", "")),
        next(iter(project_subjects), None),
    )
    if about is None:
        return None
    today = Today(member.project)
    subject_material = material(member.project, about, today, clustered=False)
    judges = judges_of(subject_material, today)
    if not judges:
        return None
    judge = _judge(request.GET.get("judge", ""), judges)
    return Asked(
        project_subjects,
        today,
        subject_material,
        judges,
        judge,
        _epsilon(request.GET.get("epsilon", "")),
        names_for(subject_material, member),
    )


def judges_of(material: Material, today: Today) -> list[Judge]:
    """Those who have rated something, by name."""
    numbers = {judge.number for judge in material.judges}
    return sorted((judge for judge in today.judges if judge.pk in numbers), key=lambda judge: (judge.name, judge.pk))


def _judge(judge_pk: str, judges: Sequence[Judge]) -> Judge:
    matches = [judge for judge in judges if str(judge.pk) == judge_pk] if judge_pk else judges
    if not matches:
        raise Http404
    return matches[0]


def _epsilon(text: str) -> float:
    return next((epsilon for epsilon in EPSILONS if text == str(epsilon)), EPSILON)


def names_for(material: Material, member: Member) -> dict[str, str]:
    """Only leads read people's names."""
    people = {
        person.key: person.name if member.leads else _("Person %(number)d") % {"number": person.number}
        for person in material.people
    }
    return people | {judge.key: judge.name for judge in material.judges}
