"""The state of an item that waits for people says so in its label: nothing changes in the tables."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0047_media")]

    operations = [
        migrations.AlterField(
            model_name="item",
            name="state",
            field=models.CharField(
                choices=[
                    ("imported", "Imported"),
                    ("ready", "To annotate"),
                    ("reviewing", "In review"),
                    ("adjudicating", "To adjudicate"),
                    ("accepted", "Accepted"),
                    ("dropped", "Dropped"),
                ],
                default="imported",
                max_length=12,
            ),
        ),
    ]
