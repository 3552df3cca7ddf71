// What the forms of kinds need on the desks of work and review: one file, so that a page stays at twenty requests.

// Editors of rows, such as a checklist: rows move, come and go in the page; without this script their buttons ask the
// server.
(() => {
  "use strict";

  const form = document.getElementById("annotation");
  if (!form) return;
  const removed = new WeakMap(); // editor -> {row, at}: the last removed row, until the next change

  const editors = () => [...form.querySelectorAll("[data-row-editor]:has(template[data-row])")];
  const editorOf = (element) => element.closest("[data-row-editor]");
  const list = (editor) => editor.querySelector("[data-rows]");
  const rows = (editor) => [...list(editor).querySelectorAll("[data-row-no]")];
  const text = (row) => row.querySelector("textarea");
  const template = (editor) => editor.querySelector("template[data-row]").content.firstElementChild;
  const blank = (editor) => template(editor).cloneNode(true);

  // Numbers, ids and labels follow the order on the page.
  function number(editor) {
    rows(editor).forEach((row, at) => {
      const [was, is] = [row.dataset.rowNo, String(at + 1)];
      if (was === is) return;
      row.dataset.rowNo = is;
      row.id = `field-${editor.dataset.rowEditor}-${at}`;
      row.querySelector(".checklist__no").textContent = is;
      for (const part of row.querySelectorAll("[aria-label]")) {
        part.setAttribute("aria-label", part.getAttribute("aria-label").replace(was, is));
      }
      for (const button of row.querySelectorAll("button[value]")) button.value = button.value.replace(/\d+$/, is);
    });
  }

  function changed(editor) {
    number(editor);
    meter();
    form.dispatchEvent(new CustomEvent("rows:changed"));
  }

  function add(editor, after) {
    const row = blank(editor);
    if (after) after.after(row);
    else list(editor).append(row);
    changed(editor);
    text(row).focus();
  }

  function move(row, by) {
    const editor = editorOf(row);
    const all = rows(editor);
    const to = all.indexOf(row) + by;
    if (to < 0 || to >= all.length) return;
    if (by < 0) all[to].before(row);
    else all[to].after(row);
    changed(editor);
  }

  function remove(row) {
    const editor = editorOf(row);
    const at = rows(editor).indexOf(row);
    removed.set(editor, { row, at });
    row.remove();
    if (!rows(editor).length) list(editor).append(blank(editor));
    changed(editor);
    editor.querySelector("[data-removed]").hidden = false;
    text(rows(editor)[Math.min(at, rows(editor).length - 1)]).focus();
  }

  function undo(editor) {
    const last = removed.get(editor);
    if (!last) return;
    const next = rows(editor)[last.at];
    if (next) next.before(last.row);
    else list(editor).append(last.row);
    removed.delete(editor);
    editor.querySelector("[data-removed]").hidden = true;
    changed(editor);
    text(last.row).focus();
  }

  // --- the sum of the weights, while one types ---------------------------------------------------------------------
  const SVG = "http://www.w3.org/2000/svg";
  const checklist = () => document.getElementById("field-checklist");

  function weights() {
    return rows(checklist())
      .filter((row) => text(row).value.trim() || row.querySelector("[name=weight]").value.trim())
      .map((row) => Number(row.querySelector("[name=weight]").value.trim().replace(",", ".")))
      .filter((weight) => Number.isFinite(weight) && weight >= 0);
  }

  function meter() {
    const sum = checklist()?.querySelector("[data-sum]");
    if (!sum) return;
    const parts = weights();
    const total = Math.round(parts.reduce((all, one) => all + one, 0) * 1e6) / 1e6;
    sum.querySelector("[data-sum-figure]").textContent = total.toFixed(2);
    const missing = 1 - total;
    const say = document.getElementById("sayings").dataset;
    const far = Math.abs(missing) > 0.0005;
    const words = missing > 0 ? say.left : say.over;
    checklist().querySelector("[data-sum-words]").textContent = far ? words.replace("{n}", String(Math.round(Math.abs(missing) * 1000) / 1000)) : "";
    draw(sum.querySelector("svg"), parts, Math.max(0, missing));
  }

  function draw(svg, parts, missing) {
    const whole = Math.max(1, parts.reduce((all, one) => all + one, 0));
    let start = 0;
    svg.replaceChildren(...[...parts.map((part, at) => [part, `fill-${1 + (at % 2)}`]), [missing, "fill-gap"]]
      .filter(([part]) => part > 0)
      .map(([part, fill]) => {
        const rect = document.createElementNS(SVG, "rect");
        const width = (1000 * part) / whole;
        for (const [name, text] of [["class", fill], ["x", start], ["width", Math.max(1, width - 2)], ["height", 10]]) {
          rect.setAttribute(name, text);
        }
        start += width;
        return rect;
      }));
  }

  // --- events ------------------------------------------------------------------------------------------------------
  const DO = { up: (row) => move(row, -1), down: (row) => move(row, 1), remove };

  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-rows-do]");
    if (!button) return;
    event.preventDefault();
    button.closest("details")?.removeAttribute("open");
    if (button.dataset.rowsDo === "add") return add(editorOf(button));
    if (button.dataset.rowsDo === "undo") return undo(editorOf(button));
    const row = button.closest("[data-row-no]");
    DO[button.dataset.rowsDo](row);
    if (row.isConnected) text(row).focus();
  });

  form.addEventListener("keydown", (event) => {
    const row = event.target.closest?.("[data-row-no]");
    if (!row || !event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    // By place on the keyboard, as Alt changes letters; not ⌫, which beside Alt deletes a word on many machines.
    const act = {
      ArrowUp: () => move(row, -1), ArrowDown: () => move(row, 1), KeyX: () => remove(row), Enter: () => add(editorOf(row), row),
    }[event.code];
    if (!act) return;
    event.preventDefault();
    const kept = document.activeElement;
    act();
    if (event.code.startsWith("Arrow")) kept.focus();
  });

  form.addEventListener("input", (event) => {
    if (event.target.name === "weight" || event.target.name === "question") meter();
  });

  // A draft is put back into the form: as many rows as it has. detail: name of a field -> how many values it has.
  form.addEventListener("rows:wanted", (event) => {
    for (const editor of editors()) {
      const wanted = event.detail(text(template(editor)).name);
      while (rows(editor).length < wanted) list(editor).append(blank(editor));
      while (rows(editor).length > Math.max(1, wanted)) rows(editor).at(-1).remove();
      number(editor);
    }
  });

  document.addEventListener("work:shown", meter);
})();

// The tree of criteria: keys press the buttons of the criterion that one is in, and the focus goes where it went. What
// was dropped or merged is kept here until the tree changes again, so that it can come back.
(() => {
  "use strict";

  const form = document.getElementById("annotation");
  if (!form) return;
  // By place on the keyboard: Alt changes letters.
  const KEYS = { ArrowUp: "up", ArrowDown: "down", KeyX: "drop", KeyM: "merge", Enter: "add" };
  let pressed = null; // {verb, at, name}: the last button, the place of its criterion, the field that the focus was in
  let taken = null; // {verb, at, rows, instead, grounds}: what "Undo" puts back at this place, instead of so many rows

  const tree = () => document.getElementById("field-branches");
  const rows = () => [...document.querySelectorAll("[data-branch]")];
  const buttonOf = (branch, verb) => (verb === "add" ? tree() : branch).querySelector(`[data-branch-do="${verb}"]`);
  const grounds = () => [...form.querySelectorAll(".tree__grounds")];

  form.addEventListener("keydown", (event) => {
    const branch = event.target.closest?.("[data-branch]");
    if (!branch || !event.altKey || event.ctrlKey || event.metaKey || event.isComposing || !KEYS[event.code]) return;
    const button = buttonOf(branch, KEYS[event.code]);
    if (!button) return;
    event.preventDefault();
    press(button, branch, event.target.name);
    form.requestSubmit(button);
  });

  // Enter in a text clicks the first button of a form, too; then the focus is elsewhere.
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-branch-do]");
    if (button && (event.detail || button === document.activeElement)) press(button, button.closest("[data-branch]"), "");
  });

  function press(button, branch, name) {
    const verb = button.dataset.branchDo;
    pressed = { verb, at: rows().indexOf(branch), name: name || "criterion_name" };
    if (verb === "undo") return putBack();
    const from = verb === "merge" ? pressed.at - 1 : pressed.at;
    taken = ["drop", "merge"].includes(verb)
      ? { verb, at: from, rows: rows().slice(from, pressed.at + 1), instead: verb === "merge" ? 1 : 0, grounds: grounds() }
      : null;
  }

  // The server numbers the rows anew; their buttons have to mean them even if it cannot be reached.
  function putBack() {
    if (!taken) return;
    pressed.at = taken.at + taken.rows.length - 1;
    for (const row of rows().slice(taken.at, taken.at + taken.instead)) row.remove();
    tree().querySelector(".tree").insertBefore(taken.rows[0], rows()[taken.at] ?? null);
    taken.rows[0].after(...taken.rows.slice(1));
    for (const ours of taken.grounds) document.getElementById(ours.id)?.replaceWith(ours);
    rows().forEach((row, at) => {
      for (const button of row.querySelectorAll("[data-branch-do]")) button.value = button.value.replace(/\d+$/, String(at + 1));
    });
    taken = null;
  }

  const PLACE = { up: -1, down: 1, merge: -1 };

  // The page has been answered: the fields are replaced right after.
  document.addEventListener("work:shown", (event) => {
    if (!pressed || !event.detail.startsWith("tree:")) return; // a save that was under way comes before it
    const { verb, at, name } = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      if (taken) tree().querySelector(`[data-taken="${taken.verb}"]`).hidden = false;
      const there = rows();
      const place = verb === "add" ? there.length - 1 : Math.min(Math.max(at + (PLACE[verb] ?? 0), 0), there.length - 1);
      (there[place]?.querySelector(`[name="${name}"]`) ?? tree()).focus();
    });
  });
})();

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

// Asking about the field one is at: the key or the link opens the form here; without this script it is a page of its own.
(() => {
  "use strict";

  const dialog = document.getElementById("question");
  if (!dialog) return;
  let at = "";

  const nameOf = (element) => {
    const place = element?.closest?.("[data-field], [data-point]");
    return (place?.dataset.field ?? place?.dataset.point ?? "").split(",")[0];
  };

  // A click moves the focus to the link: the field is the one that had it before.
  document.addEventListener("focusin", (event) => {
    const name = nameOf(event.target);
    if (name) at = name;
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('[data-key="ask"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const select = dialog.querySelector("select");
    if ([...select.options].some((option) => option.value === at)) select.value = at;
    dialog.querySelector("[role=status]").replaceChildren();
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("textarea").focus();
  });

  // Ctrl+Enter in here asks, and never hands the item in.
  document.addEventListener("keydown", (event) => {
    if (!dialog.open || !event.target.closest?.("#question") || event.isComposing) return;
    if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    dialog.querySelector("#ask-form").requestSubmit();
  }, { capture: true });

  // What was asked needs no form any more: the page says so, and the focus is where it was before.
  dialog.addEventListener("htmx:afterSwap", () => {
    const done = dialog.querySelector("[role=status] .notice");
    if (!done) return dialog.querySelector("textarea")?.focus();
    dialog.close();
    document.getElementById("messages").append(done);
    setTimeout(() => done.remove(), 10_000);
  });
})();

// Something was said in a thread: the focus goes back to where it was before.
(() => {
  "use strict";

  let before = null;
  document.addEventListener("focusin", (event) => {
    if (!event.target.closest?.("#threads")) before = event.target;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id !== "threads" || document.activeElement !== document.body) return;
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
})();

// Leaving the desk: a form or a link leads on only where the server answers. Where it refuses the connection, or fails,
// the page stays as it is, says so, and the same button works again. Listens last of all, on the window.
(() => {
  "use strict";

  const PATIENCE = 60_000;
  const signIn = document.body.dataset.signIn;
  let busy = false;

  const ask = (address, options) => fetch(address, { ...options, signal: AbortSignal.timeout(PATIENCE) });

  // While a decision is on its way, the one before it is not what "Undo" would mean.
  function offerUndo(is) {
    const toast = document.getElementById("toast");
    if (toast) toast.hidden = !is;
  }

  function stay(what) {
    busy = false;
    offerUndo(true);
    delete document.body.dataset.busy;
    document.dispatchEvent(new CustomEvent("page:stays", { detail: what }));
  }

  // Before a link is followed: any answer below 500 will do, also one that leads elsewhere.
  async function whatIsWrong() {
    try {
      const answer = await ask(signIn, { method: "HEAD", redirect: "manual", cache: "no-store" });
      return answer.status < 500 ? "" : "failed";
    } catch {
      return "offline";
    }
  }

  async function follow(link) {
    const wrong = await whatIsWrong();
    if (wrong) stay(wrong);
    else location.assign(link.href);
  }

  async function post(form, button) {
    const data = new FormData(form);
    if (button?.name) data.append(button.name, button.value);
    // By attribute: a button of that name would stand in the way of form.action.
    const address = button?.getAttribute("formaction") ?? form.getAttribute("action") ?? location.href;
    try {
      const headers = { "X-Names-Redirect": "yes", "X-Takes-Page": "yes" };
      const answer = await ask(address, { method: "POST", body: data, headers });
      if (answer.status >= 500) return stay("failed");
      const place = answer.headers.get("X-Page-Is-At");
      if (place) return turn(place, await answer.text());
      const next = answer.headers.get("X-Redirects-To");
      if (next) return lead(new URL(next, location.href));
      show(await answer.text());
    } catch {
      stay("offline");
    }
  }

  // To a place on this very page, the browser would only scroll.
  function lead(next) {
    if (next.pathname === signIn) document.dispatchEvent(new CustomEvent("page:signs-in"));
    if (next.pathname + next.search !== location.pathname + location.search) return location.assign(next);
    history.replaceState(null, "", next);
    location.reload();
  }

  // The next item came with the answer: its page takes the place of this one, and the address bar names it.
  function turn(place, page) {
    history.pushState(null, "", place);
    show(page);
  }

  // The page that says what is missing takes the place of this one, under the item's own address.
  function show(page) {
    document.dispatchEvent(new CustomEvent("page:ends"));
    document.open();
    document.write(page);
    document.close();
  }

  const elsewhere = (event, link) =>
    event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target || link.download;
  const onThisPage = (link) => link.hash && link.href.split("#")[0] === location.href.split("#")[0];

  window.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || elsewhere(event, link) || link.origin !== location.origin) return;
    if (onThisPage(link)) return;
    event.preventDefault();
    follow(link);
  });

  // Back and forward between items that came with an answer: the browser changes the address, the server has the page.
  const here = location.pathname;
  window.addEventListener("popstate", () => {
    if (location.pathname !== here) location.reload();
  });

  window.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || form.hasAttribute("target")) return;
    event.preventDefault();
    if (busy) return; // a second click
    busy = true;
    post(form, event.submitter);
    offerUndo(false);
  });
})();
