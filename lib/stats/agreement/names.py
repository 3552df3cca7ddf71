"""The names of all coefficients, in the order of tables; scripts rely on them."""

OF_MANY = ("percent", "fleiss_kappa", "krippendorff_alpha", "gwet_ac", "brennan_prediger", "icc", "icc_k")
OF_TWO = ("cohen_kappa", "weighted_kappa", "pearson", "spearman", "kendall", "mae")
NAMES = (
    "percent",
    "cohen_kappa",
    "weighted_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac",
    "brennan_prediger",
    "icc",
    "icc_k",
    "pearson",
    "spearman",
    "kendall",
    "mae",
)
OF_NUMBERS = frozenset({"weighted_kappa", "icc", "icc_k", "pearson", "spearman", "kendall", "mae"})
VARYING = frozenset({"icc", "icc_k", "pearson", "spearman", "kendall"})  # undefined where scores are constant
RESAMPLES = 1000
SEED = 0
RESAMPLED_PAIRS = 200  # of raters; of more, only the values of each are given: intervals of all would take minutes
