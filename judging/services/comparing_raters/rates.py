"""FB-Bench's consistency rate of the page: judges against most people, by the author of the answers."""

from annotate.models import Project
from judging.services.comparing_raters.material import Material
from judging.services.ratings import CHECKLIST, Found
from judging.services.ratings.rates import JudgeRate, consistency_rates
from judging.services.remembering import remembered


def rates(project: Project, found: Material) -> list[JudgeRate]:
    """None where it is not about checklists, or nobody has voted."""
    if found.subject.slug != CHECKLIST:
        return []
    given = Found(one for said in found.said.values() for one in said.values())
    return remembered("consistency", found.state, lambda: consistency_rates(project, given=given))
