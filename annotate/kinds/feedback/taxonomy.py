"""The published taxonomies (FB-Bench, arXiv 2410.09412), keys as its data spells them. Projects may have their own."""

from django.utils.translation import gettext_noop as _

ERROR_CORRECTION = _("Error Correction")
RESPONSE_MAINTENANCE = _("Response Maintenance")
SCENARIOS = [ERROR_CORRECTION, RESPONSE_MAINTENANCE]

TASKS = {
    _("Mathematics"): [
        _("Algebra"),
        _("Geometry"),
        _("Equations and Inequalities"),
        _("Combinatorial Probability"),
        _("Arithmetic"),
    ],
    _("Reasoning"): [_("Common Sense Reasoning"), _("IQ Questions")],
    _("Coding"): [_("Code Generation"), _("Code Debugging"), _("Code Knowledge")],
    _("Text Extraction"): [_("Information Extraction"), _("Summary"), _("Title Extraction")],
    _("Text Error Correction"): [_("Typo Detection"), _("Text Checking"), _("Grammar Checking")],
    _("Text Creation"): [_("Rewriting"), _("Generation")],
    _("Knowledge Q&A"): [
        _("Objective Facts"),
        _("Concept Explanation"),
        _("Experience Advice"),
        _("Reasoning Analysis"),
    ],
    _("Text Translation"): [_("Chinese to English"), _("English to Chinese")],
}

DEFICIENCIES = [
    _("Not Following Instructions"),
    _("Logical Error"),
    _("Incomplete Answer"),
    _("Factual Error"),
    _("Unprofessional Answer"),
]

FEEDBACK_TYPES = {
    ERROR_CORRECTION: [
        _("Pointing Out Errors"),
        _("Clarifying Intent"),
        _("Raising Objections"),
        _("Detailed Explanation"),
        _("Hinting Guidance"),
        _("Simple Questioning"),
    ],
    RESPONSE_MAINTENANCE: [
        _("Simple Questioning"),
        _("Misinformation"),
        _("Credibility Support"),
        _("Unreasonable Requests"),
    ],
}

# Of candidates that answer such a task; 0 elsewhere.
TEMPERATURES: dict[str, float | None] = {"Text Creation": 0.7, "Text Translation": 0.7, "Knowledge Q&A": 0.1}
