from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from judging.services import erasing
        from judging.services.studies import waves

        erasing.start()
        waves.start()
