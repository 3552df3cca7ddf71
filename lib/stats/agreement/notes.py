"""Why a coefficient has no value, or no interval: a closed list, so that screens can translate it."""


def gettext_noop(text: str) -> str:
    """Marks a text for translation; numbers are made without Django."""
    return text


NO_RATINGS = gettext_noop("There are no ratings.")
ONE_RATER = gettext_noop("There is one rater only; agreement takes two.")
NEVER_MEET = gettext_noop("No unit has ratings of two raters.")
ONE_CATEGORY = gettext_noop("All compared ratings are of one category, so that chance alone would agree as well.")
CONSTANT = gettext_noop("The compared scores never vary, on one side at least.")
LABELS = gettext_noop("Labels have no distance from each other; this takes numbers.")
PAIRS = gettext_noop("This compares two raters; with more of them, the value of each pair stands in pairs.")
FEW_COMPLETE = gettext_noop("Fewer than two units have a rating of every rater.")
MANY_VALUES = gettext_noop("There are too many different values to compare each with each at ratio level.")
NO_INTERVAL = gettext_noop("No interval: most resamples of the units have no value.")
ONE_SIDED = gettext_noop(
    "Nearly all votes are for one side, so that chance alone agrees often: kappa is low although equal votes are many."
)
MANY_PAIRS = gettext_noop("No interval: there are too many pairs of raters to resample each.")
FEW_UNITS = gettext_noop("No interval: it takes at least two units that can be compared.")
