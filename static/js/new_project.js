// New project: the address follows the name while it is typed, until somebody writes an address of their own.
(() => {
  "use strict";

  const form = document.getElementById("new-project-form");
  const name = form.elements.name, address = form.elements.slug;
  let follows = !address.value;

  // As the server makes it: Latin letters without accents, digits, hyphens.
  const addressOf = (text) => text.normalize("NFKD").replace(/[^\x00-\x7f]/g, "").toLowerCase()
    .replace(/[^\w\s-]/g, "").replace(/[-\s]+/g, "-").replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, address.maxLength).replace(/[-_]+$/, "");

  const show = () => { if (follows) address.value = addressOf(name.value); };

  name.addEventListener("input", show);
  address.addEventListener("input", () => { follows = !address.value; });
  // An address that nobody wrote is left to the server, which knows those that are taken.
  form.addEventListener("formdata", (event) => { if (follows) event.formData.set("slug", ""); });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
    event.preventDefault();
    form.requestSubmit();
  });

  show();
})();
