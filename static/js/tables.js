// Tables of a board are sorted by each of their heads, filtered by name, and taken along as they are shown.
// The first column and the head stay in sight (tables.css). Without it the tables are as the server sent them.
(() => {
  "use strict";

  const words = document.getElementById("figure-words")?.dataset;
  const main = document.getElementById("main");
  if (!words || !main) return;

  const MANY = 10; // rows from which on a table has a filter
  const DECORATION = ".unseen, .only-narrow, .sort, [aria-hidden], svg, input, select";
  const NUMBER = /[-+]?\d+(?:\.\d+)?/g;

  // --- what stands in a cell ---------------------------------------------------------------------------------------
  function text(cell) {
    const copy = cell.cloneNode(true);
    const button = copy.querySelector(".sort");
    if (button) button.replaceWith(...button.childNodes);
    for (const extra of copy.querySelectorAll(DECORATION)) extra.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  // The numbers of a text that begins with one: [1087], or [1068, 1106] for an interval. Null for any other text.
  function numbers(said) {
    const plain = said.replaceAll("−", "-").replace(/[,\u00a0\u202f](?=\d{3}\b)/g, "");
    return /^(n = )?[≈<>≤≥~]?\s*[-+]?\d/.test(plain) ? plain.match(NUMBER).map(Number) : null;
  }

  const isRange = (said) => /^[-+−]?[\d.,]+\s*(–|…|to|至)\s*[-+−]?[\d.,]+$/.test(said);
  const isMissing = (said) => said === "" || /^[–—]/.test(said);

  // --- the shape of a table ------------------------------------------------------------------------------------------
  // [head, column] of every head that stands over one column alone.
  function heads(table) {
    const rows = [...(table.tHead?.rows ?? [])];
    const taken = rows.map(() => []);
    const leaves = [];
    rows.forEach((row, down) => {
      let column = 0;
      for (const head of row.cells) {
        while (taken[down][column]) column += 1;
        for (let below = down; below < Math.min(down + head.rowSpan, rows.length); below += 1) {
          for (let at = column; at < column + head.colSpan; at += 1) taken[below][at] = true;
        }
        if (head.colSpan === 1 && down + head.rowSpan >= rows.length) leaves.push([head, column]);
        column += head.colSpan;
      }
    });
    return leaves;
  }

  // Rows of a heading or a note, which are one wide cell, stay where they are.
  const movable = (body) => [...body.rows].filter((row) => row.cells.length > 1 && row.cells[0].colSpan === 1);
  const rowsOf = (table) => [...table.tBodies].flatMap(movable);
  const firstCell = (row) => [...row.cells].find((cell) => !cell.classList.contains("pick"));
  const isPage = (table) => table.hasAttribute("data-page"); // its heads sort all pages, at the server
  // Not one page of many, no rows that go on from the row above, and no matrix, whose rows and columns are the same.
  const isSortable = (table) => rowsOf(table).length > 1 && !isPage(table) && !table.querySelector("tbody [rowspan]")
    && rowsOf(table).every((row) => text(firstCell(row)))
    && !table.classList.contains("matrix") && !table.closest(".panel")?.querySelector(".pager");

  function cellAt(row, column) {
    let at = 0;
    for (const cell of row.cells) {
      if (at === column && cell.colSpan === 1) return cell;
      at += cell.colSpan;
      if (at > column) return null;
    }
    return null;
  }

  // --- keys of an order ----------------------------------------------------------------------------------------------
  function value(cell) {
    if (!cell) return { said: "", parts: null };
    const said = cell.dataset.value ?? text(cell);
    return { said, parts: numbers(said) };
  }

  // Of these cells: an array of numbers or a text for each, null where there is none.
  function keys(cells, isNumeric) {
    const values = cells.map(value);
    const present = values.filter(({ said }) => !isMissing(said));
    const counts = present.filter(({ parts }) => parts).length;
    if (counts && (isNumeric || counts === present.length)) return values.map(({ parts }) => parts);
    return values.map(({ said }) => (isMissing(said) ? null : said));
  }

  // Both are rounded, so that a value may lie a little outside.
  function isWithin(number, [low, high]) {
    const slack = (high - low) / 4 + 0.06;
    return number >= low - slack && number <= high + slack;
  }

  // An interval is ordered by its estimate, which stands before it.
  function columnKeys(table, rows, column) {
    const cells = rows.map((row) => cellAt(row, column));
    const isNumeric = cells.some((cell) => cell?.classList.contains("num"));
    const own = keys(cells, isNumeric);
    const said = cells.map((cell) => value(cell).said).filter((words) => !isMissing(words));
    if (!column || !said.length || !said.every(isRange)) return own;
    const estimates = keys(rows.map((row) => cellAt(row, column - 1)), true);
    const inside = own.every((range, at) => !range || (Array.isArray(estimates[at]) && isWithin(estimates[at][0], range)));
    return inside ? estimates.map((estimate, at) => own[at] && estimate) : own;
  }

  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true, sensitivity: "base" });
  function compare(one, other) {
    if (!Array.isArray(one)) return collator.compare(String(one), String(other));
    return one[0] - other[0] || (one[1] ?? 0) - (other[1] ?? 0);
  }

  // Stable; what is missing comes last in both directions.
  function ordered(things, thingKeys, falling) {
    const pairs = things.map((thing, at) => [thing, thingKeys[at]]);
    const known = pairs.filter(([, key]) => key !== null);
    known.sort(([, one], [, other]) => (falling ? compare(other, one) : compare(one, other)));
    return [...known, ...pairs.filter(([, key]) => key === null)].map(([thing]) => thing);
  }

  // --- sorting -------------------------------------------------------------------------------------------------------
  function mark(head, falling) {
    for (const other of head.closest("table").querySelectorAll("[aria-sort]")) {
      if (other.tagName === head.tagName && other.scope === head.scope) other.removeAttribute("aria-sort");
    }
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  }

  // The first click puts the largest number on top, and the first name of the alphabet.
  const falls = (head, firstKeys) => (head.getAttribute("aria-sort")
    ? head.getAttribute("aria-sort") === "ascending" : firstKeys.some(Array.isArray));

  function sortRows(table, head) {
    const [, column] = heads(table).find(([leaf]) => leaf === head);
    const falling = falls(head, columnKeys(table, rowsOf(table), column));
    for (const body of table.tBodies) {
      const rows = movable(body);
      const inOrder = ordered(rows, columnKeys(table, rows, column), falling);
      body.append(...[...body.rows].map((row) => (rows.includes(row) ? inOrder.shift() : row)));
    }
    mark(head, falling);
  }

  // Of a heat map: its columns by the values of one row.
  function sortColumns(table, head) {
    const cells = [...head.parentElement.cells].slice(1);
    const rowKeys = keys(cells, true);
    const falling = falls(head, rowKeys);
    const order = ordered(cells.map((_cell, at) => at + 1), rowKeys, falling);
    for (const row of table.rows) {
      if (row.cells.length > cells.length) row.append(...order.map((at) => row.cells[at]));
    }
    mark(head, falling);
  }

  function button(head, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "sort";
    made.title = `${words.sort} ${text(head)}`;
    if (head.querySelector("button, summary, input, select, a:not(.sort-link)")) {
      made.setAttribute("aria-label", `${words.sort} ${text(head)}`);
      head.append(made);
    } else {
      const link = head.querySelector(".sort-link");
      for (const arrow of head.querySelectorAll("[aria-hidden]")) arrow.remove();
      made.append(...(link ?? head).childNodes);
      head.replaceChildren(made);
    }
    made.addEventListener("click", act);
  }

  // --- the filter ----------------------------------------------------------------------------------------------------
  const plain = (said) => said.normalize("NFKC").toLocaleLowerCase();

  function filtered(table, wanted) {
    for (const body of table.tBodies) {
      const rows = movable(body);
      for (const row of rows) row.hidden = !plain(text(row.querySelector("th[scope=row]") ?? row.cells[0])).includes(wanted);
      const isEmpty = rows.length && rows.every((row) => row.hidden);
      for (const row of body.rows) if (!rows.includes(row)) row.hidden = isEmpty;
    }
    const rows = rowsOf(table);
    return [rows.filter((row) => !row.hidden).length, rows.length];
  }

  function filter(table) {
    const tools = document.createElement("div");
    const label = document.createElement("label");
    const field = document.createElement("input");
    const count = document.createElement("span");
    tools.className = "table-filter";
    label.textContent = words.filter;
    field.type = "search";
    field.className = "textbox textbox--line";
    field.autocomplete = "off";
    count.className = "small quiet";
    count.setAttribute("role", "status");
    label.append(field);
    tools.append(label, count);
    field.addEventListener("input", () => {
      const [shown, all] = filtered(table, plain(field.value.trim()));
      count.textContent = field.value.trim() ? words.shown.replace("{shown}", shown).replace("{all}", all) : "";
    });
    (table.closest(".scroll-x") ?? table).before(tools);
  }

  // --- two rows to compare ---------------------------------------------------------------------------------------------
  function pairing(form) {
    const boxes = [...form.elements].filter((field) => field.type === "checkbox");
    const ticked = boxes.filter((box) => box.checked);
    for (const box of boxes) {
      box.disabled = ticked.length > 1 && !box.checked;
      box.closest("tr").classList.toggle("picked", box.checked);
    }
    form.querySelector("button").disabled = ticked.length !== 2;
    form.dataset.hint ??= form.querySelector("span").textContent;
    form.querySelector("span").textContent = ticked.map((box) => box.value).join(" · ") || form.dataset.hint;
  }

  main.addEventListener("change", ({ target }) => {
    if (target.form?.matches(".compare-two")) pairing(target.form);
  });

  function equip() {
    main.querySelectorAll(".compare-two").forEach(pairing);
    for (const table of main.querySelectorAll("table:not([data-sortable])")) {
      table.dataset.sortable = "";
      if (table.matches(".heat-map") && table.tHead.rows.length === 1 && (isSortable(table) || isPage(table))) {
        for (const head of table.querySelectorAll("tbody th[scope=row]")) button(head, () => sortColumns(table, head));
      }
      if (!isSortable(table)) continue;
      for (const [head] of heads(table)) if (text(head)) button(head, () => sortRows(table, head));
      if (rowsOf(table).length >= MANY) filter(table);
    }
  }

  equip();
  document.addEventListener("htmx:afterSettle", equip);
})();
