// The work page: saves while one writes, keeps a copy on this computer, shows the lease, and says all of it in words.
(() => {
  "use strict";

  const form = document.getElementById("annotation");
  const say = document.getElementById("sayings")?.dataset;
  if (!form || !say) return;
  const saves = form.dataset.saves;

  const REST = 1000; // of quiet before a save
  const RETRIES = [2000, 4000, 8000, 15000, 30000];
  const BEAT = 60_000;
  const IDLE = 30_000; // longer than this without a sign of life is not work

  let changed = false; // something was typed that the server has not confirmed
  let sending = null; // the save under way
  let leaving = false; // a button took over: no more saves of our own
  let failures = 0;
  let timer = 0;
  let seconds = 0;
  let lastSign = 0;

  // --- what stands in the form -------------------------------------------------------------------------------------
  const NOT_CONTENT = /^(csrfmiddlewaretoken|token|revision|seconds|aside|decided|newer|view_.*)$/;
  const content = () => [...new FormData(form)].filter(([name]) => !NOT_CONTENT.test(name));
  const value = (name) => form.elements.namedItem(name)?.value ?? "";

  // --- the copy on this computer -----------------------------------------------------------------------------------
  const storage = {
    write() {
      try {
        localStorage.setItem(form.dataset.keptAs, JSON.stringify({ revision: value("revision"), content: content() }));
      } catch { /* full or forbidden: the server's copy has to do */ }
    },
    read() {
      try { return JSON.parse(localStorage.getItem(form.dataset.keptAs)); } catch { return null; }
    },
    clear() {
      try { localStorage.removeItem(form.dataset.keptAs); } catch { /* nothing was kept */ }
    },
  };

  function restore() {
    const copy = storage.read();
    if (!copy) return;
    if (JSON.stringify(copy.content) === JSON.stringify(content())) return storage.clear();
    fill(copy.content);
    form.elements.namedItem("revision").value = copy.revision;
    line(say.restored, false);
    touched();
  }

  function fill(pairs) {
    const wanted = new Map();
    for (const [name, text] of pairs) wanted.set(name, [...(wanted.get(name) ?? []), text]);
    form.dispatchEvent(new CustomEvent("rows:wanted", { detail: (name) => wanted.get(name)?.length ?? 0 }));
    const seen = new Map();
    for (const field of form.elements) {
      if (!field.name || NOT_CONTENT.test(field.name) || field.type === "hidden" || field.type === "submit") continue;
      const texts = wanted.get(field.name) ?? [];
      if (field.type === "checkbox" || field.type === "radio") {
        field.checked = texts.includes(field.value);
      } else {
        const at = seen.get(field.name) ?? 0;
        seen.set(field.name, at + 1);
        field.value = texts[at] ?? "";
      }
    }
  }

  // --- the line about saving ---------------------------------------------------------------------------------------
  function line(text, failing) {
    const place = document.getElementById("save-state");
    if (!place) return;
    place.textContent = text;
    place.classList.toggle("save-state--failing", failing);
  }

  // --- saving ------------------------------------------------------------------------------------------------------
  function touched() {
    changed = true;
    sign();
    storage.write();
    schedule(REST);
  }

  function schedule(wait) {
    clearTimeout(timer);
    if (!leaving) timer = setTimeout(() => save(), wait);
  }

  async function save(action = "") {
    if (!saves || leaving || (!changed && !action)) return;
    if (sending) {
      await sending;
      return save(action);
    }
    clearTimeout(timer);
    sending = send(action).finally(() => { sending = null; });
    await sending;
  }

  async function send(action) {
    const before = JSON.stringify(content());
    const here = document.activeElement?.closest(".field")?.id;
    const several = /^(pick|take|tree):/.test(action); // fields change at once: nobody types into what is being replaced
    if (several) still(true);
    line(say.saving, false);
    try {
      const answer = await post(saves, action);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!page.getElementById("live")) throw new Failure(answer);
      if (answer.status === 409) return conflict(page);
      if (!answer.ok) throw new Failure(answer);
      failures = 0;
      seconds = 0;
      changed = JSON.stringify(content()) !== before;
      if (!changed) storage.clear();
      show(page, action);
      if (several) replaceEveryField(page, here);
      if (changed) { storage.write(); schedule(REST); }
    } catch (failure) {
      if (several) still(false);
      failed(failure);
    }
  }

  function still(inert) {
    for (const part of form.querySelectorAll(".fields")) part.inert = inert;
    if (!inert) form.dispatchEvent(new CustomEvent("fields:free", { bubbles: true }));
  }

  class Failure extends Error {
    constructor(answer) {
      super(String(answer.status));
      const signIn = document.body.dataset.signIn;
      this.signedOut = answer.redirected && new URL(answer.url).pathname === signIn;
      this.status = answer.status;
    }
  }

  async function post(address, action) {
    const data = new FormData(form);
    data.set("seconds", String(Math.round(seconds)));
    if (action) data.set("action", action);
    const answer = await fetch(address, { method: "POST", body: data, headers: { "HX-Request": "true" } });
    if (answer.status !== 403) return answer;
    // The token of this page is out of date after signing in again elsewhere: take a fresh one and try once more.
    const page = await fetch(location.href, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
    const token = fresh.querySelector("#annotation input[name=csrfmiddlewaretoken]")?.value;
    if (!token) throw new Failure(page);
    for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = token;
    data.set("csrfmiddlewaretoken", token);
    return fetch(address, { method: "POST", body: data, headers: { "HX-Request": "true" } });
  }

  function failed(failure) {
    changed = true;
    storage.write();
    const known = failure instanceof Failure;
    line(known && failure.signedOut ? say.signedOut : known ? say.failed : say.offline, true);
    schedule(RETRIES[Math.min(failures, RETRIES.length - 1)]);
    failures += 1;
  }

  function conflict(page) {
    leaving = true; // nothing is sent until a text was chosen; ours is kept on the server already
    changed = false;
    storage.clear();
    swap(page, "notices");
    swap(page, "revision");
    swap(page, "save-state");
    still(true);
    focusNotice();
  }

  // --- what the server sends back ----------------------------------------------------------------------------------
  function show(page, action) {
    const [verb] = action.split(/[:-]/);
    if (["reset", "distribute", "normalise"].includes(verb) && !changed) replaceFields(page, action);
    for (const part of page.querySelectorAll("[data-live]")) swap(page, part.id);
    for (const theirs of page.querySelectorAll(".field[id]")) {
      const ours = document.getElementById(theirs.id);
      if (!ours) continue;
      ours.classList.toggle("field--draft", theirs.classList.contains("field--draft"));
      ours.toggleAttribute("data-unanswered", theirs.hasAttribute("data-unanswered"));
    }
    document.dispatchEvent(new CustomEvent("work:shown", { detail: action }));
    clocks();
  }

  function replaceFields(page, action) {
    const name = action.startsWith("reset:") ? action.slice(6).split(",")[0] : "checklist";
    const [ours, theirs] = [document.getElementById(`field-${name}`), page.getElementById(`field-${name}`)];
    if (!ours || !theirs) return;
    ours.replaceWith(document.adoptNode(theirs));
    theirs.focus({ preventScroll: true });
    form.dispatchEvent(new CustomEvent("fields:replaced"));
  }

  // All of them are saved: what the server says is what stands.
  function replaceEveryField(page, here) {
    for (const theirs of page.querySelectorAll(".field[id]")) {
      document.getElementById(theirs.id)?.replaceWith(document.importNode(theirs, true));
    }
    form.dispatchEvent(new CustomEvent("fields:replaced"));
    still(false);
    if (here) document.getElementById(here)?.focus({ preventScroll: true });
  }

  function swap(page, id) {
    const [ours, theirs] = [document.getElementById(id), page.getElementById(id)];
    if (!ours || !theirs) return;
    for (const fold of theirs.querySelectorAll("details[id]")) fold.open = document.getElementById(fold.id)?.open ?? fold.open;
    if (ours.outerHTML === theirs.outerHTML) return;
    const here = ours.contains(document.activeElement) ? document.activeElement.closest("[id][tabindex], .field") : null;
    ours.replaceWith(document.importNode(theirs, true));
    if (here) document.getElementById(here.id)?.focus({ preventScroll: true });
  }

  function clocks() {
    for (const time of document.querySelectorAll("#save-state time, #notices time")) {
      time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    }
  }

  // --- signs of life and the lease ---------------------------------------------------------------------------------
  function sign() {
    const now = Date.now();
    if (now - lastSign < IDLE) seconds += (now - lastSign) / 1000;
    lastSign = now;
  }

  async function beat() {
    if (!saves || leaving || Date.now() - lastSign > BEAT) return;
    try {
      const answer = await post(form.dataset.heartbeat, "");
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (answer.ok || answer.status === 409) swap(page, "lease");
    } catch { /* the next save says that we are offline */ }
  }

  function tick() {
    const lease = document.getElementById("lease");
    if (!lease?.dataset.until) return;
    const left = Math.max(0, (new Date(lease.dataset.until) - Date.now()) / 60_000);
    lease.querySelector("[data-lease-left]").textContent = String(Math.ceil(left));
    const share = Math.min(100, Math.round((100 * left) / Number(lease.dataset.minutes)));
    lease.querySelector(".left").setAttribute("stroke-dasharray", `${share} 100`);
  }

  // --- events ------------------------------------------------------------------------------------------------------
  form.addEventListener("input", (event) => {
    if (event.target.name?.startsWith("view_")) return;
    event.target.removeAttribute("aria-invalid");
    touched();
  });
  form.addEventListener("change", (event) => {
    if (event.target.dataset.view === "c" && changed) save();
    else if (["radio", "checkbox", "select-one"].includes(event.target.type)) schedule(50);
  });
  form.addEventListener("focusout", (event) => {
    if (event.target.matches("textarea, input, select")) schedule(0);
  });
  form.addEventListener("rows:changed", touched);
  // Somebody asks for what a save makes possible: it is saved at once, and detail is called when that is done.
  form.addEventListener("work:unsaved", (event) => {
    if (!changed && !sending) return;
    event.preventDefault();
    save().then(event.detail);
  });

  // A save may have replaced the button that was pressed.
  function asItStands(button) {
    if (!button || button.isConnected) return button;
    return document.querySelector(`button[formaction="${button.getAttribute("formaction")}"]`);
  }

  // A button of a field acts in place; without this script it asks the server for the page.
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.name === "action" && saves) {
      event.preventDefault();
      if (!button.dataset.rowsDo && button.value) save(button.value);
      return;
    }
    if (leaving && !button?.closest("[data-conflict]")) return event.preventDefault(); // a second click
    if (!navigator.onLine) {
      event.preventDefault();
      return line(say.offline, true);
    }
    if (sending) { // its answer brings the revision that this submission has to name
      event.preventDefault();
      leaving = true;
      document.body.dataset.busy = "true";
      return sending.then(() => { leaving = false; form.requestSubmit(asItStands(button)); });
    }
    leaving = true;
    changed = false;
    clearTimeout(timer);
    form.elements.namedItem("seconds").value = String(Math.round(seconds));
    document.body.dataset.busy = "true";
  });
  // The server was not there, or failed: everything stands as before the button.
  document.addEventListener("page:stays", (event) => {
    if (!saves) return;
    leaving = Boolean(document.querySelector("[data-conflict]"));
    if (leaving) return;
    changed = true;
    storage.write();
    line(event.detail === "offline" ? say.offline : say.failed, true);
    schedule(RETRIES[0]);
  });
  document.addEventListener("page:signs-in", () => { if (saves) storage.write(); });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // the page may be out of date
  });

  // What is answered in a thread is about the text as it stands here: it is saved before.
  document.addEventListener("htmx:confirm", (event) => {
    if (!saves || !changed || leaving || !event.target.closest?.("#threads, [data-said]")) return;
    event.preventDefault();
    save().finally(() => event.detail.issueRequest(true));
  });

  // An answer stands in the thread; the field that it is about says so too.
  document.addEventListener("htmx:afterSwap", () => {
    for (const said of form.querySelectorAll("[data-said]")) {
      const thread = document.getElementById(`thread-${said.dataset.said}`);
      if (thread?.dataset.replies !== "0") said.dataset.answered = "";
    }
  });

  for (const name of ["keydown", "pointerdown", "wheel", "scroll"]) {
    document.addEventListener(name, sign, { passive: true, capture: true });
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") save();
  });
  window.addEventListener("pagehide", () => {
    if (!changed || leaving || !saves) return;
    const data = new FormData(form);
    data.set("seconds", String(Math.round(seconds)));
    navigator.sendBeacon(saves, data);
  });
  window.addEventListener("online", () => { if (changed) schedule(0); });

  // --- arriving ----------------------------------------------------------------------------------------------------
  function focusNotice() {
    document.querySelector("[data-focus]")?.focus();
  }

  function toast() {
    const shown = document.getElementById("toast");
    if (!shown) return;
    try { localStorage.removeItem(shown.dataset.keptAs); } catch { /* nothing was kept */ }
  }

  function folds() {
    for (const fold of document.querySelectorAll("details[data-fold]")) {
      try {
        if (localStorage.getItem(fold.dataset.fold) === "shut") fold.open = false;
        fold.addEventListener("toggle", () => localStorage.setItem(fold.dataset.fold, fold.open ? "open" : "shut"));
      } catch { /* it opens at every visit */ }
    }
  }

  // On a phone the form comes before the guidelines, for the keys and for readers of the screen as well.
  function guidelinesLast() {
    const [guidelines, last] = ["guidelines", "after-form"].map((id) => document.getElementById(id));
    const before = guidelines?.previousElementSibling;
    if (!before || !last) return;
    const narrow = matchMedia("(max-width: 56.24rem)");
    const place = () => (narrow.matches ? last.append(guidelines) : before.after(guidelines));
    narrow.addEventListener("change", place);
    document.addEventListener("page:ends", () => narrow.removeEventListener("change", place));
    place();
  }

  const announcement = document.getElementById("announcement");
  if (announcement) announcement.textContent = announcement.dataset.say;
  folds();
  guidelinesLast();
  toast();
  clocks();
  if (document.querySelector("[data-conflict]")) {
    leaving = true;
    still(true);
  } else if (saves) {
    restore();
  }
  if (saves) {
    const timers = [setInterval(beat, BEAT), setInterval(tick, 10_000)];
    document.addEventListener("page:ends", () => timers.forEach(clearInterval)); // the window stays, for the next page
  }
  focusNotice();
})();
