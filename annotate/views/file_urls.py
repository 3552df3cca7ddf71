from django.urls import path

from annotate.views.importing import importing
from annotate.views.releases import comparing, releases

urlpatterns = [
    path("import/", importing.import_page, name="import"),
    path("import/<int:pk>/", importing.batch, name="batch"),
    path("import/<int:pk>/settings/", importing.batch_settings, name="batch_settings"),
    path("import/<int:pk>/confirm/", importing.batch_confirm, name="batch_confirm"),
    path("import/<int:pk>/discard/", importing.batch_discard, name="batch_discard"),
    path("import/<int:pk>/rejects/", importing.batch_rejects, name="batch_rejects"),
    path("releases/", releases.releases, name="releases"),
    path("releases/compare/", comparing.release_compare, name="release_compare"),
    path("releases/<int:version>/", releases.release, name="release"),
    path("releases/<int:version>/download/", releases.release_download, name="release_download"),
    path("releases/<int:version>/manifest/", releases.release_manifest, name="release_manifest"),
    path("releases/<int:version>/card/", releases.release_card, name="release_card"),
    path("releases/<int:version>/withdraw/", releases.release_withdraw, name="release_withdraw"),
    path("releases/<int:version>/retry/", releases.release_retry, name="release_retry"),
]
