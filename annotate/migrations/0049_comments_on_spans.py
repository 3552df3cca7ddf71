"""Comments may be about one span of an answer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0048_states_in_plain_words")]

    operations = [
        migrations.AddField(
            model_name="comment",
            name="span",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
