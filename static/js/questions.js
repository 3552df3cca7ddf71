// Questions that are asked only if other answers say so: shown and hidden at once, as the server does when it saves.
(() => {
  "use strict";

  // Looked for each time: where a definition is edited, its form comes and goes.
  const conditional = () => [...document.querySelectorAll("[data-questions] [data-when]")];
  const hidden = (element) => Boolean(element.closest("[hidden]"));

  // The labels and categories of marked spans; an empty text where somebody has said that there is none.
  function labels(written) {
    let spans = null;
    try { spans = JSON.parse(written); } catch { /* nothing yet, or what the server will call no list of spans */ }
    if (!Array.isArray(spans)) return [];
    const found = spans.flatMap((span) => [span?.label ?? "", (span?.label ?? "").split("/")[0]]);
    return found.length ? found : [""];
  }

  // What stands in the inputs of a question; an answer to a question that is not asked counts as none.
  function answers(name) {
    const field = document.getElementById(`field-${name}`);
    if (!field || hidden(field)) return [];
    const spans = field.querySelector("[data-spans] textarea[name^='q-']");
    if (spans) return labels(spans.value);
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

  for (const event of ["input", "change", "work:shown", "htmx:load"]) document.addEventListener(event, show);
  document.getElementById("annotation")?.addEventListener("fields:replaced", show);
  show();
})();

// Transcripts: a search that leaves the turns with a text, and jumps to tool calls and errors. Without this script all
// turns stand there, and the browser searches them.
(() => {
  "use strict";

  const turns = (chat) => [...chat.querySelectorAll(".message")];
  let at = null; // the turn that was jumped to

  function search(box) {
    const chat = box.closest("[data-chat]");
    const text = box.value.trim().toLowerCase();
    const has = (element) => !text || element.textContent.toLowerCase().includes(text);
    const all = turns(chat);
    for (const turn of all) {
      turn.hidden = !has(turn);
      if (!text || turn.hidden) continue;
      for (const fold of turn.querySelectorAll("details")) fold.open = has(fold);
    }
    const count = chat.querySelector("[data-chat-count]");
    const found = all.filter((turn) => !turn.hidden).length;
    count.textContent = text ? count.dataset.say.replace("{n}", String(found)).replace("{total}", String(all.length)) : "";
  }

  function mark(turn) {
    at?.classList.remove("here");
    at = turn;
    turn.classList.add("here");
  }

  function go(by) {
    const stops = [...document.querySelectorAll("[data-stop]:not([hidden])")];
    const side = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const ahead = at?.isConnected ? stops.filter((stop) => at.compareDocumentPosition(stop) & side) : stops;
    const stop = by > 0 ? ahead[0] ?? stops[0] : ahead.at(-1) ?? stops.at(-1);
    if (!stop) return;
    document.querySelector(`[data-turn="${stop.id}"]`)?.focus({ preventScroll: true });
    mark(stop);
    stop.scrollIntoView({ block: "center" });
  }

  // The turn that a row of the form asks about is brought into sight, where it stands in a column of its own.
  function follow(row) {
    const turn = document.getElementById(row.dataset.turn);
    if (!turn) return;
    mark(turn);
    const column = turn.closest(".material");
    if (column && getComputedStyle(column).overflowY !== "visible") turn.scrollIntoView({ block: "nearest" });
  }

  // The number of a turn, or none: what was given last counts.
  function choose(input, step) {
    if (input.type !== "checkbox" && input.value.trim()) step.querySelector("[type=checkbox]").checked = false;
    else if (input.checked) step.querySelector("[inputmode]").value = "";
  }

  // A number that is no turn to choose is said at once; who hands it in hears it from the server.
  function check(step) {
    const box = step.querySelector("[inputmode]"), problem = step.parentNode.querySelector("[data-step-problem]");
    const text = box.value.trim(), number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    const there = number >= 1 && number <= Number(step.dataset.step);
    const wrong = text !== "" && !(there && JSON.parse(step.dataset.turns || `[${number}]`).includes(number));
    problem.hidden = !wrong;
    box.setAttribute("aria-invalid", wrong);
    const said = problem.querySelector("[role=status]");
    said.textContent = wrong ? (there ? said.dataset.other : said.dataset.missing).replace("{n}", text) : "";
  }

  function checkSteps() {
    for (const step of document.querySelectorAll("[data-step]")) check(step);
  }

  function showTools() {
    for (const tools of document.querySelectorAll("[data-chat] > [hidden]")) tools.hidden = false;
  }

  showTools();
  checkSteps();
  document.addEventListener("htmx:load", showTools);
  document.addEventListener("htmx:load", checkSteps);
  document.addEventListener("turns:go", (event) => go(event.detail));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-chat-go]");
    if (button) go(Number(button.dataset.chatGo));
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-chat-search]")) search(event.target);
    const step = event.target.closest("[data-step]");
    if (!step) return;
    choose(event.target, step);
    check(step);
  });
  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-turn]");
    if (row) follow(row);
  });
})();
