// The sample of a batch: keys that move between its rows and decide them. The page works without it.
(() => {
  "use strict";

  const rows = () => [...document.querySelectorAll("[data-row]")];
  const here = () => document.activeElement?.closest?.("[data-row]");
  const typing = (element) => element?.matches?.("textarea, select, input");

  function go(row) {
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }

  function move(by) {
    const all = rows(), at = all.indexOf(here());
    go(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
  }

  // The first row that waits below the one just decided, else the first of all.
  function next() {
    const all = rows(), at = all.findIndex((row) => row.matches("[data-done]"));
    return [...all.slice(at + 1), ...all].find((row) => row.matches("[data-waits]")) ?? all[at];
  }

  function giveBack() {
    const box = here().querySelector("[data-return]");
    if (!box) return;
    box.open = true;
    box.querySelector("textarea").focus();
  }

  const DO = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    a: () => here()?.querySelector("[data-accept]")?.click(),
    r: () => here() && giveBack(),
    Enter: () => here()?.querySelector("[data-open]").click(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented || event.target.closest?.("dialog")) return;
    if (typing(event.target)) return inText(event);
    if (event.ctrlKey || event.metaKey || event.altKey || (event.repeat && event.key.length === 1)) return;
    const act = DO[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (event.key === "Enter" && !event.target.matches("[data-row]"))) return;
    event.preventDefault();
    act();
  });

  function inText(event) {
    if (event.key === "Escape") go(here());
    if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter") return;
    event.preventDefault();
    here()?.querySelector("[data-returns]")?.click();
  }

  function arrived() {
    document.getElementById("sample-keys").hidden = false;
    const refused = document.querySelector("[data-refused]");
    if (refused) return go(refused);
    if (document.querySelector("[data-done]")) go(next());
    const toast = document.getElementById("toast");
    if (toast) setTimeout(() => toast.remove(), 10_000);
  }

  document.addEventListener("htmx:afterSettle", arrived);
  arrived();
})();
