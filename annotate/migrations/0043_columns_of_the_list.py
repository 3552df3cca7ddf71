"""Each member chooses the columns of the list of items."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0042_saved_views")]

    operations = [
        migrations.AddField(model_name="member", name="item_columns", field=models.JSONField(blank=True, default=list)),
    ]
