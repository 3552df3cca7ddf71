// Keys of the work page: navigate, then edit. What a key does stands on its button and behind "?".
(() => {
  "use strict";

  const { keys: own, preview } = document.getElementById("sayings")?.dataset ?? {};
  const previews = preview !== undefined; // the work page stands inside another one, and is made anew while somebody edits
  let form = document.getElementById("annotation");
  if (!own || !(form || previews)) return;
  const action = new Map(Object.entries(JSON.parse(own)).map(([name, key]) => [key, name]));

  const shown = (element) => element.getClientRects().length > 0;
  const fields = () => [...form.querySelectorAll(".field[id]")].filter(shown);
  const current = () => document.activeElement?.closest?.(".field") ?? null;
  const typing = (element) => element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");

  const CHOICES = ".chip input:enabled, .verdict input:enabled, button[data-choice]:enabled";
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

  // --- moving ------------------------------------------------------------------------------------------------------
  function go(by) {
    const all = fields();
    const at = all.indexOf(current());
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  const waits = (field) => field.hasAttribute("data-unanswered") || field.querySelector('button[value^="keep:"]');

  // To the next field that a person still has to decide: below first, then from the top; else it stays.
  function goOn(from) {
    const all = fields();
    const at = all.indexOf(from) + 1;
    const next = [...all.slice(at), ...all.slice(0, at)].find((field) => field !== from && waits(field));
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  function open(field) {
    const view = field.querySelector('[data-view="b"]');
    if (view) view.checked = true;
    const box = [...field.querySelectorAll("textarea, select, input[type=text], input:not([type])")].find(shown)
      ?? field.querySelector("input");
    box?.focus();
  }

  function choose(number) {
    const skip = document.querySelector("details[data-skip][open]");
    if (skip) return skip.querySelectorAll("button[name=reason]")[number - 1]?.click();
    // A field without values leaves its numbers to the one that is chosen from anywhere, where the form has such a field.
    const values = (field) => [...(field?.querySelectorAll(CHOICES) ?? [])];
    // At the head of a question with rows, the first row without an answer is meant.
    const chosen = current() ?? fields()[0];
    const rows = [...(chosen?.querySelectorAll(".field") ?? [])];
    const field = rows.find((row) => !row.querySelector(":checked")) ?? rows[0] ?? chosen;
    // Of several groups of numbers, such as ranks, the first that has none yet is meant.
    const groups = [...(field?.querySelectorAll("[role=radiogroup]") ?? [])].filter((group) => group.querySelector(CHOICES));
    const open = groups.find((group) => !group.querySelector(":checked"));
    const own = values(open ?? groups.at(-1) ?? field);
    const anywhere = [...form.querySelectorAll("[data-numbers]")].find(shown);
    const choice = (own.length ? own : values(anywhere))[number - 1];
    choice?.click();
    if (own.length && choice?.type === "radio" && !groups.some((group) => !group.querySelector(":checked"))) {
      field.focus({ preventScroll: true });
      go(1);
    }
  }

  function nextView(field) {
    const views = [...field.querySelectorAll("[data-view]")];
    if (views.length) views[(views.findIndex((view) => view.checked) + 1) % views.length].click();
  }

  function press(verb) {
    current()?.querySelector(`button[name=action][value^="${verb}:"]`)?.click();
  }

  function keep() {
    const field = current();
    press("keep");
    if (field) goOn(field);
  }

  function keepRest() {
    document.querySelector("#keep-rest button")?.click();
    const empty = fields().find((field) => field.hasAttribute("data-unanswered") && !field.querySelector('button[value^="keep:"]'));
    empty?.focus({ preventScroll: true });
    empty?.scrollIntoView({ block: "nearest" });
  }

  function link(name) {
    const target = document.querySelector(`[data-key="${name}"]`);
    if (target && shown(target)) target.click();
  }

  function help() {
    const sheet = document.getElementById("keys");
    if (!sheet) return false;
    if (sheet.open) sheet.close();
    else sheet.showModal();
    return true;
  }

  function skip() {
    const menu = document.querySelector("details[data-skip]");
    if (!menu) return;
    menu.open = !menu.open;
    if (menu.open) menu.querySelector("summary").focus();
  }

  // Its key is the same on every page with comments, but for whoever has given it to something else.
  function comment() {
    const fold = document.getElementById("comment-new");
    if (!fold) return false;
    fold.open = true;
    const field = document.getElementById("comment-field");
    const here = current()?.dataset.field?.split(",")[0];
    if (here && [...field.options].some((option) => option.value === here)) field.value = here;
    document.getElementById("comment-text").focus();
    return true;
  }

  const DO = {
    comment,
    up: () => go(-1),
    down: () => go(1),
    open: () => { const field = current(); if (field) open(field); return Boolean(field); },
    keep: (event) => (event.shiftKey && /\p{L}/u.test(event.key) ? keepRest() : keep()),
    reset: () => press("reset"),
    view: () => { const field = current(); if (field) nextView(field); },
    back: () => link("back"),
    forward: () => link("forward"),
    skip,
    ask: () => link("ask"),
    help,
    change_before: () => tell("changes:go", -1),
    change_next: () => tell("changes:go", 1),
    turn_before: () => tell("turns:go", -1),
    turn_next: () => tell("turns:go", 1),
    layout: () => tell("changes:layout"),
  };

  // --- listening ---------------------------------------------------------------------------------------------------
  function submit(event) {
    event.preventDefault();
    const button = document.querySelector("#ask [name=confirm]") ?? document.querySelector("[data-submit]");
    if (button) form.requestSubmit(button);
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    if (document.body.dataset.busy || (previews && !form?.contains(event.target))) return;
    const control = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (control && event.key === "Enter") return submit(event);
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.closest(".field")?.focus({ preventScroll: true });
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog")) return;
    plain(event);
  });

  function plain(event) {
    if (/^[1-9]$/.test(event.key)) {
      event.preventDefault();
      return choose(Number(event.key));
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = action.get(key) ?? (key === "c" ? "comment" : undefined);
    if (!DO[name] || (event.repeat && !/^(up|down|(change|turn)_(before|next))$/.test(name))) return;
    // Buttons, links and folds have their own Enter; left and right move between the values of a radio.
    const busy = event.target.closest?.("button, a, summary");
    if (name === "open" && busy) return;
    if ((name === "back" || name === "forward") && event.target.type === "radio") return;
    if (DO[name](event) === false) return;
    event.preventDefault();
  }

  document.querySelector('[data-key="help"]')?.addEventListener("click", (event) => {
    event.preventDefault();
    help();
  });

  document.addEventListener("htmx:load", () => { form = document.getElementById("annotation"); });

  // Both columns start at the top, and the first field that needs a person has the focus.
  if (!previews && !location.hash && !document.querySelector("[data-focus], .side[open]")) {
    const first = fields().find((field) => field.hasAttribute("data-unanswered")) ?? fields()[0];
    first?.focus({ preventScroll: true });
  }
})();
