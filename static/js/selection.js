// Selecting rows of the list of items: ranges with Shift, by mouse and by keyboard. The page works without it.
(() => {
  "use strict";

  const form = document.querySelector("form[data-needs=item]");
  const bar = document.getElementById("bulk");
  if (!form || !bar) return;
  const boxes = () => [...form.querySelectorAll("input[name=item]")];
  const scope = bar.querySelector("[name=scope]");
  const said = bar.querySelector("[data-picked]");
  let last = null; // the box that was clicked before: a range begins there

  function show() {
    const picked = boxes().filter((box) => box.checked).length;
    said.textContent = scope.checked ? "" : picked ? said.dataset.picked.replace("{n}", String(picked)) : said.dataset.none;
    bar.querySelector("[data-unpick]").hidden = !picked && !scope.checked;
    for (const box of boxes()) box.closest("tr").classList.toggle("picked", box.checked || scope.checked);
    const all = form.querySelector("[data-check-all]");
    all.checked = picked > 0 && picked === boxes().length;
    all.indeterminate = picked > 0 && !all.checked;
    form.dispatchEvent(new CustomEvent("picked", { bubbles: true })); // shell.js: which buttons are available
  }

  function pickRange(from, to, checked) {
    const all = boxes(), ends = [all.indexOf(from), all.indexOf(to)].sort((a, b) => a - b);
    for (const box of all.slice(ends[0], ends[1] + 1)) box.checked = checked;
  }

  function clear() {
    for (const box of boxes()) box.checked = false;
    scope.checked = false;
    last = null;
    show();
  }

  form.addEventListener("click", (event) => {
    const label = event.target.closest("td.pick label");
    if (label && event.shiftKey && event.target.type !== "checkbox") event.preventDefault(); // no text is marked
    const box = event.target.type === "checkbox" ? event.target : event.shiftKey && label?.querySelector("input");
    if (box?.name !== "item") return;
    if (box !== event.target) box.checked = !box.checked;
    if (event.shiftKey && last?.isConnected) pickRange(last, box, box.checked);
    last = box;
    show();
  });

  function move(box, by, selects) {
    const all = boxes(), next = all[all.indexOf(box) + by];
    if (!next) return;
    if (selects) {
      if (!all.some((other) => other !== box && other.checked)) box.checked = true;
      next.checked = true;
      last = next;
    }
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    show();
  }

  const typing = (element) => element.matches?.("textarea, select, input:not([type=checkbox])");

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target) || event.target.closest?.("dialog")) return;
    const row = event.target.closest?.("#item-list tbody tr");
    const box = row?.querySelector("input[name=item]");
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && box && event.target === box) move(box, by, event.shiftKey);
    else if (event.key.toLowerCase() === "x" && !event.repeat && box) box.click();
    else if (event.key === "Escape" && !document.querySelector("details.menu[open]") && form.querySelector(":checked")) clear();
    else return;
    event.preventDefault();
  });

  form.addEventListener("change", show);
  document.addEventListener("change", (event) => { if (event.target.dataset.checkAll) show(); }); // after shell.js
  bar.querySelector("[data-unpick]").addEventListener("click", clear);
  window.addEventListener("pageshow", show); // the browser may have kept what was ticked
  bar.querySelector("[data-keys]").hidden = false;
  show();
})();
