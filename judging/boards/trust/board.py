from django.utils.translation import gettext_lazy as _

from judging.boards.board import Board, Place, SubPage, everywhere
from judging.boards.trust.page import TrustOptions, trust_page, trust_query, trust_units
from judging.boards.trust.printed import printed
from judging.boards.trust.report import TrustReport

BOARD = Board(
    slug="trust",
    name=_("Trust"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(80),
    Options=TrustOptions,
    numbers=trust_query,
    state=None,  # the test is cached by itself
    page=trust_page,
    template="trust/trust.html",
    formats=(),
    printed=printed,
    sub_pages=(SubPage("trust/units/", "trust_units", trust_units),),
    reports=(TrustReport(),),
)
