from django.urls import path

from annotate.intake import pages
from annotate.releases import pages as releases_pages

urlpatterns = [
    path("import/", pages.import_page, name="import"),
    path("import/<int:pk>/", pages.batch, name="batch"),
    path("import/<int:pk>/settings/", pages.batch_settings, name="batch_settings"),
    path("import/<int:pk>/confirm/", pages.batch_confirm, name="batch_confirm"),
    path("import/<int:pk>/discard/", pages.batch_discard, name="batch_discard"),
    path("import/<int:pk>/rejects/", pages.batch_rejects, name="batch_rejects"),
    path("releases/", releases_pages.releases, name="releases"),
    path("releases/compare/", releases_pages.release_compare, name="release_compare"),
    path("releases/<int:version>/", releases_pages.release, name="release"),
    path("releases/<int:version>/download/", releases_pages.release_download, name="release_download"),
    path("releases/<int:version>/manifest/", releases_pages.release_manifest, name="release_manifest"),
    path("releases/<int:version>/card/", releases_pages.release_card, name="release_card"),
    path("releases/<int:version>/withdraw/", releases_pages.release_withdraw, name="release_withdraw"),
    path("releases/<int:version>/retry/", releases_pages.release_retry, name="release_retry"),
]
