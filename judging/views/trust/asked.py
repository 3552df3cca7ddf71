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
    there = [one for one in subjects(member.project) if one.slug in WHAT]
    about = next((one for one in there if one.slug == request.GET.get("about", "")), next(iter(there), None))
    if about is None:
        return None
    today = Today(member.project)
    found = material(member.project, about, today, clustered=False)
    judges = judges_of(found, today)
    if not judges:
        return None
    judge = _judge(request.GET.get("judge", ""), judges)
    return Asked(there, today, found, judges, judge, _epsilon(request.GET.get("epsilon", "")), names_for(found, member))


def judges_of(found: Material, today: Today) -> list[Judge]:
    """Those who have rated something, by name."""
    numbers = {one.number for one in found.judges}
    return sorted((judge for judge in today.judges if judge.pk in numbers), key=lambda judge: (judge.name, judge.pk))


def _judge(wanted: str, judges: Sequence[Judge]) -> Judge:
    found = [judge for judge in judges if str(judge.pk) == wanted] if wanted else judges
    if not found:
        raise Http404
    return found[0]


def _epsilon(said: str) -> float:
    return next((one for one in EPSILONS if said == str(one)), EPSILON)


def names_for(found: Material, member: Member) -> dict[str, str]:
    """Only leads read people's names."""
    people = {
        one.key: one.name if member.leads else _("Person %(number)d") % {"number": one.number} for one in found.people
    }
    return people | {one.key: one.name for one in found.judges}
