"""Nobody forgets a page: whatever the access matrix says somebody reads is looked at with axe, here or elsewhere."""

from tests.browser.pages import DETOURS, FILES, places
from tests.security.lines import LINES
from tests.security.world_perturbed import PAGES

# Pages that the world of the access matrix cannot fill -> the file whose tests ask axe about them.
ELSEWHERE = {
    "test_perturbed_pages": {f"blindspot_{name}" for name in ("check", "checked", "explanations", "pairs")}
    | {"blindspots"},
    "test_accessibility": {"mails_stop"},
    "test_branching": {"branch_corrections", "branch_pairs"},
    "test_bridging": {"bridging", "bridging_gain", "bridging_gain_items"},
    "test_intents": {"intents", "judge_settings", "rating_bias", "reported"},
    "test_survey": {f"survey_{name}" for name in ("answers", "case", "own", "send", "start", "withdraw")}
    | {"survey_lead", "survey_preview"},
    "test_forms": {"questions", "questions_convert", "agreement_item", "item_transcript", "media", "media_remove"},
    "test_scores": {"scores", "scores_one_page", "scores_units", "difficulty_units", "difficulty_one_page"},
}
BEHIND_A_SECOND_STEP = {"mfa_deactivate_totp", "mfa_view_recovery_codes"}  # what allauth asks first is looked at


def test_every_page_is_looked_at() -> None:
    here = {place.address for place in places()}
    elsewhere = {address for pages in ELSEWHERE.values() for address in pages}
    pages = {line.address for line in LINES if line.method == "GET" and not line.is_for_programs}
    assert pages - here - FILES - DETOURS - BEHIND_A_SECOND_STEP == elsewhere


def test_every_page_of_perturbations_is_in_their_list() -> None:
    assert len([path for path in PAGES.values() if "/blindspots/" in path]) == len(ELSEWHERE["test_perturbed_pages"])
