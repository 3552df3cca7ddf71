"""An annotator at the work page in Chromium, in a project of their own."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from tests.support.installation import Installation

PROJECT = """
from tests.support.people import DRAFT, FACTS, make_item
project = Project.objects.create(slug=slug, name="Moons", kind_slug="feedback")
Guideline.objects.create(project=project, version=1, text="Be **exact**.")
person = User.objects.filter(username=user).first() or User.objects.create_user(user, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
for number in range(items):
    made = facts | {"user_query": f"Question {number}: {facts.get('user_query', FACTS['user_query'])}"}
    make_item(project, key=f"{slug}-{number}", facts=FACTS | made, suggestion=DRAFT | draft)
"""
STORED = """
found = Annotation.objects.filter(slot__project__slug=slug, author__isnull=False).order_by("id")
result = [{"draft": one.draft, "submitted": one.submitted_at is not None, "decided": one.decided} for one in found]
"""
SENT_BACK = """
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from django.utils import timezone
project = Project.objects.get(slug=slug)
person = User.objects.create_user(slug + "-reviewer")
reviewer = Member.objects.create(project=project, user=person, role="reviewer")
Slot.objects.filter(project=project, stage="review").update(opens_at=timezone.now())
slot = claim.take_next(reviewer)
review = Annotation.objects.select_related("slot").get(slot=slot)
reasons = [Reason("feedback", "Too harsh.")]
decisions.send_back(review=review, token=slot.token, by=person, reasons=reasons)
"""


@dataclass
class Desk:
    """One annotator in a project of their own."""

    installation: Installation
    page: Page
    slug: str
    user: str

    def start(self) -> None:
        self.page.goto(f"/p/{self.slug}/work/")
        self.page.click("#ready button")
        expect(self.page.locator("#annotation")).to_be_visible()
        self.page.wait_for_load_state()

    def stored(self) -> list[dict[str, Any]]:
        return self.installation.python(STORED, slug=self.slug)

    def feedback(self) -> str:
        return str(self.stored()[-1]["draft"]["feedback"])

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def saved(self) -> None:
        expect(self.page.locator("#save-state")).to_contain_text("Saved")
