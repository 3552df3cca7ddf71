// From change to change of a difference, and from one way of showing it to the next. The server numbers the changes.
(() => {
  "use strict";

  const difference = () => document.getElementById("difference");
  if (!difference()) return;
  let at = 0;

  const view = () => [...difference().querySelectorAll(":scope > .view")].find((one) => one.getClientRects().length > 0);
  const marks = (number) => [...(view()?.querySelectorAll(`[data-change="${number}"]`) ?? [])];
  const count = () => document.getElementById("difference-count");
  const total = () => (view()?.querySelector("[data-change]") ? Number(count().dataset.changes) : 0);

  function go(by) {
    const all = total();
    if (!all) return;
    at = at + by < 1 ? all : at + by > all ? 1 : at + by;
    show(true);
  }

  function show(scrolls) {
    for (const mark of difference().querySelectorAll(".here")) mark.classList.remove("here");
    if (!at) return;
    const here = marks(at);
    for (const mark of here) mark.classList.add("here");
    count().textContent = count().dataset.at.replace("{n}", String(at)).replace("{total}", count().dataset.changes);
    if (scrolls) here[0]?.scrollIntoView({ block: "center" });
  }

  function nextView() {
    const ways = [...difference().querySelectorAll("[data-view]")];
    ways[(ways.findIndex((way) => way.checked) + 1) % ways.length].click();
  }

  document.addEventListener("changes:go", (event) => go(event.detail));
  document.addEventListener("changes:layout", nextView);
  document.addEventListener("work:shown", () => {
    at = Math.min(at, total()); // the text was edited: what was looked at stays, if it is still there
    show(false);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-change-go]");
    if (button) go(Number(button.dataset.changeGo));
  });
  document.addEventListener("change", (event) => {
    if (event.target.name === "view_difference") show(true);
  });
  for (const keys of document.querySelectorAll("[data-change-keys]")) keys.hidden = false;
})();
