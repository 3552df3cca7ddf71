"""What an address of the page asks for. Words that there are not fall back to the usual ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotate.models import Member
from judging.services.comparing_raters.material import Material, Somebody, material
from judging.services.comparing_raters.subjects import Subject, subjects
from judging.services.comparing_raters.wanted import Wanted, wanted
from judging.services.ratings import Today

ALL = "all"


@dataclass(frozen=True)
class Asked:
    """judge: whose matrix is open; None where nobody has judged. all_draws: however long it takes.

    names: key of a rater -> what this member may call them.
    """

    subjects: Sequence[Subject]
    today: Today
    found: Material
    wish: Wanted
    judge: Somebody | None
    all_draws: bool
    names: Mapping[str, str]
    everybody: Sequence[Somebody]  # all people, of whom found has those that were chosen

    @property
    def subject(self) -> Subject:
        return self.found.subject

    def said(self, **changed: str) -> list[tuple[str, str]]:
        """Name and value of every word of the address."""
        parameters = {
            "about": self.subject.slug,
            "coefficient": self.wish.coefficient,
            "level": self.wish.level,
            "by": self.wish.by,
            "draws": ALL if self.all_draws else "",
        } | changed
        return [(name, value) for name, value in parameters.items() if value] + [
            ("raters", key) for key in self.found.chosen
        ]

    @property
    def matrix_of(self) -> Sequence[Somebody]:
        return [self.judge] if self.judge else []

    @property
    def address(self) -> str:
        return urlencode(self.said())

    @property
    def address_with_all_draws(self) -> str:
        return urlencode(self.said(draws=ALL))


def asked(request: HttpRequest, member: Member) -> Asked | None:
    """None where the project has nothing to compare."""
    query, project_subjects = request.GET, subjects(member.project)
    if not project_subjects:
        return None
    subject = next(
        (candidate for candidate in project_subjects if candidate.slug == query.get("about", "")), project_subjects[0]
    )
    today = Today(member.project)
    whole = material(member.project, subject, today)
    selection = whole.of_people({person.key for person in whole.people} & set(query.getlist("raters")))
    all_draws = query.get("draws", "") == ALL
    words = {name: query.get(name, "") for name in ("coefficient", "level", "by")}
    judge = next(
        (candidate for candidate in selection.judges if candidate.key == query.get("judge", "")),
        next(iter(selection.judges), None),
    )
    wish = wanted(subject, **words, all_draws=all_draws)
    return Asked(project_subjects, today, selection, wish, judge, all_draws, _names(whole, member), whole.people)


def _names(material: Material, member: Member) -> dict[str, str]:
    """Only leads read people's names."""
    people = {
        person.key: person.name if member.leads else _("Person %(number)d") % {"number": person.number}
        for person in material.people
    }
    return people | {judge.key: judge.name for judge in material.judges}
