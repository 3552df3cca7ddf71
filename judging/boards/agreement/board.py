from django.utils.translation import gettext_lazy as _

from judging.boards.agreement.options import AgreementOptions, agreement_query
from judging.boards.agreement.page import agreement
from judging.boards.agreement.printed import pooled_rows, printed, ratings_file, ratings_manifest
from judging.boards.agreement.report import AgreementReport
from judging.boards.agreement.units_page import agreement_units
from judging.boards.board import Board, Place, SubPage, everywhere

BOARD = Board(
    slug="agreement",
    name=_("Agreement"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(70),
    Options=AgreementOptions,
    numbers=agreement_query,
    state=None,  # a table of units and what is counted from it are cached by themselves
    page=agreement,
    template="agreement/agreement.html",
    formats=("csv",),
    as_rows=pooled_rows,
    printed=printed,
    sub_pages=(
        SubPage("agreement/units/", "agreement_units", agreement_units),
        SubPage("agreement/ratings/", "agreement_ratings", ratings_file),
        SubPage("agreement/ratings/manifest/", "agreement_ratings_manifest", ratings_manifest),
    ),
    reports=(AgreementReport(),),
)
