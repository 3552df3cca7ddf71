"""Why a figure has no value or no interval, and what to keep in mind beside one: a list that screens translate."""


def gettext_noop(text: str) -> str:
    """Marks a text for translation; numbers are made without Django."""
    return text


NO_UNITS = gettext_noop("There is no unit to calculate from.")
ONE_UNIT = gettext_noop("One unit alone says nothing about how much the next would differ.")
ALL_ALIKE = gettext_noop("Every unit gives the same value, so their spread gives no interval.")

# Labels against a majority
NEVER_GIVEN = gettext_noop("A label that the judge never gives has no precision; it counts 0 in the mean.")
NEVER_RIGHT = gettext_noop("A label that people never give has no recall; it counts 0 in the mean.")

# The alternative annotator test
ONE_PERSON = gettext_noop(
    "It takes two people at least: one is left out and the others are what both are compared with."
)
FEW_ITEMS = gettext_noop("Nobody has enough items that the judge and another person have rated too.")
TOO_FEW_ITEMS = gettext_noop("Too few items for this person's test; they do not count in the winning rate.")
TWO_PEOPLE = gettext_noop("With two people there is no consensus to compare with; three or more are better.")
DECISIONS = gettext_noop("A share of decisions, each with a p value of its own; it has no interval.")
TESTS_DIFFER = gettext_noop(
    "The published t test alone would say that the judge wins here; its differences hardly vary."
)
AS_SEEN_SO_FAR = gettext_noop(
    "A plan of two digits: if what was seen so far is the truth, the test then passes four times in five. The range "
    "holds the number four times in five, as far as chance moved what was seen."
)
NEAR_MARGIN = gettext_noop("The judge is so close to the margin ε that a number of items would mean nothing.")
MORE_DO_NOT_HELP = gettext_noop(
    "More items are not expected to help: as far as seen, the judge is worse than most people by the margin or more."
)
ENOUGH = gettext_noop("The test has passed; no more items are needed.")

# Means and leaderboards corrected by people's labels
TOO_FEW_LABELS = gettext_noop("Too few items have labels of people and a verdict; it takes ten at least.")
THIN_TASK = gettext_noop("A task has fewer than two labelled items, so nothing corrects its mean.")
NO_SPREAD = gettext_noop("Labelled items leave no spread to calculate an interval from.")
FEW_DIFFERENCES = gettext_noop(
    "People and judge differ on fewer than five labelled items: the interval may be too narrow."
)
ALL_LABELLED = gettext_noop("People labelled every item; this is their plain mean.")

# Who errs how (Dawid and Skene)
TOO_FEW_RATERS = gettext_noop("It takes three raters who meet: of two who differ, nothing says who is wrong.")
ONE_LABEL = gettext_noop("Only one label was ever given, so nobody can be seen to err.")
NOBODY_MEETS = gettext_noop("This rater shares no unit with another rater.")
NOT_SETTLED = gettext_noop("The estimate had not settled when it was stopped.")
AGAINST_OTHERS = gettext_noop("Raters contradict each other so much that labels and errors may have changed places.")
NEVER_TRUE = gettext_noop("No unit seems to have this label.")
NO_VOTES = gettext_noop("No votes: nobody gives this label.")
FEW_VOTES = gettext_noop("Too few votes: almost nobody gives this label, so its errors cannot be told.")
FEW_TRUE = gettext_noop("Too few units seem to have this label, so its errors cannot be told.")
EMPTY_LABELS = gettext_noop("One of the labels is hardly ever given or right; its errors are left out, being chance.")

# Judge calibration
FEW_UNITS = gettext_noop("Fewer than ten units have both a score of the judge and a rate of people.")
SCORE_CONSTANT = gettext_noop("The judge gives every unit the same score.")
GAPS_ADD_UP = gettext_noop("Chance alone makes this larger than 0, the more so the fewer units a bin has.")

# Bias cards
NOT_BOTH_ORDERS = gettext_noop("No pair was judged in both orders.")
ONE_ORDER = gettext_noop("Of one order only: it says something only where the order was drawn at random.")
ORDER_UNKNOWN = gettext_noop(
    "Left out: nobody knows which answer stood first. The file does not say it, and these pairs are stored in the "
    "order of a digest of their texts, which nobody was shown."
)
SOME_UNORDERED = gettext_noop("Of some pairs nobody knows which answer stood first; they are left out.")
NO_DECISION = gettext_noop("No pair of answers of different lengths was decided.")
NO_PEOPLE = gettext_noop("Without people's choices this is against an even split; longer answers may simply be better.")
LENGTHS_ALIKE = gettext_noop("All answers are of the same length.")
NO_COMMON_ITEM = gettext_noop("No item has answers of the judge's own family and of others, each rated by people too.")
NO_OTHERS = gettext_noop("No unit of this rater was rated by anybody else.")

# Settings of judge and reference
ONE_AUTHOR = gettext_noop("It takes two authors at least, who do not have the same mean.")
SAME_ORDER = gettext_noop("Whichever cases are drawn, the order stays the same: that gives no interval.")

# Means by intent beside satisfaction
FEW_INTENTS = gettext_noop("Fewer than three intents, or too few that differ, give no interval.")
