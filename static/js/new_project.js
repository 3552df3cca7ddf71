// New project: kinds are found by their words, the form says which one is chosen, and the address follows the name while
// it is typed, until somebody writes an address of their own.
(() => {
  "use strict";

  const form = document.getElementById("new-project-form");
  const name = form.elements.name, address = form.elements.slug;
  let follows = !address.value;

  // As the server makes it: Latin letters without accents, digits, hyphens.
  const addressOf = (text) => text.normalize("NFKD").replace(/[^\x00-\x7f]/g, "").toLowerCase()
    .replace(/[^\w\s-]/g, "").replace(/[-\s]+/g, "-").replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, address.maxLength).replace(/[-_]+$/, "");

  const chosen = () => form.querySelector('input[name="kind"]:checked');
  const kindAddress = () => (chosen() ? addressOf(chosen().value.replace(/:.*/, "").replace(/_/g, "-")) : "");

  // A name without Latin letters and digits makes no address: the server takes the kind's, and so does this.
  const show = () => { if (follows) address.value = name.value && (addressOf(name.value) || kindAddress()); };

  const showChosen = () => {
    const line = document.getElementById("kind-chosen");
    line.hidden = !chosen();
    if (chosen()) {
      line.querySelector("strong").textContent =
        chosen().closest(".kind-card").querySelector(".kind-card__name").textContent;
    }
    show();
  };

  const find = document.getElementById("kinds-find"), found = document.getElementById("kinds-found");
  find.parentElement.hidden = false;
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const section of form.querySelectorAll("section[id^=kinds-]")) {
      let any = false;
      for (const card of section.querySelectorAll(".kind-card")) {
        const text = card.textContent.toLowerCase();
        card.hidden = !words.every((word) => text.includes(word));
        count += !card.hidden;
        any ||= !card.hidden;
      }
      section.hidden = !any;
    }
    found.textContent = words.length ? `${found.dataset.count} ${count}` : "";
  });
  // Enter in the search does not send the form.
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
  });

  for (const radio of form.querySelectorAll('input[name="kind"]')) radio.addEventListener("change", showChosen);
  name.addEventListener("input", show);
  address.addEventListener("input", () => { follows = !address.value; });
  // An address that nobody wrote is left to the server, which knows those that are taken.
  form.addEventListener("formdata", (event) => { if (follows) event.formData.set("slug", ""); });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
    event.preventDefault();
    form.requestSubmit();
  });

  showChosen();
})();
