from typing import Any

from annotate.management.run_command import RunCommand
from annotate.models import Job, Run
from judging.models import Verdict


class Command(RunCommand):
    help = "Let a model check whether judges' explanations name a mistake that their scores did not count."
    purpose = "explanations"

    def more(self, run: Run) -> dict[str, Any]:
        """Explanations that name a mistake, and those that do not."""
        subjects = Job.objects.filter(run=run, state=Job.State.DONE).values_list("subject", flat=True)
        looked_at = Verdict.objects.filter(pk__in=[int(subject.rpartition("/")[2]) for subject in subjects])
        found_count = looked_at.filter(found_in_explanation=True).count()
        return {"found": found_count, "not_found": looked_at.filter(found_in_explanation=False).count()}
