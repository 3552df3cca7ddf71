"""The texts inside prompts that a run is planned with: rubrics, axes, rules, criteria, the system's rule."""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from django.db.models import Q

from annotate.models import Project, PromptVersion, Run
from annotate.services.prompts.files import shipped
from lib.texts import own
from lib.texts.fencing import RULE_NAME, is_protecting
from lib.texts.fencing import SCOPE as SYSTEM


def scopes(project: Project) -> list[str]:
    """Whose texts a project can edit: those of every purpose that suits it."""
    from annotate.purposes import purposes  # which import prompts

    suiting = (purpose for purpose in purposes().values() if purpose.offered and purpose.suits(project))
    return list(dict.fromkeys(scope for purpose in suiting for scope in purpose.text_scopes(project)))


def is_part(scope: str) -> bool:
    return own.is_registered(scope)


def frozen(project: Project, patterns: Sequence[str]) -> list[PromptVersion]:
    """The texts in use that one of the patterns names, in every language, to be kept with a run.

    patterns: `<scope>.<name>`, where a star stands for anything. Three queries for each scope, however many texts.
    """
    from annotate.services.prompts import publish, sha256  # which read parts

    versions = []
    for scope in dict.fromkeys(pattern.partition(".")[0] for pattern in patterns):
        files = {
            key: file
            for key, file in shipped(scope).items()
            if any(fnmatchcase(f"{scope}.{key[0]}", pattern) for pattern in patterns)
        }
        rows = _in_use(project, scope)
        if any(key not in rows or _is_old(rows[key], sha256(file.text)) for key, file in files.items()):
            publish(scope)
            rows = _in_use(project, scope)
        versions += [rows[key] for key in files]
    return versions


def _in_use(project: Project, scope: str) -> dict[tuple[str, str], PromptVersion]:
    """(name, language) -> the project's newest version in use, else the newest shipped one."""
    usable = Q(project=None) | Q(project=project, adopted=True)
    rows = PromptVersion.objects.filter(usable, scope=scope).order_by("number")
    ordered = sorted(rows, key=lambda row: row.project_id is not None)
    return {(row.step, row.language): row for row in ordered}


def _is_old(row: PromptVersion, sha: str) -> bool:
    return row.project_id is None and row.sha256 != sha


def of_run(run: Run) -> dict[tuple[str, str, str], str]:
    """(scope, name, language) -> text; empty of a run planned before texts were kept, which follows the files."""
    return {(version.scope, version.step, version.language): version.text for version in run.texts.all()}


def changed(versions: Collection[PromptVersion]) -> list[PromptVersion]:
    """Those that say something else than what was shipped first, in a fixed order."""
    originals = PromptVersion.objects.filter(project=None, number=1, scope__in={version.scope for version in versions})
    hash_by_key = {(original.scope, original.step, original.language): original.sha256 for original in originals}
    changed_versions = [
        version
        for version in versions
        if hash_by_key.get((version.scope, version.step, version.language)) != version.sha256
    ]
    return sorted(changed_versions, key=lambda version: (version.scope, version.step, version.language))


def is_unprotected(scope: str, name: str, language: str, text: str) -> bool:
    """Whether this is a system's rule under which what stands in blocks may be taken for orders."""
    return (scope, name) == (SYSTEM, RULE_NAME) and not is_protecting(text, language)
