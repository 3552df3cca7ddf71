// The frame's few behaviours. Every page works without them.
(() => {
  "use strict";

  const openMenus = () => document.querySelectorAll("details.menu[open]");

  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    for (const menu of openMenus()) {
      menu.open = false;
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    }
  });

  // Whoever is in the panel of the tour ends it by Esc.
  document.getElementById("tour")?.addEventListener("keydown", (event) => {
    const end = event.currentTarget.querySelector("[data-tour-end]");
    if (event.key === "Escape" && !event.isComposing) end?.click();
  });

  // On a phone the rows of links scroll: the open one is in sight.
  for (const link of document.querySelectorAll(".tabs [aria-current], .door-row [aria-current]")) {
    link.scrollIntoView({ block: "nearest", inline: "center" });
  }

  // Ctrl+K opens the dialog that jumps anywhere; the link does without scripts. Nobody who types loses the key.
  const jump = document.getElementById("jump"), box = document.getElementById("jump-q");
  const links = () => [...document.querySelectorAll("#jump-found a")];
  let entered = false; // Enter was pressed before the answer to what stands in the box was there

  function openJump(event) {
    event.preventDefault();
    if (!jump) return box?.focus();
    jump.showModal();
    box.select();
    box.dispatchEvent(new CustomEvent("jump:open"));
  }

  function move(event) {
    const all = links(), at = all.indexOf(document.activeElement), by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || event.keyCode === 229) return;
    if (by) (all[at + by] ?? (by < 0 ? box : all.at(-1)))?.focus();
    else if (event.key === "Enter" && document.activeElement === box) enter();
    else return;
    event.preventDefault();
  }

  function enter() {
    entered = document.getElementById("jump-found").dataset.q !== box.value;
    if (!entered) links()[0]?.click();
  }

  box?.addEventListener("input", () => { entered = false; });
  document.addEventListener("htmx:afterSettle", () => { if (entered) enter(); });

  box?.closest(".jump-box").addEventListener("keydown", move);
  jump?.addEventListener("keydown", (event) => event.stopPropagation()); // none of its keys is one of the page
  jump?.addEventListener("click", (event) => { if (event.target === jump) jump.close(); });
  document.getElementById("jump-link")?.addEventListener("click", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) openJump(event);
  });

  // What was just done can be undone for ten seconds: by its button, or by Ctrl+Z outside of text fields.
  const toast = document.getElementById("toast");
  if (toast) {
    history.replaceState(null, "", location.pathname + location.hash);
    setTimeout(() => toast.remove(), 10_000);
  }

  const typing = (element) => element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");

  document.addEventListener("keydown", (event) => {
    const asked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    if (!asked || event.isComposing || typing(event.target) || document.querySelector("dialog:modal")) return;
    if (jump || box) openJump(event);
  });

  document.addEventListener("keydown", (event) => {
    const undo = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
    if (!undo || event.isComposing || event.defaultPrevented || typing(event.target) || document.body.dataset.busy) return;
    const button = document.querySelector("[data-undo]");
    if (!button) return;
    event.preventDefault();
    button.form.requestSubmit(button);
  });

  // Puts one of the page's own prepared sentences (template#tell-…) among the messages, or into the dialog that is in use.
  function tell(what) {
    const prepared = document.getElementById(`tell-${what}`);
    const here = document.querySelector("dialog:modal") ?? document.activeElement?.closest("dialog");
    const place = here?.querySelector(".panel__body") ?? document.getElementById("messages");
    if (!prepared || !place) return;
    for (const earlier of document.querySelectorAll(`[data-tell="${what}"]`)) earlier.remove();
    place.append(prepared.content.cloneNode(true));
  }

  document.addEventListener("page:stays", (event) => tell(event.detail));

  document.addEventListener("htmx:sendError", () => tell("offline"));
  document.addEventListener("htmx:timeout", () => tell("offline"));
  document.addEventListener("htmx:responseError", (event) => {
    tell(event.detail.xhr.status >= 500 ? "failed" : "refused");
  });

  // A request that was led to the sign-in page must not put that page into a corner of this one.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const signIn = document.body.dataset.signIn;
    const answeredBy = event.detail.xhr.responseURL;
    if (!signIn || !answeredBy || new URL(answeredBy).pathname !== signIn) return;
    event.detail.shouldSwap = false;
    tell("signed-out");
  });

  // htmx copies the attributes of an old element to the new one with its id, and the CSP refuses a style: scripts place
  // panels by it, and the browser sizes text areas that somebody has drawn larger.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (!detail.shouldSwap) return;
    for (const old of [detail.target, ...detail.target.querySelectorAll("[id][style]")]) old.removeAttribute("style");
  });

  // Whoever was signed out at work comes back to their text, if it is on this computer.
  const keptText = document.querySelector("[data-kept-text]");
  const next = document.querySelector("#entrance-form input[name=next]")?.value ?? "";
  const slot = /\/(?:work|review)\/(\d+)\//.exec(next)?.[1];
  if (keptText && slot) {
    const copy = new RegExp(`^touchstone-\\d+-${slot}$`);
    try { keptText.hidden = !Object.keys(localStorage).some((key) => copy.test(key)); } catch { /* nothing is kept */ }
  }

  // A box in a table's head ticks all boxes of the name it gives, within its form.
  document.addEventListener("change", (event) => {
    const name = event.target.dataset?.checkAll;
    if (!name) return;
    const boxes = event.target.form.querySelectorAll(`input[type="checkbox"][name="${CSS.escape(name)}"]`);
    for (const box of boxes) box.checked = event.target.checked;
  });

  // A form that works on ticked boxes, data-needs="name": while fewer than data-needs-count are ticked, its buttons read
  // as unavailable and it is not sent, but says why. Without scripts the server says the same.
  function lacksTicks(form) {
    if (new FormData(form).get("scope") === "all") return false;
    const ticked = [...form.elements].filter((box) => box.name === form.dataset.needs && box.checked).length;
    return ticked < Number(form.dataset.needsCount ?? 1);
  }

  function showNeeds() {
    for (const form of document.querySelectorAll("form[data-needs]")) {
      const lacking = lacksTicks(form);
      for (const button of form.querySelectorAll("button[type=submit]")) button.ariaDisabled = String(lacking);
      if (!lacking) for (const told of form.querySelectorAll("[role=alert][data-needs-told]")) told.hidden = true;
    }
  }

  for (const happening of ["change", "picked", "htmx:load"]) document.addEventListener(happening, showNeeds);
  window.addEventListener("pageshow", showNeeds); // the browser may have kept what was ticked
  showNeeds();

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset?.needs || !lacksTicks(form)) return;
    event.preventDefault();
    const told = form.querySelector("[data-needs-told]");
    told.hidden = false;
    told.focus();
  });

  // <button data-copy="id">: the text of that element goes to the clipboard, and the button says so.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button || !navigator.clipboard) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    button.textContent = button.dataset.copied;
  });
})();
