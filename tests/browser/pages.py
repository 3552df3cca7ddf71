"""The pages of a filled installation: everything the access matrix says somebody reads, without files and detours."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from judging.boards.board import boards
from judging.boards.frame import board_csv, board_json, frame_urls
from tests.security.addresses import addresses
from tests.security.asking import form_for, path_for
from tests.security.lines import LINES
from tests.security.world import World, plain
from tests.support.installation import Installation

# These answer a file, or lead on to one of the other pages.
FILES = {"items_csv", "api_schema", "batch_rejects", "release_download", "release_manifest", "release_card"}
FILES |= {"my_record_json", "training_files", "survey_export", "guide_picture", "mfa_download_recovery_codes"}
FILES |= {"kind_sample", "survey_copy", "media_file", "difficulty_csv", "difficulty_json"}
FILES |= {
    "audit_export",
    "project_audit_export",
    "board_computation_json",
    "agreement_ratings",
    "agreement_ratings_manifest",
}
FILES |= {
    str(url.name) for board in boards().values() for url in frame_urls(board) if url.callback in (board_csv, board_json)
}
DETOURS = {
    "board_computation",
    "member_names",
    *("account_email", "account_set_password", "account_confirm_login_code", "mfa_authenticate"),
    *("mfa_activate_totp", "mfa_generate_recovery_codes", "mfa_reauthenticate", "work", "work_next", "work_before"),
    *(
        "work_save",
        "work_submit",
        "work_skip",
        "work_release",
        "work_heartbeat",
        "work_sibling",
        "calibration_again",
        "work_undo",
        "work_resolve",
    ),
    *("work_continue", "review_next", "review_take", "review_save", "review_heartbeat", "review_release"),
    *("review_resolve", "review_skip", "review_undo", "review_accept", "review_fix", "review_return", "review_drop"),
}
BUILD = """
from tests.browser.payloads import Attacks
from tests.security.world import build, plain
Project.objects.all().delete()
User.objects.all().delete()
result = build(plain if turn is None else Attacks(turn)).ids
"""


@dataclass(frozen=True)
class Place:
    """A page as one person sees it. what: another object than the matrix asks for."""

    address: str
    role: str
    what: str = ""

    def __str__(self) -> str:
        return "-".join(part for part in (self.role, self.address, self.what.replace(" ", "_")) if part)

    def path(self, world: World) -> str:
        address = addresses()[self.address]
        if self.what:
            return address.path(slug="ours", object_id=world.id_of(self.what, self.role))
        query = urlencode(form_for(world, self.address, self.role))
        return path_for(world, address, self.role) + (f"?{query}" if query else "")


def places() -> Iterator[Place]:
    for line in LINES:
        if (
            line.method != "GET"
            or line.is_for_programs
            or line.address in FILES | DETOURS
            or "ok" not in line.expected.values()
        ):
            continue
        entrance = line.expected["anonymous"] == "ok" and line.address != "account_logout"
        yield Place(line.address, "anonymous" if entrance else "lead" if line.expected["lead"] == "ok" else "staff")
    yield from OTHERS


OTHERS = [
    Place("home", "annotator"),
    Place("home", "stranger"),
    Place("overview", "annotator"),
    Place("overview", "viewer"),
    Place("invitation", "annotator"),
    Place("work_item", "annotator"),
    Place("my_drafts", "annotator"),
    Place("item", "lead", "returned item"),
    Place("item", "colleague", "returned item"),
    Place("item", "viewer", "fixed item"),
    Place("item", "lead", "dropped item"),
    Place("batch", "lead", "batch"),
    Place("review_item", "reviewer", "open review"),
    Place("releases", "viewer"),
    Place("run", "lead", "planned run"),
    Place("my_corrections", "colleague"),
    Place("dispute", "reviewer", "fixed dispute"),
    Place("dispute", "lead", "dropped dispute"),
]


def filled(installation: Installation, *, attacks: int | None = None) -> World:
    """Build the world of the security tests inside a running installation, anew; `attacks`: the turn of payloads.py."""
    return World(plain, ids=installation.python(BUILD, turn=attacks))
