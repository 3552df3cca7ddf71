// Every chart and table of a board can be taken along: SVG and PNG at the width of a page, Markdown, LaTeX, CSV.
// Title, caption and notes stand inside the picture, in the light theme. The pages work without it.
(() => {
  "use strict";

  const words = document.getElementById("figure-words")?.dataset;
  const main = document.getElementById("main");
  if (!words || !main) return;

  const MILLIMETRES = 180; // two columns of a printed page
  const DOTS = 2126; // 180 mm at 300 dots an inch
  const PAD = 16;
  const LINE = 16;
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "display", "visibility"];
  const EXTRAS = ".unseen, svg, input, select, button:not(.sort), form, details, .icon, [aria-hidden]";
  const SPACE = /\s+/g;
  const text = (element) => (element?.textContent ?? "").replace(SPACE, " ").trim();

  // --- what a figure is called, and what is said about it ------------------------------------------------------------
  const frame = (figure) => figure.closest(".panel, figure, section") ?? main;
  const title = (figure) => text(frame(figure).querySelector("h2, h3")) || text(main.querySelector("h1"));

  function notes(figure) {
    const parts = [figure.getAttribute("aria-label") ?? text(figure.querySelector("caption, desc"))];
    parts.push(...[...frame(figure).querySelectorAll(".panel__head .num, .panel__head .small, .panel__foot")].map(text));
    parts.push(`${words.project} · ${new Date().toISOString().slice(0, 10)}`);
    return [...new Set(parts.filter((part) => part && part !== title(figure)))];
  }

  function wrapped(sentence, width) {
    const most = Math.max(20, Math.floor(width / 6));
    const lines = [""];
    for (const word of sentence.split(/(?<=[\s，。、；：])/)) {
      if (lines.at(-1).length + word.length > most && lines.at(-1)) lines.push("");
      lines[lines.length - 1] += word;
    }
    return lines.map((line) => line.trim());
  }

  // --- charts ------------------------------------------------------------------------------------------------------
  // A copy that needs no stylesheet: what the page computes for each element stands on the element.
  function standalone(chart) {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    const copy = chart.cloneNode(true);
    root.dataset.theme = "light";
    const [theirs, ours] = [chart, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    theirs.forEach((element, at) => {
      const computed = getComputedStyle(element);
      for (const look of LOOKS) ours[at].style.setProperty(look, computed.getPropertyValue(look));
      ours[at].removeAttribute("class");
      ours[at].removeAttribute("href");
    });
    root.dataset.theme = theme;
    return copy;
  }

  function line(words, y, bold) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", "text");
    for (const [name, value] of Object.entries({ x: PAD, y, fill: "#1a1a1a", "font-size": bold ? 14 : 12,
      "font-weight": bold ? 600 : 400, "font-family": "Arial, 'Noto Sans CJK SC', sans-serif" })) {
      element.setAttribute(name, value);
    }
    element.textContent = words;
    return element;
  }

  function picture(chart) {
    const { width, height } = chart.viewBox.baseVal;
    const heads = wrapped(title(chart), width * 0.85);
    const captions = notes(chart).flatMap((note) => wrapped(note, width));
    const top = PAD + heads.length * 20;
    const size = { width: width + 2 * PAD, height: top + height + PAD + captions.length * LINE + PAD };
    const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    whole.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    whole.setAttribute("width", `${MILLIMETRES}mm`);
    whole.setAttribute("height", `${(MILLIMETRES * size.height) / size.width}mm`);
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ ...size, fill: "#ffffff" })) paper.setAttribute(name, value);
    const inner = standalone(chart);
    for (const [name, value] of Object.entries({ x: PAD, y: top, width, height })) inner.setAttribute(name, value);
    whole.append(paper, ...heads.map((words, at) => line(words, PAD + 10 + at * 20, true)), inner);
    whole.append(...captions.map((words, at) => line(words, top + height + PAD + (at + 0.5) * LINE, false)));
    return { source: new XMLSerializer().serializeToString(whole), ...size };
  }

  async function png(chart) {
    const { source, width, height } = picture(chart);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = DOTS;
    canvas.height = Math.round((DOTS * height) / width);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  // --- tables ------------------------------------------------------------------------------------------------------
  // What is not shown on this page, such as a number for phones, is not taken along.
  function cell(element) {
    const copy = element.cloneNode(true);
    const [theirs, ours] = [element, copy].map((one) => [...one.querySelectorAll("*")]);
    if (element.getClientRects().length) theirs.forEach((one, at) => { if (!one.getClientRects().length) ours[at].remove(); });
    for (const extra of copy.querySelectorAll(EXTRAS)) extra.remove();
    return text(copy);
  }

  // As shown: in the order of the page, without the rows that the filter hides and the boxes that pick rows.
  const rows = (table) => [...table.rows].filter((row) => !row.hidden).map((row) =>
    [...row.cells].filter((element) => !element.classList.contains("pick"))
      .flatMap((element) => [cell(element), ...Array(element.colSpan - 1).fill("")]));

  function markdown(table) {
    const [head, ...body] = rows(table).map((row) => row.map((value) => value.replaceAll("|", "\\|")));
    const bar = (values) => `| ${values.join(" | ")} |`;
    const told = notes(table).map((note) => `\n${note}`).join("\n");
    return [`**${title(table)}**\n`, bar(head), bar(head.map(() => "---")), ...body.map(bar), told].join("\n");
  }

  const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const tex = (value) => value.replace(/[\\~^&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`);

  function latex(table) {
    const [head, ...body] = rows(table).map((row) => row.map(tex).join(" & "));
    const cells = [...(table.tBodies[0]?.rows[0]?.cells ?? table.rows[0].cells)]
      .filter((element) => !element.classList.contains("pick"));
    const columns = cells.map((element) => (element.classList.contains("num") ? "r" : "l").repeat(element.colSpan));
    const lines = (many) => many.map((row) => `    ${row} \\\\`);
    return ["\\begin{table}", `  \\caption{${tex([title(table), ...notes(table)].join(". "))}}`,
      `  \\begin{tabular}{${columns.join("")}}`, "    \\toprule", ...lines([head]), "    \\midrule", ...lines(body),
      "    \\bottomrule", "  \\end{tabular}", "\\end{table}", ""].join("\n");
  }

  // A spreadsheet must not take a text for a formula.
  const quoted = (value) => `"${(/^[=+@\t-]/.test(value) && isNaN(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
  const csv = (table) => `\ufeff${rows(table).map((row) => row.map(quoted).join(",")).join("\r\n")}\r\n`;

  // --- the buttons -------------------------------------------------------------------------------------------------
  function save(blob, figure, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    const name = title(figure).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    link.download = `${words.slug}-${name || "figure"}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  const copy = async (content, button) => {
    await navigator.clipboard.writeText(content);
    button.textContent = words.copied;
  };

  const FOR_CHARTS = {
    SVG: (chart) => save(new Blob([picture(chart).source], { type: "image/svg+xml" }), chart, "svg"),
    PNG: async (chart) => save(await png(chart), chart, "png"),
  };
  const FOR_TABLES = {
    [words.markdown]: (table, button) => copy(markdown(table), button),
    [words.latex]: (table, button) => copy(latex(table), button),
    CSV: (table) => save(new Blob([csv(table)], { type: "text/csv" }), table, "csv"),
  };

  function tools(figure, actions) {
    const row = document.createElement("div");
    row.className = "figure-tools";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", `${words.export} ${title(figure)}`);
    for (const [name, act] of Object.entries(actions)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button button--quiet button--small";
      button.textContent = name;
      button.addEventListener("click", () => act(figure, button));
      row.append(button);
    }
    figure.dataset.taken = "";
    (figure.closest(".scroll-x") ?? figure).after(row);
  }

  function equip() {
    for (const chart of main.querySelectorAll("svg.chart[role]:not([data-taken])")) {
      if (chart.viewBox.baseVal?.width >= 200) tools(chart, FOR_CHARTS);
    }
    for (const table of main.querySelectorAll("table:not([data-taken])")) {
      if (table.rows.length > 1) tools(table, FOR_TABLES);
    }
  }

  equip();
  document.addEventListener("htmx:afterSettle", equip);
})();
