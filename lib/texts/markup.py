"""How parsed Markdown is written as HTML in our design; the result still goes through cleaning."""

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from lib.texts.highlighting import code_html

_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
# A page has its own first two levels of headings.
_HEADING_SHIFT = 2
# Characters of code in one text that get colours, which cost far more than all the rest.
_COLOURED = 20_000


class Labels(NamedTuple):
    """What screen readers call the regions that scroll; {language} is the language of the code."""

    code: str = "{language} code"
    table: str = "table"


ENGLISH = Labels()


class Markup(RendererHTML):
    """Overrides what our pages show differently; labels come in env["labels"]."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        match = _LANGUAGE.match(tokens[idx].info.strip())
        language = match.group() if match else ""
        label = env["labels"].code.replace("{language}", language).strip()
        html = _within_budget(tokens[idx].content.removesuffix("\n"), language, env)
        return f'<pre class="code" tabindex="0" role="region" aria-label="{escape(label)}"><code>{html}</code></pre>\n'

    code_block = fence

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link without words shows its address."""
        address = escape(str(tokens[idx].attrGet("href") or ""))
        is_empty = tokens[idx + 1].type == "link_close"
        return f'<a href="{address}">{address if is_empty else ""}'

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link: nothing is loaded from elsewhere."""
        address = str(tokens[idx].attrGet("src") or "")
        name = self.renderInlineAsText(tokens[idx].children, options, env) or address
        if idx and tokens[idx - 1].type == "link_open":
            return escape(name)
        return f'<a href="{escape(address)}">{escape(name)}</a>'

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        mode = "block" if tokens[idx].markup in ("$$", "\\[") else "inline"
        return f'<span class="math" data-math="{mode}">{escape(tokens[idx].content)}</span>'

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<div class="math" data-math="block">{escape(tokens[idx].content)}</div>\n'

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        label = escape(env["labels"].table)
        return f'<div class="scroll-x" tabindex="0" role="region" aria-label="{label}"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<{_lowered(tokens[idx].tag)}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"</{_lowered(tokens[idx].tag)}>\n"


def _within_budget(code: str, language: str, env: EnvType) -> str:
    budget = env.get("colours_left", _COLOURED) - len(code)
    if budget < 0:
        return escape(code)
    env["colours_left"] = budget
    return code_html(code, language)


def _lowered(tag: str) -> str:
    return f"h{min(int(tag[1]) + _HEADING_SHIFT, 6)}"
