"""What there is to train a judge with: rows by step and split, as `export_training` writes them."""

from annotate.models import Project
from judging.services.reports.base import Report, Wanted, Written
from judging.services.reports.tables import table
from judging.services.training.base import Chosen
from judging.services.training.counting import counted
from judging.services.training.counting import table as counts_table
from judging.services.training.files import command


class Training(Report):
    slug = "training"
    about = "data to train a judge with, by step and split"

    def write(self, project: Project, options: Wanted) -> Written:
        """Zeros where nothing is there: of any kind of project, and never Refused."""
        selection = Chosen()
        value = counted(project, selection).as_json()
        header, *lines = counts_table(value)
        value |= {"splits": selection.filters.splits, "seed": selection.filters.seed, "judges": selection.judges}
        skip_reasons = [f"{count} {why}" for why, count in value["left_out"].items()]
        parts = [table(header, lines, left=1), *([f"Left out: {', '.join(skip_reasons)}."] if skip_reasons else [])]
        return Written(value | {"command": command(project, selection)}, "\n\n".join(parts))


REPORT = Training()
