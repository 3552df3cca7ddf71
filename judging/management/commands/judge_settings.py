from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.engine.endpoints import to_choose_from
from annotate.errors import Refused
from annotate.management.command import ContractCommand, collect_garbage_rarely
from annotate.management.run_command import USAGE, in_words, usd, whole_number
from annotate.models import Project, Run
from annotate.runs import actions, execution
from annotate.runs.execution import work
from judging.access import has_intents
from judging.boards.judge_settings.numbers import Setting, SettingsPlan, plan_settings

SETTING_HELP = "a judge and the author of its references; give two to five settings"


class Command(ContractCommand):
    help = "Plan up to five settings of judge and reference on the same randomly drawn cases; --wait runs them."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument(
            "--setting", action="append", required=True, metavar="ENDPOINT:REFERENCE", help=SETTING_HELP
        )
        parser.add_argument("--items", type=whole_number, required=True, metavar="N", help="number of cases to draw")
        parser.add_argument("--seed", type=int, required=True, metavar="S", help="the same seed gives the same cases")
        parser.add_argument(
            "--authors", default="", metavar="a,b", help="authors of the answers; default: all except the references"
        )
        parser.add_argument("--budget", type=usd, metavar="USD", help="per setting")
        parser.add_argument(
            "--wait", action="store_true", help="work in this process, without a worker, until no job is open"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if not has_intents(project):
            self.refuse(f"Items of the kind {project.kind_slug} have no user intents.")
        if not 0 <= options["seed"] < 2**31:
            raise CommandError("--seed must be a whole number from 0 to 2147483647.", returncode=USAGE)
        try:
            planned = plan_settings(self._wish(project, options), by=None, budget=options["budget"])
        except Refused as refused:
            self.refuse(str(refused))
        if options["wait"]:
            collect_garbage_rarely()
            for run in planned:
                actions.start(run, None, ring=False)
                work(run)
                run.refresh_from_db()
        value = {"runs": [_value(run) for run in planned], "seed": options["seed"], "cases": options["items"]}
        self.report(value, as_json=options["json"], text="\n".join(_line(run) for run in planned))

    def _wish(self, project: Project, options: dict[str, Any]) -> SettingsPlan:
        authors = list(dict.fromkeys(filter(None, map(str.strip, options["authors"].split(",")))))
        settings = [self._setting(word) for word in options["setting"]]
        return SettingsPlan(project, settings, options["items"], options["seed"], authors)

    def _setting(self, word: str) -> Setting:
        """ENDPOINT:REFERENCE; names of endpoints hold no colon."""
        name, colon, reference = word.partition(":")
        if not (name and colon and reference):
            raise CommandError(f"--setting {word!r}: write ENDPOINT:REFERENCE.", returncode=USAGE)
        endpoint = to_choose_from().filter(name=name).first()
        if endpoint is None:
            endpoint_names = ", ".join(to_choose_from().values_list("name", flat=True)[:20]) or "none yet"
            self.refuse(f"There is no endpoint {name!r}. Endpoints: {endpoint_names}.")
        assert endpoint is not None
        return Setting(endpoint, reference)


def _value(run: Run) -> dict[str, Any]:
    progress = execution.progress(run)
    row = {"run": run.pk, "endpoint": run.endpoint.name, "reference": run.options["reference"]}
    return row | {"jobs": progress.jobs, "done": progress.done, "failed": progress.failed, "cost": float(progress.cost)}


def _line(run: Run) -> str:
    return (
        f"Run {run.pk}: {run.endpoint.name}, reference {run.options['reference']}: {in_words(execution.progress(run))}"
    )
