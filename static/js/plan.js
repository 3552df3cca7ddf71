// The form of a run: an option follows the endpoint until somebody types another value. The server does the same.
(() => {
  "use strict";

  const endpoint = document.querySelector("#plan-form [name='run-endpoint']");

  function follow(field) {
    const before = field.form.elements[`initial-${field.name}`];
    const value = JSON.parse(field.dataset.follows)[endpoint.value];
    if (field.value !== before.value || value === undefined) return;
    field.value = before.value = value;
  }

  endpoint?.addEventListener("change", () => {
    document.querySelectorAll("[data-follows]").forEach(follow);
    const before = endpoint.form.elements[`initial-${endpoint.name}`];
    if (before) before.value = endpoint.value;
  });
})();
