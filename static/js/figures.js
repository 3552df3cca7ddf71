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
  const EXTRAS = ".unseen, svg, input, select, button:not(.sort), form, details, .icon, [aria-hidden], .place";
  const SAID = ".panel__head .num:not(.heat-legend *), .panel__head .small:not(.heat-legend), .panel__foot";
  const FONT = "Arial, 'Noto Sans CJK SC', sans-serif";
  const SCALE = 46; // height of the scale of a heat map
  const SPACE = /\s+/g;
  const text = (element) => (element?.textContent ?? "").replace(SPACE, " ").trim();

  // --- what a figure is called, and what is said about it ------------------------------------------------------------
  const frame = (figure) => figure.closest(".panel, figure, section") ?? main;
  const heading = (part) => text(part?.querySelector("h2, h3"));
  const title = (figure) => heading(frame(figure)) || heading(figure.closest("section")) || text(main.querySelector("h1"));

  function notes(figure) {
    const parts = [figure.getAttribute("aria-label") ?? text(figure.querySelector("caption, desc"))];
    parts.push(...[...frame(figure).querySelectorAll(SAID)].map(text));
    parts.push(`${words.project} · ${new Date().toISOString().slice(0, 10)}`);
    return [...new Set(parts.filter((part) => part && part !== title(figure)))];
  }

  function wrapped(sentence, width, least = 20) {
    const most = Math.max(least, Math.floor(width / 6));
    const lines = [""];
    for (const word of sentence.split(/(?<=[\s，。、；：])/)) {
      if (lines.at(-1).length + word.length > most && lines.at(-1)) lines.push("");
      lines[lines.length - 1] += word;
    }
    return lines.map((line) => line.trim());
  }

  // --- charts ------------------------------------------------------------------------------------------------------
  function shape(name, attributes, content = "") {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = content;
    return element;
  }

  // Colours are those of the light theme, whatever the page has.
  function inLight(act) {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    root.dataset.theme = "light";
    const result = act();
    root.dataset.theme = theme;
    return result;
  }

  // A copy that needs no stylesheet: what the page computes for each element stands on the element.
  const standalone = (chart) => inLight(() => {
    const copy = chart.cloneNode(true);
    const [theirs, ours] = [chart, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    theirs.forEach((element, at) => {
      const computed = getComputedStyle(element);
      for (const look of LOOKS) ours[at].style.setProperty(look, computed.getPropertyValue(look));
      // The halo of a text is painted below it, which not every program can do.
      if (element.tagName === "text") ours[at].style.setProperty("stroke", "none");
      ours[at].removeAttribute("class");
      ours[at].removeAttribute("href");
    });
    return copy;
  });

  const line = (words, x, y, size = 12, more = {}) => shape("text",
    { x, y, fill: "#1a1a1a", "font-size": size, "font-family": FONT, ...more }, words);

  // A heat map is a table: as a picture it is drawn anew, cell by cell, with its scales below.
  const drawnTable = (table) => inLight(() => {
    table.closest(".scroll-x")?.scrollTo(0, 0);
    const all = table.getBoundingClientRect();
    const scales = [...frame(table).querySelectorAll(".heat-legend")];
    const drawing = shape("svg", { viewBox: `0 0 ${all.width} ${all.height + scales.length * SCALE}` });
    for (const element of table.querySelectorAll("th, td")) {
      const box = element.getBoundingClientRect();
      if (box.width) drawing.append(...drawnCell(element, box, box.left - all.left, box.top - all.top));
    }
    scales.forEach((scale, at) => drawing.append(...drawnScale(scale, all.height + at * SCALE + 16)));
    return drawing;
  });

  function drawnCell(element, { width, height }, left, top) {
    const ground = element.querySelector(".cell");
    const isName = element.scope !== "col" && !ground;
    const lines = ground ? ["b", ".cell__between", ".cell__n"].map((part) => cell(ground.querySelector(part)))
      : wrapped(cell(element), width, 6);
    const said = lines.filter(Boolean).map((words) => words.replace(/^95 %: ?/, ""));
    const look = ground && getComputedStyle(ground);
    const box = ground?.matches(".cell--shaded, .cell--thin") ? [shape("rect",
      { x: left + 1, y: top + 1, width: width - 2, height: height - 2, rx: 3, fill: look.backgroundColor, stroke: "#dbdee3" })] : [];
    const first = top + height / 2 + 4 - (said.length - 1) * 6;
    return [...box, ...said.map((words, at) => line(words, isName ? left : left + width / 2, first + at * 12,
      ground && at ? 9.5 : 12, { fill: look?.color ?? "#1a1a1a", "text-anchor": isName ? "start" : "middle" }))];
  }

  function drawnScale(scale, top) {
    const kind = [...scale.querySelector(".ramp").classList].find((name) => name.startsWith("ramp--")).slice(6);
    const probe = document.createElement("span");
    main.append(probe);
    const bars = Array.from({ length: 51 }, (_none, at) => {
      probe.className = `cell cell--shaded ${kind}-${at * 2}`;
      return shape("rect", { x: at * 3, y: top, width: 3.2, height: 9, fill: getComputedStyle(probe).backgroundColor });
    });
    probe.remove();
    const marks = [...scale.querySelectorAll(".heat-legend__marks > *")].map(text);
    const said = marks.map((words, at) => line(words, (at * 153) / (marks.length - 1), top + 20, 10,
      { "text-anchor": at === 0 ? "start" : at === marks.length - 1 ? "end" : "middle" }));
    return [...bars, ...said, line(text(scale.querySelector(":scope > span:not(.heat-legend__scale)")), 162, top + 9, 10)];
  }

  function picture(figure) {
    const inner = figure.tagName === "TABLE" ? drawnTable(figure) : standalone(figure);
    const { width, height } = inner.viewBox.baseVal;
    const heads = wrapped(title(figure), width * 0.85);
    const captions = notes(figure).flatMap((note) => wrapped(note, width));
    const top = PAD + heads.length * 20;
    const size = { width: width + 2 * PAD, height: top + height + PAD + captions.length * LINE + PAD };
    const whole = shape("svg", { viewBox: `0 0 ${size.width} ${size.height}`, width: `${MILLIMETRES}mm`,
      height: `${(MILLIMETRES * size.height) / size.width}mm` });
    for (const [name, value] of Object.entries({ x: PAD, y: top, width, height })) inner.setAttribute(name, value);
    whole.append(shape("rect", { ...size, fill: "#ffffff" }), inner,
      ...heads.map((words, at) => line(words, PAD, PAD + 10 + at * 20, 14, { "font-weight": 600 })),
      ...captions.map((words, at) => line(words, PAD, top + height + PAD + (at + 0.5) * LINE)));
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
    if (!element) return "";
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
      if (table.rows.length < 2) continue;
      tools(table, table.classList.contains("heat-map") ? { ...FOR_CHARTS, ...FOR_TABLES } : FOR_TABLES);
    }
  }

  equip();
  document.addEventListener("htmx:afterSettle", equip);
})();
