// The review page: keys that decide, panels that open before a decision. The page works without it.
(() => {
  "use strict";

  const form = document.getElementById("annotation");
  const queue = document.getElementById("queue");
  queue?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  const typing = (element) => element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");
  if (!form) return looking();

  const points = () => [...document.querySelectorAll("#points .point")];

  // --- the panels for sending back and dropping: beside the text, which can be read and scrolled meanwhile -------------
  const openPanel = () => form.querySelector(".side[open]");
  const here = () => document.activeElement.closest?.(".point");

  function show(name) {
    const panel = document.getElementById(name), point = here();
    if (!panel) return;
    if (openPanel() !== panel) openPanel()?.close();
    if (!panel.open) panel.show();
    (panel.querySelector("input[type=radio]:checked, input[type=radio], textarea") ?? panel).focus();
    keepInSight(point);
  }

  // The text has become narrower. On a phone the panel stands below it, and is what is looked at.
  function keepInSight(point) {
    if (matchMedia("(min-width: 56.25rem)").matches) point?.scrollIntoView({ block: "nearest" });
  }

  function shut(panel) {
    panel.querySelector("[data-unsaid]").hidden = true;
    panel.close();
  }

  // What is written for one decision is not lost by another one, or by a link: its panel is finished or cancelled first.
  const written = (panel) =>
    [...panel.querySelectorAll("textarea")].some((box) => box.value.trim()) || panel.querySelector("input:checked");

  function hold(event, panel) {
    event.preventDefault();
    event.stopPropagation();
    panel.querySelector("[data-unsaid]").hidden = false;
    show(panel.id);
  }

  document.addEventListener("submit", (event) => {
    const button = event.submitter, panel = openPanel();
    if (event.target !== form || !button || button.name === "action" || !panel || !written(panel)) return;
    if (button.dataset.decides !== panel.id) hold(event, panel);
  }, { capture: true });

  function stayFor(event) {
    const link = event.target.closest?.("a[href]"), panel = openPanel();
    if (!link || !panel || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.href.split("#")[0] !== location.href.split("#")[0] && written(panel)) hold(event, panel);
  }

  function addReason(about = "") {
    const rows = form.querySelector("[data-reasons]");
    const row = document.getElementById("blank-reason").content.firstElementChild.cloneNode(true);
    rows.append(row);
    if (about) row.querySelector("select").value = about;
    return row;
  }

  // A point's “Object” takes the first row without words, or a new one.
  function object(about) {
    const rows = [...form.querySelectorAll("[data-reasons] [data-reason]")];
    const free = rows.find((row) => !row.querySelector("textarea").value.trim()) ?? addReason();
    free.querySelector("select").value = about;
    show("return");
    free.querySelector("textarea").focus();
    keepInSight(document.getElementById(`point-${about}`));
  }

  const more = form.querySelector("[data-add-reason]");
  more.hidden = false;
  more.addEventListener("click", () => addReason().querySelector("textarea").focus());

  // --- fixing ----------------------------------------------------------------------------------------------------------
  // While an adoption is saved the fields cannot have the focus, and come anew: the key waits for them.
  function fix(name) {
    if (form.querySelector(".fields[inert]")) return form.addEventListener("fields:free", () => fix(name), { once: true });
    document.getElementById("fix").open = true;
    const field = document.getElementById(`field-${name}`) ?? form.querySelector(".field[id]");
    const whole = field?.closest(".field") ?? field;
    whole?.scrollIntoView({ block: "center" });
    const box = [...(whole?.querySelectorAll("textarea, select, input:enabled") ?? [])].find((part) => part.getClientRects().length);
    (whole?.querySelector("[data-spans]") ? whole : box ?? whole)?.focus({ preventScroll: true });
    keepInSight(document.getElementById(`point-${name}`));
  }

  // --- clicks ----------------------------------------------------------------------------------------------------------
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-opens], [data-return], [data-fix], [data-closes]");
    if (!button) return stayFor(event);
    event.preventDefault();
    const { opens, fix: field, return: about } = button.dataset;
    if (opens) show(opens);
    else if (about) object(about);
    else if (field) fix(field);
    else shut(button.closest("dialog"));
  });

  // --- keys --------------------------------------------------------------------------------------------------------
  // Down from spans of several people leads into their groups first, while some of them wait.
  function go(by) {
    const group = by > 0 && document.activeElement.matches(".point") && here().querySelector("tr[data-open]");
    if (group) return group.focus();
    const all = points();
    const at = all.indexOf(document.activeElement.closest?.(".point"));
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  function comment() {
    const fold = document.getElementById("comment-new");
    if (!fold) return;
    fold.open = true;
    if (here()) document.getElementById("comment-field").value = here().dataset.point;
    document.getElementById("comment-text").focus();
  }

  // About the point that has the focus, or the whole item.
  function sendBack() {
    const about = document.getElementById("return") && here()?.dataset.point;
    if (about) object(about);
    else show("return");
  }

  const DO = {
    a: () => press("accept"),
    r: sendBack,
    d: () => show("drop"),
    e: () => fix(here()?.dataset.point),
    c: comment,
    ArrowDown: () => go(1),
    ArrowUp: () => go(-1),
  };

  // A number adopts that text: for the point that has the focus, or as a whole where none has. At a point it answers
  // no field of the form below, whatever has been adopted there.
  function adopt(event) {
    if (!/^[1-9]$/.test(event.key) || event.target.closest?.("#fix")) return false;
    const name = here() ? `[data-take="${event.key}"]` : `[data-take-all="${event.key}"]`;
    const button = (here() ?? document).querySelector(name);
    if (button) form.requestSubmit(button);
    return Boolean(button ?? here());
  }

  // What was adopted last may not be saved yet: then the server says first whether this can be decided.
  function press(decision, waits = true) {
    const button = document.querySelector(`[data-decides="${decision}"]`);
    const saved = new CustomEvent("work:unsaved", { cancelable: true, detail: () => press(decision, false) });
    if (!button) return;
    if (button.getAttribute("aria-disabled") !== "true") form.requestSubmit(button);
    else if (!waits || form.dispatchEvent(saved)) button.focus();
  }

  // Before keys.js, which moves between the fields of the form.
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || document.body.dataset.busy || event.repeat) return;
    const dialog = event.target.closest?.("dialog");
    if (event.key === "Escape" && (dialog ?? openPanel())?.matches(".side") && (dialog || !typing(event.target))) {
      event.preventDefault();
      return shut(dialog ?? openPanel());
    }
    if (dialog) return inDialog(event, dialog);
    if (event.key === "Escape" && event.target.matches?.("#fix .field")) return leaveField(event);
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const arrow = event.key.startsWith("Arrow");
    if (arrow && (event.target.closest?.("#fix") || event.target.type === "radio")) return;
    if (adopt(event)) return event.preventDefault();
    const act = DO[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }, { capture: true });

  // From a field of the final text back to what people wrote there.
  function leaveField(event) {
    const point = document.getElementById(`point-${event.target.dataset.field.split(",")[0]}`);
    if (!point?.matches(".point")) return;
    event.preventDefault();
    point.focus({ preventScroll: true });
    point.scrollIntoView({ block: "nearest" });
  }

  // Ctrl+Enter inside one of the forms means that form's decision, never another one.
  function inDialog(event, dialog) {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter") return;
    event.preventDefault();
    const button = dialog.querySelector("[data-decides]");
    if (button) form.requestSubmit(button);
  }

  // What was folded open stays open when a save renews the points.
  let open = document.getElementById("kept")?.open ?? false;
  document.addEventListener("toggle", (event) => {
    if (event.target.id === "kept") open = event.target.open;
  }, { capture: true });
  document.addEventListener("work:shown", () => {
    const kept = document.getElementById("kept");
    if (kept) kept.open = open;
  });

  for (const dialog of form.querySelectorAll("dialog[open]")) show(dialog.id);

  // A review that this person does not hold: Enter takes it up where nobody has it, the arrows lead on in the list.
  function looking() {
    const take = document.querySelector("#decisions [data-take]");
    const WAYS = { ArrowLeft: '[data-key="back"]', ArrowRight: '[data-key="forward"]' };
    document.addEventListener("keydown", (event) => {
      if (event.isComposing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Enter" && take && event.target === document.body) {
        event.preventDefault();
        take.form.requestSubmit(take);
      } else if (WAYS[event.key] && !typing(event.target) && !event.target.closest?.(".reading, .scroll-x, dialog")) {
        document.querySelector(WAYS[event.key])?.click();
      }
    });
  }
})();
