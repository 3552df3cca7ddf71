"""FB-Bench's consistency rate of the page: judges against most people, by the author of the answers."""

from annotate.models import Project
from judging.services.comparing_raters.material import Material
from judging.services.ratings import CHECKLIST, Found
from judging.services.ratings.rates import JudgeRate, consistency_rates
from judging.services.remembering import remembered


def rates(project: Project, material: Material) -> list[JudgeRate]:
    """None where it is not about checklists, or nobody has voted."""
    if material.subject.slug != CHECKLIST:
        return []
    ratings = Found(rating for unit_ratings in material.said.values() for rating in unit_ratings.values())
    return remembered("consistency", material.state, lambda: consistency_rates(project, given=ratings))
