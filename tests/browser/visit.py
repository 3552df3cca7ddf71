"""A window in which everything is noticed that should not happen: scripts of texts, requests, broken policies."""

from playwright.sync_api import Dialog, Page, Request

LISTEN = """
window.heard = []
window.ran = () => { window.heard.push('a text of somebody ran') }
document.addEventListener('securitypolicyviolation', event => {
  window.heard.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`)
})
"""
# What an attack would be waiting for: everything unfolded, passed over, focused.
PROVOKE = """
document.querySelectorAll('details').forEach(fold => { fold.open = true })
for (const part of document.querySelectorAll('main *, header *'))
  for (const name of ['mouseover', 'mouseenter', 'focus', 'toggle', 'animationstart', 'load', 'revealed', 'intersect'])
    part.dispatchEvent(new Event(name))
"""
# Traces in the document, whether they ran or not: attributes and elements that no page of ours has.
TRACES = """() => {
  const found = []
  for (const part of document.querySelectorAll('*')) {
    for (const {name, value} of part.attributes) {
      const scheme = /^\\s*(javascript|vbscript|data):/i.test(value)
      const loads = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href', 'srcdoc', 'srcset'].includes(name)
      const drawn = name === 'style' && part.closest('.katex')
      if (name.startsWith('on') || name.startsWith('hx-on') || name === 'srcdoc') found.push(name)
      if (name === 'style' && !drawn) found.push(name)
      const fetched = loads && part.localName !== 'a' && value.includes('pwned')
      if ((loads && scheme) || fetched) found.push(`${name}=${value.slice(0, 60)}`)
      const said = value.replace(/"X-CSRFToken": "[^"]*"/, '')  // which may hold any letters
      if (/^(data-)?hx-/.test(name) && /pwned|ran/.test(said)) found.push(`${name}=${value.slice(0, 60)}`)
    }
    const name = part.localName
    if (name === 'b' && part.id) found.push(`#${part.id}`)
    if (['iframe', 'object', 'embed', 'base', 'animate', 'style', 'mglyph'].includes(name)) found.push(`<${name}>`)
    if (name === 'script' && !part.src) found.push('<script>')
    if (name === 'meta' && part.httpEquiv) found.push('<meta http-equiv>')
    if (name === 'img' && !part.src.startsWith(location.origin + '/static/')) found.push(`<img src=${part.src}>`)
  }
  return found
}"""


class Visit:
    """One person's window, and everything in it that should not have happened."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self.origin, self.heard = page, origin, list[str]()
        page.add_init_script(LISTEN)
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _dialog(self, dialog: Dialog) -> None:
        self.heard.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if "pwned" in request.url or not request.url.startswith((self.origin, "data:")):
            self.heard.append(f"request: {request.url}")

    def complaints(self, path: str) -> list[str]:
        """All images and scripts of the page have loaded, or failed, before it is provoked."""
        self.heard.clear()
        self.page.goto(path)
        return self.left()

    def left(self) -> list[str]:
        """What has happened on this page, now that it was provoked, and what attacks have left in it."""
        self.page.evaluate(PROVOKE)
        traces: list[str] = self.page.evaluate(TRACES)
        return [f"{self.page.url}: {what}" for what in [*self.heard, *self.page.evaluate("window.heard"), *traces]]
