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

    def write(self, project: Project, wanted: Wanted) -> Written:
        """Zeros where nothing is there: of any kind of project, and never Refused."""
        chosen = Chosen()
        value = counted(project, chosen).as_json()
        header, *lines = counts_table(value)
        value |= {"splits": chosen.filters.splits, "seed": chosen.filters.seed, "judges": chosen.judges}
        left_out = [f"{count} {why}" for why, count in value["left_out"].items()]
        parts = [table(header, lines, left=1), *([f"Left out: {', '.join(left_out)}."] if left_out else [])]
        return Written(value | {"command": command(project, chosen)}, "\n\n".join(parts))


REPORT = Training()
