// Questions that are asked only if other answers say so: shown and hidden at once, as the server does when it saves.
(() => {
  "use strict";

  // Looked for each time: where a definition is edited, its form comes and goes.
  const conditional = () => [...document.querySelectorAll("[data-questions] [data-when]")];
  const hidden = (element) => Boolean(element.closest("[hidden]"));

  // What stands in the inputs of a question; an answer to a question that is not asked counts as none.
  function answers(name) {
    const field = document.getElementById(`field-${name}`);
    if (!field || hidden(field)) return [];
    const inputs = [...field.querySelectorAll("input[name^='q-']:not([type=hidden]), textarea[name^='q-']")];
    const given = inputs.filter((input) => (/radio|checkbox/.test(input.type) ? input.checked : input.value.trim()));
    return given.map((input) => input.value.trim());
  }

  const number = (text) => (/^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(",", ".")) : NaN);
  const HOLDS = {
    answered: () => true,
    one_of: (given, values) => given.some((answer) => values.includes(answer)),
    not_one_of: (given, values) => !given.some((answer) => values.includes(answer)),
    at_least: (given, [least]) => number(given[0]) >= Number(least),
    at_most: (given, [most]) => number(given[0]) <= Number(most),
  };

  function holds([name, operator, values]) {
    const given = answers(name);
    return given.length > 0 && HOLDS[operator](given, values);
  }

  // In the order of the form: a condition may depend on a question that is hidden just now.
  function show() {
    for (const question of conditional()) {
      question.hidden = !JSON.parse(question.dataset.when).every(holds);
    }
  }

  for (const event of ["input", "change", "work:shown", "htmx:afterSwap"]) document.addEventListener(event, show);
  document.getElementById("annotation")?.addEventListener("fields:replaced", show);
  show();
})();
