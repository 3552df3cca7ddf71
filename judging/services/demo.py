"""What the demo shows of judging, beside the people's work that annotate's own demo makes. See settings.DEMO_PARTS."""

from annotate.models import Project
from judging.models import Author
from judging.services.answers.storing import Given, store
from judging.services.cases import Case, cases, judgeable
from lib.simulated.answering import SKILLS
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer

SOURCE = "seed_demo"  # where its answers say they come from


def seed(project: Project) -> None:
    """Answers of three simulated authors to what is accepted: without a server, the same in every installation."""
    decided = list(cases(judgeable(project)))
    for model in SKILLS:
        author = Author.objects.create(project=project, name=model, family="Simulated", provider="Touchstone")
        new_answers = [Given(case.item.pk, author.pk, said(model, case)) for case in decided]
        store(new_answers, simulated=True, source=SOURCE)


def said(model: str, case: Case) -> str:
    """What this simulated model says to a candidate's request."""
    messages = [dict(message) for message in case.asked.messages]
    return answer(read({"model": model, "messages": messages}), Knobs()).content or ""
