"""The last word on what HTML made from people's texts may contain."""

import nh3

LINKS = ("http:", "https:", "mailto:")

_TAGS = "p br hr h3 h4 h5 h6 strong em s blockquote ul ol li a code pre span div table thead tbody tr th td"
_REGION = {"tabindex": {"0"}, "role": {"region"}}
_MATH = {"data-math": {"inline", "block"}}

_CLEANER = nh3.Cleaner(
    tags=set(_TAGS.split()),
    attributes={"*": set(), "a": {"href"}, "ol": {"start"}, "pre": {"aria-label"}, "div": {"aria-label"}},
    tag_attribute_values={"pre": _REGION, "div": {**_REGION, **_MATH}, "span": _MATH},
    allowed_classes={"pre": {"code"}, "span": set("ksncf") | {"math"}, "div": {"math", "scroll-x"}},
    url_schemes={scheme.rstrip(":") for scheme in LINKS},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


def cleaned(html: str) -> str:
    """The HTML with our own tags, classes and absolute web links only.

    No id and no name (they shadow what scripts look up), no style, nothing that htmx would act on.
    """
    return _CLEANER.clean(html)
