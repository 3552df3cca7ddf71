// The tree of criteria: keys press the buttons of the criterion that one is in, and the focus goes where it went.
(() => {
  "use strict";

  const form = document.getElementById("annotation");
  if (!form) return;
  const KEYS = { ArrowUp: "up", ArrowDown: "down", Backspace: "drop", KeyM: "merge" }; // by place: Alt changes letters
  let kept = null; // {branch, name}: where the focus was when a button was pressed

  form.addEventListener("keydown", (event) => {
    const branch = event.target.closest?.("[data-branch]");
    if (!branch || !event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const button = branch.querySelector(`button[data-branch-do="${KEYS[event.code]}"]`);
    if (!button) return;
    event.preventDefault();
    kept = { branch: branch.dataset.branch, name: event.target.name };
    form.requestSubmit(button);
  });

  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-branch-do]");
    if (button && event.detail) kept = { branch: button.closest("[data-branch]")?.dataset.branch, name: "criterion_name" };
  });

  // The page has been answered: the fields are replaced right after.
  document.addEventListener("work:shown", () => {
    if (!kept) return;
    const { branch, name } = kept;
    kept = null;
    requestAnimationFrame(() => {
      const here = [...document.querySelectorAll("[data-branch]")].find((one) => one.dataset.branch === branch);
      (here?.querySelector(`[name="${name}"]`) ?? here ?? document.getElementById("field-branches"))?.focus();
    });
  });
})();
