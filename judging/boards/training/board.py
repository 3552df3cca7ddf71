"""Report on training data for judges: rows by step and split, as `export_training` writes them."""

from annotate.models import Project
from judging.boards.board import Board, SubPage, everywhere
from judging.boards.options import BoardOptions
from judging.boards.report import Report, ReportOptions, ReportOutput, table
from judging.boards.training import page
from judging.training.chats import TrainingChoice
from judging.training.training_files import command, count_rows
from judging.training.training_files import table as counts_table


class Training(Report):
    slug = "training"
    about = "training data for a judge, by step and split"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        """The counts, zeros if there are no rows: works for any kind of project and is never Refused."""
        selection = TrainingChoice()
        value = count_rows(project, selection).as_json()
        header, *lines = counts_table(value)
        value |= {"splits": selection.filters.splits, "seed": selection.filters.seed, "judges": selection.judges}
        skip_reasons = [f"{count} {why}" for why, count in value["left_out"].items()]
        parts = [table(header, lines, left=1), *([f"Left out: {', '.join(skip_reasons)}."] if skip_reasons else [])]
        return ReportOutput(value | {"command": command(project, selection)}, "\n\n".join(parts))


BOARD: Board[BoardOptions, None] = Board(
    slug="training",
    name="Training",
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    sub_pages=(
        SubPage("training/", "training", page.training_page),
        SubPage("training/files.zip", "training_files", page.training_files),
    ),
    saves_views=False,
    reports=(Training(),),
)
