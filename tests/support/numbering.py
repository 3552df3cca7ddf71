"""Numbers of rows that are the same in every run, for tests of what follows from numbers."""

from django.core.management.color import no_style
from django.db import connection


def begin_anew() -> None:
    """The next row of each table is the first one, whatever other tests have made before. For empty tables."""
    tables = connection.introspection.sequence_list()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), tables):
            cursor.execute(statement)
