// Typesets formulas, and fetches what that needs only where a page has some. Without it the TeX source is shown.
(() => {
  "use strict";

  const found = document.querySelectorAll("[data-math]");
  const { script, style } = document.currentScript.dataset;
  if (!found.length) return;

  function typeset() {
    for (const place of found) {
      const source = place.textContent;
      try {
        window.katex.render(source, place, { displayMode: place.dataset.math === "block", throwOnError: true, trust: false, maxExpand: 200, maxSize: 20, strict: "ignore" });
        place.title = source;
        if (place.scrollWidth > place.clientWidth) place.tabIndex = 0; // scrolled by keys too
      } catch {
        place.textContent = source;
      }
    }
  }

  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = style;
  const code = document.createElement("script");
  code.src = script;
  code.addEventListener("load", typeset);
  document.head.append(sheet, code);
})();
