from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from judging.answers import erasure, own_record
        from judging.studies import waves

        erasure.start()
        own_record.start()
        waves.start()
