"""What the installation of a soak holds when it begins: people, items, a survey whose participants will withdraw."""

from dataclasses import dataclass

from tests.support.installation import Installation
from tests.support.samples import write_samples

SLUG, CASES = "soak", "cases"
PARTICIPANTS = 6
FIRST, APART = 10_000, 100  # the numbers in the words of the first participant's cases, and how far off the next's are
LEASE_MINUTES = 1
PRICES = {"price_in": 1, "price_out": 2}
MAKE = """
from annotate.engine import endpoints
from tests.support.people import make_project
from tests.support.programs_with_tokens import token_for

project = Project.objects.create(
    slug=slug, name="Soak", kind_slug="feedback", reviews=1, lease_minutes=lease_minutes, licence="CC0-1.0"
)
Guideline.objects.create(project=project, version=1, text="Say what is wrong.")
people = {"annotator": annotators, "reviewer": reviewers, "lead": 1}
names = {role: [f"{role}{number}" for number in range(count)] for role, count in people.items()}
for role, each in names.items():
    for name in each:
        Member.objects.create(project=project, user=User.objects.create_user(name, f"{name}@example.org"), role=role)
lead = Member.objects.get(user__username="lead0")
endpoints.create(by=None, name="model", base_url=model, model="simulated", deadline=20, max_in_flight=4, **prices)
result = {**names, "token": token_for(lead)}
"""
SURVEY = """
from tests.support import surveys
from tests.support.people import make_project
project = make_project(slug=slug, kind_slug="use_case", reviews=0)
survey = surveys.open_survey(project)
Member.objects.create(project=project, user=User.objects.get(username="lead0"), role="lead")
result = [surveys.filled(survey, first=first + apart * number) for number in range(count)]
from django.test import Client
for own in result:
    assert Client().post(f"{own}send/").status_code == 302
"""


@dataclass(frozen=True)
class Scene:
    """token: the lead's, for programs. links: the private pages of the survey's participants."""

    annotators: list[str]
    reviewers: list[str]
    token: str
    links: list[str]

    def word_of(self, link: str) -> str:
        """A word that only the first case of this participant holds."""
        return f"quokka{FIRST + APART * self.links.index(link)}"


def make_scene(installation: Installation, *, people: int, items: int, model: str) -> Scene:
    """`people` annotators and reviewers, one of them a reviewer for every three annotators."""
    reviewers = max(1, people // 4)
    made = installation.python(
        MAKE,
        slug=SLUG,
        annotators=people - reviewers,
        reviewers=reviewers,
        lease_minutes=LEASE_MINUTES,
        model=model,
        prices=PRICES,
    )
    rows = write_samples(installation.folder / "rows.jsonl", items)
    installation.manage("import_items", SLUG, rows, "--no-checks")
    links = installation.python(SURVEY, slug=CASES, count=PARTICIPANTS, first=FIRST, apart=APART)
    return Scene(made["annotator"], made["reviewer"], made["token"], links)
