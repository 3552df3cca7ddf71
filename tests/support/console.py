"""The other end of Installation.python: runs code with Django's models and answers, one JSON line for each request."""

import json
import sys
import traceback

import django


def main() -> None:
    django.setup()
    from annotate import models

    # Answers go to the real standard output; whatever the code prints goes to standard error.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        names = {**vars(models), **request["values"]}
        answers.write(json.dumps(_run(request["code"], names), default=str) + "\n")
        answers.flush()


def _run(code: str, names: dict[str, object]) -> dict[str, object]:
    try:
        exec(code, names)
    except Exception:
        return {"error": traceback.format_exc()}
    return {"result": names.get("result")}


if __name__ == "__main__":
    main()
