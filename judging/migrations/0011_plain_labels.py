"""Labels and choices in plain English: nothing changes in the tables."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0010_a_judge_is_there_once"),
    ]

    operations = [
        migrations.AlterField(
            model_name="author",
            name="sort",
            field=models.CharField(
                choices=[
                    ("model", "Model"),
                    ("person", "Person"),
                    ("gold", "Gold answer"),
                    ("perturbed", "Perturbed answer"),
                    ("reference", "Reference answer"),
                    ("search", "Search engine or other service"),
                ],
                default="model",
                max_length=9,
                verbose_name="type",
            ),
        ),
        migrations.AlterField(
            model_name="part",
            name="joined",
            field=models.CharField(
                choices=[
                    ("exact", "word for word"),
                    ("position", "by its position"),
                    ("close", "by similarity"),
                    ("none", "not mentioned by the judge"),
                    ("surplus", "fits no question"),
                ],
                default="exact",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="savedview",
            name="shared",
            field=models.BooleanField(default=False, verbose_name="for everyone in the project"),
        ),
    ]
