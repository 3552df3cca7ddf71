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

  dialog.addEventListener("htmx:afterSwap", () => dialog.querySelector("textarea")?.focus());
})();
