// The page of a run: asks for its live part again when that says so, as long as somebody looks at it.
(() => {
  "use strict";

  const LONGEST = 60; // seconds
  let timer = 0;
  let held = false; // somebody wants to read in peace
  let missed = false; // it was due while the tab was hidden
  let failures = 0;

  const live = () => document.querySelector("#live[data-refresh]");

  function arm() {
    clearTimeout(timer);
    offer();
    const part = live();
    if (!part || held) return;
    const seconds = Math.min(LONGEST, Number(part.dataset.refresh) * 2 ** failures);
    timer = setTimeout(look, seconds * 1000);
  }

  function look() {
    clearTimeout(timer);
    const part = live();
    if (!part || held) return;
    missed = document.hidden;
    if (!missed) htmx.trigger(part, "due");
  }

  // The button is of no use without this script, so only this script shows it.
  function offer() {
    const button = document.querySelector("[data-hold]");
    if (button) button.hidden = false;
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && missed) look();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-hold]");
    if (!button) return;
    held = !held;
    clearTimeout(timer);
    if (!held) return look();
    button.textContent = button.dataset.goOn;
    document.querySelector("[data-refresh-says]").hidden = true;
  });

  let asked = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.id === "live") asked = event.target;
  });

  // Where nothing came, or another page than this one, the old part still stands: ask less and less often.
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!asked || event.detail.requestConfig?.elt !== asked) return;
    setTimeout(() => {
      failures = asked?.isConnected ? failures + 1 : 0;
      asked = null;
      arm();
    });
  });

  // A notice tells of a moment. It has been read, or its time is over, when the run has gone on.
  const state = () => document.querySelector("#run-state")?.textContent;
  const stateAtFirst = state();
  let looks = 0;
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig?.elt.id !== "live") return;
    looks += 1;
    if (looks < 2 && state() === stateAtFirst) return;
    for (const notice of document.querySelectorAll("#messages .notice--ok")) notice.remove();
  });

  // htmx settles attributes after a swap, the hidden one of the button too.
  document.addEventListener("htmx:afterSettle", offer);

  arm();
})();
