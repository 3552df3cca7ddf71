// A question about spans: its answer, the list beside the text, the panel of the chosen span, and what is said about it.
(() => {
  "use strict";

  const form = () => document.getElementById("annotation");
  const page = {}; // what spans.js does with texts: it draws, moves and selects

  // --- keys: the person's own, and free letters for attributes -----------------------------------------------------
  const own = JSON.parse(document.getElementById("sayings")?.dataset.keys ?? "{}");
  const DECIDES = document.getElementById("decisions") ? "arced" : ""; // what decides about the whole item in a review
  const OURS = { mark: "m", edges: "e", again: ".", drop: "j", keep: "k", source: "o" };
  const taken = new Set([...Object.values(own), ..."c", ...DECIDES]);
  const keys = Object.fromEntries(Object.entries(OURS).map(([name, key]) => [name, own[name] || free(key)]));

  // A letter of the word that nothing else has, or any other one; the same in every language of the page.
  function free(word) {
    const letters = [...word.toLowerCase(), ..."abcdefghijklmnopqrstuvwxyz"].filter((letter) => /[a-z]/.test(letter) || letter === word);
    const key = letters.find((letter) => !taken.has(letter)) ?? "";
    taken.add(key);
    return key;
  }

  const symbol = (key) => (key.length === 1 ? key.toUpperCase() : key);

  class SpanQuestion {
    constructor(root) {
      this.root = root;
      this.field = root.closest(".field");
      this.name = this.field.dataset.field;
      this.box = root.querySelector("textarea");
      this.setting = JSON.parse(root.dataset.spans);
      this.suggested = JSON.parse(root.dataset.suggested ?? "[]") ?? [];
      this.suggestedAs = new Set(this.suggested.map((span) => this.same(span)));
      this.editable = !this.field.disabled;
      this.panel = root.querySelector("[data-span-panel]");
      this.rows = root.querySelector("[data-span-rows]");
      this.chosen = null; // one of the spans
      this.pending = null; // {text, anchor, focus, edited}: what Enter would mark, in units
      this.made = new WeakMap(); // span -> its row in the list
      this.marks = new WeakMap(); // span -> the id of its mark in the text
      this.nextMark = 0;
      this.threads = new Map(); // span -> {address, text} of the open threads about it
      this.before = []; // earlier answers, for “Undo”
      this.confirmed = new Set(this.remembered());
      for (const rows of root.querySelectorAll("noscript")) rows.remove();
      this.number();
      this.read();
      this.listen();
      for (const part of root.querySelectorAll("[data-spans-none], [data-spans-keys], [data-span-do=mark]")) {
        part.hidden = !this.editable;
      }
    }

    // The answer as the form holds it: null where nothing was answered.
    // A span that is as before stays the same one, with its marks and its row.
    read() {
      let answer = null;
      const before = new Map((this.answer ?? []).map((span) => [JSON.stringify(span), span]));
      const same = (span) => {
        const sign = JSON.stringify(span), old = before.get(sign);
        before.delete(sign);
        return old ?? span;
      };
      try { answer = JSON.parse(this.box.value || "null"); } catch { /* the server says what is wrong with it */ }
      this.answer = Array.isArray(answer) ? answer.map(same) : null;
      this.raw = this.box.value;
    }

    get spans() { return this.answer ?? []; }
    get texts() { return this.setting.on.map((column) => page.texts.get(column)).filter(Boolean); }

    // --- what a span is -------------------------------------------------------------------------------------------
    same(span) { return JSON.stringify(["field", "start", "end", "label", ...Object.keys(this.setting.attributes)].map((name) => span[name])); }
    isSuggested(span) { return this.suggestedAs.size > 0 && this.suggestedAs.has(this.same(span)); }
    isOpen(span) { return this.editable && this.isSuggested(span) && !this.confirmed.has(this.same(span)); }
    openOnes() { return this.spans.filter((span) => this.isOpen(span)); }

    // A suggestion that is gone; one that overlaps a new span with its label was moved there.
    movedTo(span) {
      return this.spans.find((other) => other.field === span.field && other.label === span.label
        && other.start < span.end && span.start < other.end && !this.isSuggested(other));
    }

    labelOf(span) {
      for (const [category, labels] of this.setting.categories) {
        for (const [value, name] of labels) if (value === span.label) return category && name !== category ? `${category} / ${name}` : name;
      }
      return span.label || this.root.dataset.sayUnlabelled;
    }

    // The last value of the first attribute is the gravest, and is drawn thick.
    look(span) {
      const [name, values] = Object.entries(this.setting.attributes)[0] ?? [];
      const grave = name && values.length > 1 && span[name] === values.at(-1);
      const weight = grave ? "span-mark--major" : "span-mark--minor";
      return `${this.isOpen(span) ? "span-mark--model" : weight}${this.threads.has(span) ? " span-mark--said" : ""}`;
    }

    // A span about which something is said has an asterisk at its number.
    numberOf(span, at) { return `${at + 1}${this.threads.has(span) ? "*" : ""}`; }

    remarks(span) { return (this.threads.get(span) ?? []).map(({ text }) => text); }

    remembered() {
      try { return JSON.parse(localStorage.getItem(this.memory)) ?? []; } catch { return []; }
    }

    get memory() { return `${form()?.dataset.keptAs}-${this.name}-kept`; }

    // --- changing -------------------------------------------------------------------------------------------------
    change(answer, chosen = null) {
      this.before.push(this.box.value);
      this.set(answer && [...answer].sort((a, b) => this.setting.on.indexOf(a.field) - this.setting.on.indexOf(b.field)
        || a.start - b.start || a.end - b.end), chosen);
    }

    set(answer, chosen) {
      this.answer = answer;
      this.chosen = chosen;
      this.box.value = answer ? JSON.stringify(answer) : "";
      this.field.toggleAttribute("data-unanswered", !answer);
      this.box.dispatchEvent(new Event("input", { bubbles: true }));
      this.show();
    }

    undo() {
      if (!this.before.length) return false;
      const chosen = this.spans.indexOf(this.chosen);
      this.box.value = this.before.pop();
      this.read();
      this.set(this.answer, this.spans[chosen] ?? null);
      this.say("undone");
      return true;
    }

    add({ text, anchor, focus }, values = {}) {
      const place = text.placeOf(...text.whole(Math.min(anchor, focus), Math.max(anchor, focus)));
      if (!place) return;
      const only = this.setting.categories.flatMap(([, labels]) => labels);
      const span = { field: text.column, ...place, label: only.length === 1 ? only[0][0] : "", ...values };
      this.drop();
      this.change([...this.spans, span], span);
      this.say(span.label ? "labelled" : "marked", span);
    }

    // The same span with other values: answers are replaced, not changed, so that “Undo” has the old one.
    put(span, values, saying) {
      const changed = { ...span, ...values };
      if (!changed.note) delete changed.note;
      if (this.pending?.edited === span) this.pending.edited = changed;
      this.marks.set(changed, this.markOf(span));
      this.change(this.spans.map((other) => (other === span ? changed : other)), changed);
      if (saying) this.say(saying, changed);
    }

    move({ text, anchor, focus, edited }) {
      const place = text.placeOf(...text.whole(Math.min(anchor, focus), Math.max(anchor, focus)), edited);
      this.drop();
      if (place && text.column === edited.field) this.put(edited, place, "moved");
    }

    remove(span, saying = "removed") {
      const left = this.spans.filter((other) => other !== span);
      this.drop();
      this.change(left.length ? left : null);
      this.say(saying, span);
    }

    keep(span) {
      this.confirmed.add(this.same(span));
      try { localStorage.setItem(this.memory, JSON.stringify([...this.confirmed])); } catch { /* asked again next time */ }
      this.show();
      this.say("kept", span);
      // All of them are kept as they were: then the whole field is.
      if (!this.openOnes().length) this.field.querySelector('button[name=action][value^="keep:"]')?.click();
    }

    none(is) {
      this.change(is ? [] : null);
      if (is) this.say("none", null, this.setting.none);
    }

    confirm() {
      if (this.pending.edited) this.move(this.pending);
      else this.add(this.pending);
    }

    drop() {
      this.pending = null;
      page.showPending(this);
    }

    // --- saying ---------------------------------------------------------------------------------------------------
    say(name, span = null, text = "") {
      const words = this.root.dataset[`say${name[0].toUpperCase()}${name.slice(1)}`];
      const values = { n: span && (this.spans.indexOf(span) + 1 || ""), total: this.spans.length, text: text || short(span?.text ?? "", 80), label: span ? [this.described(span), ...this.remarks(span)].join(", ") : "", field: text };
      this.root.querySelector("[data-spans-said]").textContent = words.replace(/\{(\w+)\}/g, (_all, key) => values[key]);
    }

    described(span) {
      return [this.labelOf(span), ...Object.keys(this.setting.attributes).map((name) => span[name]), span.note].filter(Boolean).join(", ");
    }

    // --- showing --------------------------------------------------------------------------------------------------
    show() {
      this.threads = page.threadsOf(this);
      for (const text of this.texts) page.drawText(text);
      page.soon(this, () => setTimeout(() => this.list())); // the marks are painted before
      this.showPanel();
      page.showGroups(this);
      const count = this.spans.length, say = this.root.dataset, open = this.openOnes().length;
      const said = count === 1 ? say.sayOne : say.sayCount.replace("{n}", String(count));
      this.root.querySelector("[data-spans-count]").textContent = [count ? said : "", open ? say.sayOpen.replace("{n}", String(open)) : ""].filter(Boolean).join(" · ");
      const none = this.root.querySelector("[data-spans-none] input");
      none.checked = Boolean(this.answer && !count);
      none.disabled = count > 0 || !this.editable;
      this.root.querySelector('[data-span-do="undo"]').hidden = !this.before.length;
    }

    // Only what is chosen has changed: the marks stay as they are.
    choose(span, scrolls = true) {
      const before = this.chosen;
      this.chosen = span;
      if (span) page.unfold(page.texts.get(span.field));
      for (const [one, is] of [[before, false], [span, true]]) {
        const text = one && page.texts.get(one.field);
        for (const element of text?.elements.get(one) ?? []) element.classList.toggle("span-mark--selected", is);
        const row = this.made.get(one)?.row;
        if (row && is) row.setAttribute("aria-current", "true");
        else row?.removeAttribute("aria-current");
        if (is && scrolls) page.soon("scroll", () => this.reveal(row, text?.elements.get(one)?.[0]));
      }
      this.showPanel();
    }

    reveal(...places) {
      for (const place of places) place?.scrollIntoView({ block: "nearest" });
    }

    // Runs after the marks were painted, and leaves alone what is as before: a key may come any time.
    list() {
      const row = this.root.querySelector("template[data-span-row]").content.firstElementChild;
      const here = new Set(this.suggested.length ? this.spans.map((span) => this.same(span)) : []);
      const gone = this.suggested.filter((span) => !here.has(this.same(span)));
      const rows = this.spans.map((span, at) => this.numbered(this.rowOf(row, span), at));
      this.replaceRows([...rows, ...gone.filter((span) => !this.movedTo(span)).map((span) => this.goneRow(row.cloneNode(true), span))]);
      for (const text of this.texts) if (text.head) write(text.head, this.countOf(text));
    }

    // A row is made anew only for another span, or where a suggestion was decided.
    rowOf(row, span) {
      const hidden = page.texts.get(span.field)?.hides(span) ?? "";
      const sign = `${hidden} ${this.isOpen(span)} ${this.suggested.length ? this.spans.length : ""} ${JSON.stringify(this.threads.get(span))}`;
      const before = this.made.get(span);
      if (before?.sign === sign) return before.row;
      const fresh = this.row(row.cloneNode(true), span, hidden);
      fresh.querySelector(".span-no").href = `#${this.markOf(span)}`;
      this.made.set(span, { sign, row: fresh });
      return fresh;
    }

    numbered(row, at) {
      row.spanAt = at;
      write(row.querySelector(".span-no"), this.numberOf(this.spans[at], at));
      if ((this.spans[at] === this.chosen) !== row.hasAttribute("aria-current")) row.toggleAttribute("aria-current");
      if (row.hasAttribute("aria-current")) row.setAttribute("aria-current", "true");
      return row;
    }

    replaceRows(rows) {
      const stay = new Set(rows);
      for (const row of [...this.rows.children]) if (!stay.has(row)) row.remove();
      rows.forEach((row, at) => { if (this.rows.children[at] !== row) this.rows.insertBefore(row, this.rows.children[at] ?? null); });
    }

    row(row, span, hidden = "") {
      const open = this.isOpen(span), text = page.texts.get(span.field);
      const number = row.querySelector(".span-no");
      row.classList.toggle("span-row--model", open);
      number.classList.toggle("span-no--model", open);
      const quote = row.querySelector(".span-row__text");
      const from = !this.isSuggested(span) && this.suggested.find((other) => this.movedTo(other) === span);
      if (from && from.text !== span.text) quote.append(made("del", short(from.text, 200)), " ", made("ins", short(span.text, 200)));
      else quote.append(short(span.text, 200));
      if (text) quote.lang = text.element.lang;
      if (this.setting.on.length > 1) quote.after(made("span", text?.title ?? span.field, "quiet small"));
      row.querySelector(".span-row__note").textContent = span.note ?? "";
      for (const part of row.querySelectorAll("[data-span-hidden]")) if (part.dataset.spanHidden !== hidden) part.remove();
      this.linkThreads(row.querySelector("[data-span-said]"), span);
      row.querySelector(".span-row__label").append(made("span", this.labelOf(span), span.label ? "" : "caution"), ...this.attributes(span));
      this.acts(row, open ? ["keep", "drop"] : ["remove"]);
      return row;
    }

    linkThreads(link, span) {
      for (const thread of this.threads.get(span) ?? []) {
        const copy = link.cloneNode(true);
        copy.href = thread.address;
        copy.querySelector(".clip").textContent = short(thread.text, 80);
        link.before(copy);
      }
      link.remove();
    }

    goneRow(row, span) {
      for (const part of row.querySelectorAll("[data-span-said], [data-span-hidden]")) part.remove();
      row.querySelector(".span-no").remove();
      row.prepend(made("span", "–", "span-no span-no--model"));
      row.spanGone = span;
      row.querySelector(".span-row__text").append(made("del", short(span.text, 200)));
      row.querySelector(".span-row__label").append(made("span", this.labelOf(span)), ...this.attributes(span));
      this.acts(row, ["restore"]);
      return row;
    }

    acts(row, names) {
      for (const button of row.querySelectorAll("[data-span-do]")) {
        if (!this.editable || !names.includes(button.dataset.spanDo)) button.remove();
        else button.append(made("span", ` ${short(row.querySelector(".span-row__text").textContent, 40)}`, "unseen"));
      }
    }

    attributes(span) {
      return Object.entries(this.setting.attributes).filter(([name]) => span[name]).map(([name, values], at) => {
        const grave = !at && values.length > 1 && span[name] === values.at(-1);
        return made("span", span[name], at ? "small" : `severity${grave ? " severity--major" : ""}`);
      });
    }

    countOf(text) {
      const count = this.spans.filter((span) => span.field === text.column).length;
      const say = this.root.dataset;
      return count === 1 ? say.sayOne : count ? say.sayCount.replace("{n}", String(count)) : "";
    }

    // Its id says nothing about its place, which changes with every span before it.
    markOf(span) {
      if (!this.marks.has(span)) this.marks.set(span, `mark-${this.name}-${this.nextMark += 1}`);
      return this.marks.get(span);
    }

    showPanel() {
      const { chosen, pending, panel } = this, say = this.root.dataset;
      panel.hidden = !this.editable || !(chosen || pending);
      if (panel.hidden) return page.nearText(this);
      const at = this.spans.indexOf(chosen);
      write(panel.querySelector("[data-span-title]"), chosen ? say.saySpan.replace("{n}", String(at + 1)) : say.sayNew);
      write(panel.querySelector("[data-span-about]"), this.about(chosen, pending));
      panel.querySelector("[data-span-do=comment]").hidden = !chosen || !document.getElementById("comment-new");
      for (const name of ["edges", "remove"]) panel.querySelector(`[data-span-do=${name}]`).hidden = !chosen;
      for (const chip of panel.querySelectorAll("[data-span-label]")) chip.checked = chip.value === chosen?.label;
      for (const chip of panel.querySelectorAll("[data-span-attribute]")) {
        chip.checked = chip.value === chosen?.[chip.dataset.spanAttribute];
        chip.disabled = !chosen;
      }
      this.offerAgain(panel.querySelector("[data-span-do=again]"));
      const note = panel.querySelector("[data-span-note]");
      note.disabled = !chosen;
      if (document.activeElement !== note) note.value = chosen?.note ?? "";
      this.category(0);
      page.nearText(this);
    }

    offerAgain(button) {
      const values = this.lastValues();
      button.hidden = !values || Object.keys(values).every((name) => this.chosen?.[name] === values[name]);
      if (!button.hidden) write(button.querySelector("[data-span-last]"), this.described(values));
    }

    about(chosen, pending) {
      const say = this.root.dataset;
      if (!chosen) return short(pending.text.part(Math.min(pending.anchor, pending.focus), Math.max(pending.anchor, pending.focus)), 60);
      const others = this.spans.filter((other) => other !== chosen && other.field === chosen.field && other.start < chosen.end && chosen.start < other.end);
      const numbers = others.slice(0, 5).map((other) => this.spans.indexOf(other) + 1).join(", ");
      const length = chosen.end - chosen.start;
      const characters = length === 1 ? say.sayCharacter : say.sayCharacters.replace("{n}", String(length));
      return numbers ? `${characters}, ${say.sayOverlaps.replace("{n}", numbers)}` : characters;
    }

    // --- keys of labels and attributes ----------------------------------------------------------------------------
    // Up to nine labels have a number each. Of more, a number chooses the category and a second one the label.
    number() {
      for (const kbd of this.root.querySelectorAll("[data-span-key]")) kbd.textContent = symbol(keys[kbd.dataset.spanKey]);
      const chips = [...this.root.querySelectorAll("[data-span-label]")];
      this.groups = chips.length <= 9 ? [chips] : this.categories(chips);
      this.letters = new Map();
      for (const chip of this.root.querySelectorAll("[data-span-attribute]")) {
        const key = free(chip.value);
        this.letters.set(key, chip);
        chip.closest(".chip").querySelector(".key").textContent = symbol(key);
      }
      this.category(0);
    }

    categories(chips) {
      const groups = [...this.root.querySelectorAll("[data-span-category]")].map((group) => [...group.querySelectorAll("[data-span-label]")]);
      const all = groups.length > 1 ? groups : [chips];
      return all.flatMap((group) => Array.from({ length: Math.ceil(group.length / 9) }, (_none, at) => group.slice(9 * at, 9 * at + 9)));
    }

    // Its letters are free for the question that takes its place.
    release() {
      for (const key of this.letters.keys()) taken.delete(key);
    }

    // place: of the category whose labels the next number chooses; 0 while none was chosen.
    category(place) {
      this.inside = this.groups.length > 1 ? place : 1;
      this.groups.forEach((group, at) => {
        group.forEach((chip, number) => {
          const key = this.groups.length === 1 || this.inside === at + 1 ? String(number + 1) : !this.inside && group.length === 1 ? String(at + 1) : "";
          write(chip.closest(".chip").querySelector(".key"), key);
        });
        const head = group[0].closest("[data-span-category]").querySelector(".span-category .key");
        if (head) write(head, this.inside || group.length === 1 || at > 8 ? "" : String(at + 1));
      });
    }

    digit(number) {
      if (!this.chosen && !this.pending) return this.say("first");
      const group = this.groups[(this.inside || number) - 1];
      if (!this.inside && group?.length > 1) return this.category(number);
      (this.inside ? group?.[number - 1] : group?.[0])?.click();
    }

    label(values) {
      if (this.pending && !this.pending.edited) this.add(this.pending, values);
      else if (this.chosen) this.put(this.chosen, values, "labelled");
      this.category(0);
      this.remember();
    }

    // --- like the last one: label and attributes that were given last, also in another item ---------------------------
    get lastMemory() { return `touchstone-${location.pathname.split("/")[2]}-${this.name}-last`; }

    remember() {
      const values = Object.fromEntries(["label", ...Object.keys(this.setting.attributes)].map((name) => [name, this.chosen?.[name]]));
      if (!values.label) return;
      try { sessionStorage.setItem(this.lastMemory, JSON.stringify(values)); } catch { /* chosen by hand again */ }
    }

    // Only what can still be chosen; null where nothing was.
    lastValues() {
      let values = {};
      try { values = JSON.parse(sessionStorage.getItem(this.lastMemory)) ?? {}; } catch { /* as if there were none */ }
      if (![...this.root.querySelectorAll("[data-span-label]")].some((chip) => chip.value === values.label)) return null;
      const known = Object.entries(this.setting.attributes).filter(([name, all]) => all.includes(values[name]));
      return { label: values.label, ...Object.fromEntries(known.map(([name]) => [name, values[name]])) };
    }

    again() {
      const values = this.lastValues();
      if (values && (this.chosen || this.pending)) this.label(values);
      else this.say("first");
    }

    // --- listening ------------------------------------------------------------------------------------------------
    listen() {
      this.root.addEventListener("click", (event) => this.clicked(event));
      this.root.addEventListener("change", (event) => this.changed(event));
      this.field.addEventListener("focusin", () => page.workOn(this));
      // A click in here leaves the selection in the text alone.
      this.panel.addEventListener("mousedown", (event) => { if (!event.target.matches("[data-span-note]")) event.preventDefault(); });
      // The first half of a double click moves what is in the panel: the second one would give another label.
      this.panel.addEventListener("click", (event) => { if (event.detail > 1 && event.target.closest(".chip")) event.preventDefault(); });
    }

    clicked(event) {
      const row = event.target.closest(".span-row");
      const name = event.target.closest("[data-span-do]")?.dataset.spanDo, step = event.target.closest("[data-span-step]");
      if (step) return page.stepEdge(this, Number(step.dataset.spanStep), Number(step.dataset.by));
      if (name) return this.press(name, row);
      if (!row || row.spanAt === undefined || event.target.closest("[data-span-said]")) return;
      event.preventDefault();
      page.workOn(this);
      page.leaveNear(this);
      if (event.target.closest("[data-span-hidden]")) page.show("raw");
      this.choose(this.spans[row.spanAt]);
      this.say("selected", this.chosen);
    }

    press(name, row) {
      const span = row ? this.spans[row.spanAt] : this.chosen;
      if (name === "mark") page.enter(this);
      else if (name === "undo") this.undo();
      else if (name === "close") page.close(this);
      else if (name === "edges") page.moveEdges(this);
      else if (name === "again") this.again();
      else if (name === "comment") this.comment();
      else if (name === "keep") this.keep(span);
      else if (name === "drop") this.remove(span, "dropped");
      else if (name === "restore") this.change([...this.spans, row.spanGone], row.spanGone);
      else if (name === "remove") this.remove(span);
      if (row && !row.isConnected) this.field.focus({ preventScroll: true });
    }

    comment() {
      page.comment(this);
      page.leaveNear(this);
      document.getElementById("comment-new").open = true;
      document.getElementById("comment-text").focus();
    }

    changed(event) {
      const chip = event.target;
      if (chip.matches("[data-span-label]")) this.label({ label: chip.value });
      else if (chip.matches("[data-span-attribute]")) this.label({ [chip.dataset.spanAttribute]: chip.value });
      else if (chip.matches("[data-span-note]")) this.put(this.chosen, { note: chip.value.trim() });
      else if (chip.closest("[data-spans-none]")) this.none(chip.checked);
    }
  }

  // What stands there already needs no new layout, and another text in its place no new styles.
  function write(element, text) {
    const { firstChild } = element;
    if (firstChild?.nodeType !== Node.TEXT_NODE || element.childNodes.length > 1) element.textContent = text;
    else if (firstChild.data !== text) firstChild.data = text;
  }

  function made(name, text, look = "") {
    const element = document.createElement(name);
    element.textContent = text;
    if (look) element.className = look;
    return element;
  }

  function short(text, most) {
    const letters = [...text];
    return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
  }

  Object.assign(SpanQuestion, { page, keys, made, short });
  window.SpanQuestion = SpanQuestion;
})();
