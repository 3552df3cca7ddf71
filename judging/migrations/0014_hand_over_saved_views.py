"""The saved views of boards go into the table that all pages share."""

from django.db import migrations

COLUMNS = "name, page, query, shared, created_at, owner_id, project_id"


def copied(source: str, target: str) -> list[str]:
    return [f"INSERT INTO {target} ({COLUMNS}) SELECT {COLUMNS} FROM {source}", f"DELETE FROM {source}"]  # noqa: S608


class Migration(migrations.Migration):
    dependencies = [("judging", "0013_changes_are_counted"), ("annotate", "0042_saved_views")]

    operations = [
        migrations.RunSQL(
            copied("judging_savedview", "annotate_savedview"),
            # The views of pages that are no boards go back too; the next time forward they are in place again.
            copied("annotate_savedview", "judging_savedview"),
        ),
    ]
