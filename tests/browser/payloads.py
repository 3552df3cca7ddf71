"""Texts that try to act in the page. `ran()` is there to be called; an address with `pwned` in it is there to be asked.

Short fields cut what they are given, so each `say` begins with another attack; long ones hold the whole corpus.
"""

from dataclasses import dataclass, field

LONG = [
    "<script>ran()</script>",
    "</textarea></title></style></script><script>ran()</script>",
    "<img src=/static/none.png onerror=ran()>",
    "<svg/onload=ran()>",
    "<svg><animate onbegin=ran() attributeName=x dur=1s>",
    "<details open ontoggle=ran()>",
    "<input autofocus onfocus=ran()>",
    "<iframe srcdoc='<script>parent.ran()</script>'></iframe>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=ran()&gt;'>",
    "<a href='javascript:ran()'>x</a><form action='javascript:ran()'><button>x</button></form>",
    "<base href='/pwned/'><meta http-equiv=refresh content='0;url=/pwned/'><link rel=stylesheet href=/pwned.css>",
    "<img src='http://pwned.invalid/pixel.gif'><object data='/pwned'></object>",
    "<div hx-get='/pwned/' hx-trigger='load'></div>",
    "<div data-hx-get='/pwned/' data-hx-trigger='load'></div>",
    "<p hx-on::load='ran()' hx-trigger=\"load[ran()]\" style='position:fixed;inset:0'>x</p>",
    '<b id=sayings data-keys=\'{"submit":"<img onerror=ran()>"}\'>x</b>',
    "[x](javascript:ran()) [x](&#106;avascript:ran()) [x](data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg==)",
    '[x](https://a.invalid/" onmouseover="ran()) !["onerror=ran()](https://pwned.invalid/x)',
    "![x](https://pwned.invalid/pixel.gif)\n\n![x](/pwned.gif)",
    "# <img src=x onerror=ran()> {#id onclick=ran()}",
    '```"><script>ran()</script>\nx\n```\n\n```html\n<script>ran()</script>\n```',
    "|<script>ran()</script>|b|\n|-|-|\n|<img src=x onerror=ran()>|x|",
    "$\\href{javascript:ran()}{x}$ $\\includegraphics{http://pwned.invalid/x}$ $\\htmlData{hx-get=/pwned}{x}$",
    "$$\n</div><script>ran()</script>\\html@mathml{<img src=x onerror=ran()>}\n$$",
    "{{ constructor.constructor('ran()')() }}{% load x %}${ran()}",
    "&lt;script&gt;ran()&lt;/script&gt;&#60;script&#62;ran()&#60;/script&#62;",
    "\u2028</script><!--<script>ran()//--></script>\u202e",
]
SHORT = [
    "\"'><img src=/none onerror=ran()>",
    "\"'></option></select><svg/onload=ran()>",
    "</title></script><script>ran()</script>",
    '" autofocus onfocus=ran() x="',
    "' hx-get=/pwned/ hx-trigger=load x='",
    '"><b hx-get=/pwned/ hx-trigger=load>',
    "javascript:ran()//",
    "<a href=javascript:ran()>x</a>",
    "[x](javascript:ran())![x](/pwned.gif)",
    "\\u0022><img src=/none onerror=ran()>",
]


@dataclass
class Attacks:
    """`say` for a world: a short attack, then the whole corpus. Over all turns every field begins with every attack."""

    turn: int
    places: dict[str, int] = field(default_factory=dict)

    def __call__(self, where: str) -> str:
        place = self.places.setdefault(where, len(self.places))
        return SHORT[(place + self.turn) % len(SHORT)] + "\n\n" + "\n\n".join(LONG)
