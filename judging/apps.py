from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from judging.answers import personal_data
        from judging.studies import waves

        personal_data.start()
        waves.start()
