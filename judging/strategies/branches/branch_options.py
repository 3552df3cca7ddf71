"""Options of judging in branches: number and weights of criteria, their source, and how often they are requested."""

import re
from typing import Annotated, Any, Literal

from django.utils.translation import gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def weights_in(text: str) -> list[float]:
    """Weights in the order of a text such as `3 2 1`, separated by commas or blanks. Raises ValueError."""
    weights = [float(part) for part in re.split(r"[\s,;，；]+", text.strip()) if part]
    if any(not 0 <= weight <= 1000 for weight in weights) or (weights and not any(weights)):
        raise ValueError("weights lie between 0 and 1000, and one is above 0")
    return weights


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        weights_in(value)
    return value


class Branches(BaseModel):
    """How many criteria count, and how much each."""

    model_config = ConfigDict(extra="forbid")

    branches: int = Field(
        default=5,
        ge=1,
        le=10,
        title=gettext_noop("Criteria"),
        description=gettext_noop(
            "How many criteria are used for each answer. You can count fewer later without a new run."
        ),
    )
    weights: Annotated[str, BeforeValidator(_readable)] = Field(
        default="",
        max_length=200,
        title=gettext_noop("Weights"),
        description=gettext_noop("By position, first criterion first, such as 3 2 1. Empty: equal weights."),
    )


class BranchesOfPairs(Branches):
    labels: Literal["exchanged", "kept"] = Field(
        default="exchanged",
        title=gettext_noop("Labels in the other order"),
        description=gettext_noop(
            "Exchanged: the answer shown first is called A. Kept: an answer stays A or B in both orders."
        ),
    )


OWN, RECOVERED = "own", "recovered"


SHARED, APART = "shared", "apart"


class Shared(Branches):
    """And how often the judge is asked for them. A run that was planned without this option asked apart."""

    sharing: Literal["shared", "apart"] = Field(
        default="shared",
        title=gettext_noop("How criteria are requested"),
        description=gettext_noop(
            "shared: criteria and guidelines are requested once per query, for both orders and all its "
            "answers; apart: again for each answer and order."
        ),
    )


class OfWhose(Shared):
    """And whose criteria they are."""

    criteria: Literal["own", "recovered"] = Field(
        default="own",
        title=gettext_noop("Source of criteria"),
        description=gettext_noop(
            "own: the judge derives them from the request; recovered: those that people have approved in "
            "the item, such as criteria recovered from another judgement."
        ),
    )


class OfWhoseInPairs(OfWhose, BranchesOfPairs):
    pass


def is_recovered(options: Any) -> bool:
    return getattr(options, "criteria", OWN) == RECOVERED


def shares_criteria(options: Any) -> bool:
    return not is_recovered(options) and getattr(options, "sharing", APART) == SHARED
