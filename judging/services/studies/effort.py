"""About how long people take for the votes of a plan."""

from judging.services.studies.plans import Plan

# Characters a second, of Latin and other alphabets and of Chinese: slow reading, with a look back at the question.
LETTERS, HAN = 18.0, 5.0
DECIDING = 10.0  # seconds
LOOKED_AT = 500  # votes; their mean stands for all


def hours(plan: Plan) -> float | None:
    """Of all votes that the plan asks for together; None where there are none."""
    some = plan.votes[:LOOKED_AT]
    if not some:
        return None
    return plan.asked * sum(DECIDING + _reading(str(list(vote.facts.values()))) for vote in some) / len(some) / 3600


def _reading(text: str) -> float:
    han = sum("\u2e80" <= char <= "\u9fff" for char in text)
    return han / HAN + (len(text) - han) / LETTERS
