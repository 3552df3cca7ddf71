"""Two judges of different care over the answers of the demo project, beside the votes of people on some of them.

See settings.DEMO_RUNS. Asked by real runs, so that they can be looked at too.
"""

from annotate.models import Project, User
from annotate.services.demo import SLUG
from judging.services.demo_runs import Wanted, endpoint_of, keep

JUDGES = {"simulated-judge": "simulated-judge", "simulated-judge-noisy": "simulated-noisy"}  # model: endpoint


def seed(people: dict[str, str]) -> Project:
    """Let them judge once. The simulated model answers while this works."""
    project, lead = Project.objects.get(slug=SLUG), User.objects.get(username="lead")
    for number, (model, name) in enumerate(JUDGES.items(), 1):
        keep(project, number, Wanted("judge", endpoint_of(model, name), {"strategy": "checklist"}), lead)
    return project
