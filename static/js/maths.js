// Typesets formulas, and fetches what that needs only where there are some: in the page, or in a part that comes later.
// Without it the TeX source is shown.
(() => {
  "use strict";

  const { script, style } = document.currentScript.dataset;
  let fetched = null;

  function fetchOnce() {
    fetched ??= new Promise((resolve) => {
      const sheet = document.createElement("link");
      sheet.rel = "stylesheet";
      sheet.href = style;
      const code = document.createElement("script");
      code.src = script;
      code.addEventListener("load", resolve);
      document.head.append(sheet, code);
    });
    return fetched;
  }

  function set(place) {
    const source = place.textContent;
    try {
      window.katex.render(source, place, { displayMode: place.dataset.math === "block", throwOnError: true, trust: false, maxExpand: 200, maxSize: 20, strict: "ignore" });
      place.title = source;
      if (place.scrollWidth > place.clientWidth) place.tabIndex = 0; // scrolled by keys too
    } catch {
      place.textContent = source;
    }
  }

  async function typeset(part) {
    const found = [...part.querySelectorAll("[data-math]:not([data-taken])")];
    if (!found.length) return;
    for (const place of found) place.dataset.taken = ""; // what is typeset is no source any more
    await fetchOnce();
    found.forEach(set);
  }

  typeset(document);
  document.addEventListener("htmx:load", (event) => typeset(event.target));
})();
