"""One process of a race, inside an installation: a thread per person. Started by racers.py."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django


def main() -> None:
    django.setup()
    runs = json.loads(sys.argv[1])
    with ThreadPoolExecutor(len(runs)) as threads:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        running = [threads.submit(_perform, **run) for run in runs]
        json.dump([received for run in running for received in run.result()], sys.stdout)


def _perform(person: str, action: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    from django.db import connection

    from annotate.models import Member
    from tests.races.actions import ACTIONS

    member = Member.objects.select_related("project", "user").get(user__username=person)
    try:
        return [{"person": person, **received} for received in ACTIONS[action](member, **values)]
    finally:
        connection.close()


if __name__ == "__main__":
    main()
