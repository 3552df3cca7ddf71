// Rendered Markdown in which spans are marked. The server says of each run of text where it stands in the stored text: from
// where on it is the same, or which range it stands for as a whole, such as an entity, a formula or a line break.
(() => {
  "use strict";

  const { MarkedText } = window;
  const { edgesOf, searchAt } = MarkedText;
  const BLOCKS = "p, li, td, th, h3, h4, h5, h6, pre, blockquote, .math[data-math=block]";

  class RenderedText extends MarkedText {
    // The text of all runs; where a block ends, so does a line.
    read() {
      const blocks = new Map(); // block -> its runs
      let text = "", before = null;
      this.runs = [];
      for (const element of this.element.querySelectorAll("[data-at]")) {
        const block = element.closest(BLOCKS), run = this.runOf(element);
        if (before && before !== block && !text.endsWith("\n")) text += "\n";
        before = block;
        run.start = text.length;
        text += run.text;
        run.end = text.length;
        this.runs.push(run);
        blocks.set(block, [...(blocks.get(block) ?? []), run]);
      }
      this.blocks = blocks;
      for (const link of this.element.querySelectorAll("a")) link.draggable = false; // its words are selected instead
      return text;
    }

    // from, to: in units of the stored text. atom: what is marked as a whole.
    runOf(element) {
      const [start, end] = element.dataset.at.split("-").map(Number), { stored } = this;
      const from = stored.unitOf(start);
      if (end === undefined) return { element, from, to: from + element.textContent.length, text: element.textContent };
      const to = stored.unitOf(end), run = { element, from, to, text: element.textContent, atom: element.firstChild };
      if (!element.dataset.math) return run;
      const around = document.createElement("span"); // a formula is typeset in its own element
      element.before(around);
      return { ...run, element: around, atom: element, text: stored.text.slice(from, to) };
    }

    mount() {
      this.chunks = this.runs;
      for (const { element } of this.runs) element.replaceChildren();
      for (const [block, runs] of this.blocks) this.watch(block, runs);
    }

    get edges() {
      if (!this.cachedEdges) {
        const inside = this.placesInAtoms();
        this.cachedEdges = edgesOf(this.text, this.element.lang || "en").filter((edge) => !inside.has(edge));
      }
      return this.cachedEdges;
    }

    placesInWords() { return new Set([...super.placesInWords(), ...this.placesInAtoms()]); }

    placesInAtoms() {
      const inside = new Set();
      for (const { atom, start, end } of this.runs) if (atom) for (let unit = start + 1; unit < end; unit += 1) inside.add(unit);
      return inside;
    }

    // Where a span begins or ends in hidden text, the nearest edge inside it that is seen; start and end meet or cross
    // where all of it is hidden.
    extentOf(span) {
      const { runs, stored } = this, from = stored.unitOf(span.start), to = stored.unitOf(span.end);
      const head = runs[searchAt(runs, (run) => run.to > from)], tail = runs[searchAt(runs, (run) => run.from >= to) - 1];
      if (!head || !tail) return [this.text.length, 0];
      return [
        head.atom || from <= head.from ? head.start : head.start + from - head.from,
        tail.atom || to >= tail.to ? tail.end : tail.start + to - tail.from,
      ];
    }

    // Of the stored text, from the first character that is seen to the last one. An edge that stands where `before` has
    // it stays, also in hidden text.
    placeOf(start, end, before = null) {
      const { runs } = this;
      const head = runs[searchAt(runs, (run) => run.end > start)], tail = runs[searchAt(runs, (run) => run.start >= end) - 1];
      if (start >= end || !head || !tail || head.start >= end) return null;
      let from = head.atom ? head.from : head.from + Math.max(0, start - head.start);
      let to = tail.atom || end >= tail.end ? tail.to : tail.from + end - tail.start;
      const [oldStart, oldEnd] = before ? this.extentOf(before) : [];
      if (oldStart < oldEnd && oldStart === start) from = this.stored.unitOf(before.start);
      if (oldStart < oldEnd && oldEnd === end) to = this.stored.unitOf(before.end);
      return this.stored.place(from, to);
    }

    // Whether a span covers text that is not seen at its edges: "", "part", or "all" of it.
    hides(span) {
      const [start, end] = this.extentOf(span);
      if (start >= end) return "all";
      const place = this.placeOf(start, end);
      return place.start === span.start && place.end === span.end ? "" : "part";
    }

    piece(block, start, end) {
      const piece = super.piece(block, start, end);
      if (block.atom?.dataset?.math === "block" && piece !== block.atom) piece.classList.add("span-mark--block");
      return piece;
    }

    unitAt(node, inner) {
      const range = document.createRange(), run = this.runAround(node);
      range.setStart(node, inner);
      if (run?.atom) return run.start + (run.atom.nodeType === Node.TEXT_NODE ? inner : 1);
      if (!run) return this.runs[searchAt(this.runs, ({ element }) => range.comparePoint(element, 0) >= 0)]?.start ?? this.text.length;
      range.setStart(run.element, 0);
      range.setEnd(node, inner);
      return run.start + range.toString().length;
    }

    runAround(node) {
      this.runsByElement ??= new Map(this.runs.map((run) => [run.element, run]));
      for (let element = node; element && element !== this.element; element = element.parentNode) {
        const run = this.runsByElement.get(element);
        if (run) return run;
      }
      return null;
    }
  }

  window.RenderedText = RenderedText;
})();
