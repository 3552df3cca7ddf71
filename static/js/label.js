// Labelling explanations: a number presses the button that shows it. The page works without it.
(() => {
  "use strict";

  const typing = (element) => element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");
  const buttons = () => [...document.querySelectorAll("button[data-number]")];

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.repeat || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.target.closest?.("dialog") || document.body.dataset.busy) return;
    const button = buttons().find((one) => one.dataset.number === event.key);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();
