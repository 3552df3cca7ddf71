// A text in which spans are marked: its characters and words, its marks, and where on the page each of its places is.
// Answers count code points of the stored text, browsers UTF-16 units: they are converted here and nowhere else.
(() => {
  "use strict";

  const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
  const PUNCTUATION = /^[,.;:!?…()[\]"“”‘’«»—–，。；：！？、（）《》「」『』]+$/u;
  // Words to a reader, though not to Unicode: U.S., long-term, 40%, $5, and marks that stand several times, such as “--”.
  const WHOLE = /(?<!\p{L})(?:\p{L}{1,2}\.){2,}|[\p{L}\p{N}]+(?:[-‐‑][\p{L}\p{N}]+)+|\p{N}[%‰]|[$€£¥]\p{N}|([-.…—])\1+/gu;
  const LEVELS = 3; // of underlines below each other
  const CHUNK = 600;
  const MANY = 50; // marks whose numbers change after the new mark has been painted

  // The text of a column as it is stored.
  class StoredText {
    constructor(text, lang) {
      this.text = text;
      this.lang = lang || "en";
      this.units = []; // code point -> unit
      this.points = new Int32Array(text.length + 1); // unit -> code point
      for (let unit = 0; unit <= text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) {
        this.points.fill(this.units.length, unit, unit + 2);
        this.units.push(unit);
      }
    }

    unitOf(point) { return this.units[Math.max(0, Math.min(point, this.units.length - 1))]; }

    get edges() { return this.cachedEdges ??= edgesOf(this.text, this.lang); }

    // What an answer says about a part, of whole characters.
    place(start, end) {
      const [from, to] = whole(this.edges, start, end);
      return { start: this.points[from], end: this.points[to], text: this.text.slice(from, to) };
    }
  }

  class MarkedText {
    constructor(element, stored) {
      this.element = element;
      this.stored = stored;
      this.column = element.dataset.marks;
      this.title = element.getAttribute("aria-label");
      this.caret = 0;
      this.lineEnd = -1; // where the caret is drawn behind the last character of a line, not before the next line
      this.watchedChunks = new Map(); // element that scrolls into view -> its chunks
      this.text = this.read();
      this.mount();
      this.draw([]);
    }

    // The text as people see it, in whose units everything here counts but the places in answers.
    read() { return this.stored.text; }

    extentOf({ start, end }) { return [this.stored.unitOf(start), this.stored.unitOf(end)]; }
    placeOf(start, end) { return start < end ? this.stored.place(start, end) : null; }
    hides() { return ""; }
    part(start, end) { return this.text.slice(start, end); }

    // Places where no character is cut: an emoji of several code points and a letter with accents count as one.
    get edges() { return this.stored.edges; }

    // Where words start and end; in Chinese and Japanese each character is a word, and so is each mark of punctuation.
    get words() {
      if (!this.cachedWords) {
        const words = new Intl.Segmenter(this.element.lang || "en", { granularity: "word" });
        const starts = [], ends = [], inside = this.placesInWords();
        for (const { segment, index } of words.segment(this.text)) {
          if (!segment.trim()) continue;
          const inner = HAN.test(segment) ? this.edgesIn(index, index + segment.length) : [];
          starts.push(index, ...inner);
          ends.push(...inner, index + segment.length);
        }
        this.cachedWords = { starts: starts.filter((start) => !inside.has(start)), ends: ends.filter((end) => !inside.has(end)) };
      }
      return this.cachedWords;
    }

    placesInWords() {
      const words = [...this.text.matchAll(WHOLE)].filter(([word]) => !HAN.test(word));
      return new Set(words.flatMap(({ 0: word, index }) => Array.from({ length: word.length - 1 }, (_none, at) => index + at + 1)));
    }

    // Start and end of the word that has this unit, or of the next one.
    wordAround(unit) {
      const end = unit < 0 ? undefined : first(this.words.ends, unit + 1);
      return end === undefined ? null : [last(this.words.starts, end - 1), end];
    }

    // Where clauses start and end: what stands between marks of punctuation, or between the ends of lines.
    get clauses() {
      if (!this.cachedClauses) {
        const { starts, ends } = this.words;
        const isMark = starts.map((start, at) => PUNCTUATION.test(this.part(start, ends[at])));
        const isBreak = (at) => at < 1 || at >= starts.length || isMark[at - 1] || this.part(ends[at - 1], starts[at]).includes("\n");
        this.cachedClauses = {
          starts: starts.filter((_start, at) => !isMark[at] && isBreak(at)),
          ends: ends.filter((_end, at) => !isMark[at] && (isMark[at + 1] || isBreak(at + 1))),
        };
      }
      return this.cachedClauses;
    }

    edgesIn(start, end) {
      const inner = [];
      for (let edge = first(this.edges, start + 1); edge < end; edge = first(this.edges, edge + 1)) inner.push(edge);
      return inner;
    }

    // Whole characters: the start moves back, the end forward.
    whole(start, end) { return whole(this.edges, start, end); }

    // Without the white space around; what is nothing but white space stays.
    trimmed(start, end) {
      const part = this.part(start, end);
      if (!part.trim()) return [start, end];
      return [start + part.length - part.trimStart().length, end - (part.length - part.trimEnd().length)];
    }

    // Parts of the text of about this many units, each in an element of its own, so that a mark restyles and moves
    // only what is near it. A part that ends with a line is a block.
    chunked() {
      const chunks = [], whole = /[^\n]*\n|[^\n]+$/g;
      for (const [line] of this.text.matchAll(whole)) {
        const before = chunks.at(-1);
        const start = before?.end ?? 0;
        if (before?.lines && line.length + before.end - before.start < CHUNK) before.end += line.length;
        else chunks.push(...this.chunksOf(start, start + line.length));
      }
      return chunks.length ? chunks : [{ start: 0, end: 0, lines: true }];
    }

    // A long line goes on from one inline part to the next.
    chunksOf(start, end) {
      if (end - start < 2 * CHUNK) return [{ start, end, lines: true }];
      const chunks = [];
      for (let from = start; from < end;) {
        const space = this.text.indexOf(" ", from + CHUNK) + 1;
        const to = space && space < end ? space : end;
        chunks.push({ start: from, end: to, lines: false });
        from = to;
      }
      return chunks;
    }

    mount() {
      this.chunks = this.chunked();
      this.element.replaceChildren(...this.chunks.map((chunk) => this.elementOf(chunk)));
      for (const chunk of this.chunks) this.watch(chunk.element, [chunk]);
    }

    elementOf(chunk) {
      chunk.element = document.createElement("span");
      if (chunk.lines) chunk.element.className = "marked__lines";
      return chunk.element;
    }

    // spans: {start, end, key, look, no, id}
    draw(spans) {
      const rows = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
      let open = [];
      for (const span of rows) {
        open = open.filter((other) => other.end > span.start);
        span.level = levelBeside(open);
        open.push(span);
      }
      this.drawChunks(rows);
      const blocks = this.chunks.flatMap((chunk) => chunk.blocks);
      this.nodes = blocks.flatMap((block) => block.nodes);
      this.elements = new Map(spans.map((span) => [span.key, []]));
      for (const block of blocks) block.spans.forEach((span, at) => this.elements.get(span.key).push(...block.elements[at]));
      for (const span of spans) if (!this.elements.get(span.key)[0].id) this.name(span);
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.number(this.chunks), spans.length > MANY ? 100 : 0);
    }

    drawChunks(rows) {
      let inside = [], next = 0;
      for (const chunk of this.chunks) {
        while (rows[next]?.start < chunk.end) inside.push(rows[next++]);
        inside = inside.filter((span) => span.end > chunk.start);
        if (inside.length || chunk.blocks?.length !== 1 || chunk.blocks[0].spans.length) this.drawChunk(chunk, inside);
      }
    }

    // Numbers change with every span before: where nobody looks they wait until somebody does.
    number(chunks) {
      for (const { isNear, blocks } of chunks) if (isNear) for (const block of blocks) for (const span of block.spans) this.name(span);
    }

    watch(element, chunks) {
      this.observer ??= new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
        const seen = this.watchedChunks.get(target);
        for (const chunk of seen) chunk.isNear = isIntersecting;
        this.number(seen);
      }), { rootMargin: "100%", scrollMargin: "100%" });
      this.watchedChunks.set(element, chunks);
      this.observer.observe(element);
    }

    // In blocks, of which only those that differ from the last time are made anew: the stretches between spans, and spans
    // that overlap.
    drawChunk(chunk, spans) {
      const blocks = this.cut(spans, chunk), old = chunk.blocks ?? [];
      let same = 0, left = 0;
      while (same < blocks.length && blocks[same].sign === old[same]?.sign) same += 1;
      while (left < Math.min(blocks.length, old.length) - same && blocks.at(-1 - left).sign === old.at(-1 - left).sign) left += 1;
      const after = left ? old.at(-left).pieces[0] : null;
      for (const block of old.slice(same, old.length - left)) for (const piece of block.pieces) piece.remove();
      const fresh = document.createDocumentFragment();
      blocks.forEach((block, at) => {
        const before = at < same ? old[at] : at >= blocks.length - left ? old[at - blocks.length + old.length] : null;
        if (before) Object.assign(block, { pieces: before.pieces, nodes: before.nodes, elements: before.elements });
        else fresh.append(...this.make(block));
      });
      if (fresh.childNodes.length) chunk.element.insertBefore(fresh, after);
      chunk.blocks = blocks;
    }

    cut(spans, chunk) {
      const blocks = [], { atom } = chunk;
      let place = chunk.start;
      const gap = (end) => { if (end > place || !this.text) blocks.push({ start: place, end, spans: [], atom, sign: `${place}-${end}` }); };
      for (const span of spans) {
        const start = Math.max(span.start, chunk.start), end = Math.min(span.end, chunk.end);
        if (!blocks.at(-1)?.spans.length || start >= place) {
          gap(start);
          blocks.push({ start, end, spans: [], atom, sign: "" });
        }
        const block = blocks.at(-1);
        block.spans.push(span);
        block.sign += `${span.start}-${span.end}-${span.level}-${span.look} `;
        block.end = place = Math.max(place, end);
      }
      gap(chunk.end);
      return blocks;
    }

    // Each piece of a block stands inside one element for every span on it, the lowest line outermost.
    make(block) {
      block.nodes = [];
      block.elements = block.spans.map(() => []);
      const edges = block.spans.flatMap((span) => [span.start, span.end]).filter((edge) => edge > block.start && edge < block.end);
      const cuts = [...new Set([block.start, block.end, ...edges])].sort((a, b) => a - b);
      block.pieces = cuts.slice(0, Math.max(1, cuts.length - 1)).map((start, at) => this.piece(block, start, cuts[at + 1] ?? start));
      return block.pieces;
    }

    piece(block, start, end) {
      let piece = block.atom ?? document.createTextNode(this.part(start, end));
      block.nodes.push({ node: piece, start });
      const open = block.spans.filter((span) => span.start <= start && span.end >= end && start < end).sort((a, b) => a.level - b.level);
      open.forEach((span, at) => {
        const element = document.createElement(at === open.length - 1 ? "mark" : "span");
        element.className = `span-mark span-mark--${span.level} ${span.look}`;
        element.classList.toggle("span-mark--start", start === span.start);
        element.classList.toggle("span-mark--end", end === span.end);
        element.append(piece);
        block.elements[block.spans.indexOf(span)].push(element);
        piece = element;
      });
      return piece;
    }

    name(span) {
      const [element] = this.elements.get(span.key) ?? [];
      if (!element) return;
      if (element.id === span.id && element.dataset.no === span.no) return;
      element.id = span.id;
      element.dataset.no = span.no;
    }

    place(unit) {
      let low = 0, high = this.nodes.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.nodes[middle].start <= unit) low = middle;
        else high = middle - 1;
      }
      const { node, start } = this.nodes[low];
      if (node.nodeType === Node.TEXT_NODE) return [node, Math.min(unit - start, node.length)];
      return [node.parentNode, [...node.parentNode.childNodes].indexOf(node) + (unit > start ? 1 : 0)];
    }

    range(start, end) {
      const range = document.createRange();
      range.setStart(...this.place(start));
      range.setEnd(...this.place(end));
      return range;
    }

    unitAt(node, inner) {
      const range = document.createRange();
      range.selectNodeContents(this.element);
      range.setEnd(node, inner);
      return range.toString().length;
    }

    // Where the line that the caret stands in starts and ends, as the page breaks it; white space at its end is not in it.
    lineAround() {
      const { top, height } = this.caretBox(), { edges } = this;
      const from = this.caret ? this.text.lastIndexOf("\n", this.caret - 1) + 1 : 0;
      const newline = this.text.indexOf("\n", this.caret), to = last(edges, newline < 0 ? this.text.length : newline);
      const isBelow = (edge, y) => (this.charBox(edge)?.top ?? Infinity) > y;
      const start = search(edges, (edge) => edge >= this.caret || (edge >= from && isBelow(edge, top - height / 2)));
      const end = search(edges, (edge) => edge >= to || (edge >= this.caret && isBelow(edge, top + height / 2)));
      return { start, end: end < to ? start + this.part(start, end).trimEnd().length : to };
    }

    charBox(edge) { return this.range(edge, first(this.edges, edge + 1) ?? edge).getClientRects()[0]; }

    // Left and top of the caret, seen from the window.
    caretBox() {
      const before = this.caret === this.text.length || this.text[this.caret] === "\n" || this.caret === this.lineEnd;
      const at = before && this.caret ? last(this.edges, this.caret - 1) : this.caret;
      const boxes = this.range(at, Math.max(at, first(this.edges, at + 1) ?? at)).getClientRects();
      const box = boxes[before ? boxes.length - 1 : 0] ?? this.element.getBoundingClientRect();
      return { left: before && this.caret ? box.right : box.left, top: box.top, height: box.height };
    }
  }

  function edgesOf(text, lang) {
    const characters = new Intl.Segmenter(lang, { granularity: "grapheme" });
    return [...[...characters.segment(text)].map((part) => part.index), text.length];
  }

  function whole(edges, start, end) { return [last(edges, start) ?? 0, first(edges, end) ?? edges.at(-1)]; }

  function levelBeside(open) {
    const taken = new Set(open.map((span) => span.level));
    let level = 1;
    while (taken.has(level) && level < LEVELS) level += 1;
    return level;
  }

  // The first of these for which `is` holds, as it does for all behind it.
  const search = (numbers, is) => numbers[searchAt(numbers, is)];

  // Where it stands, or how many there are.
  function searchAt(list, is) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (is(list[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Of sorted numbers: the last one up to a limit, the first one from it on.
  function last(numbers, limit) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] <= limit) low = middle + 1;
      else high = middle;
    }
    return numbers[low - 1];
  }

  function first(numbers, limit) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < limit) low = middle + 1;
      else high = middle;
    }
    return numbers[low];
  }

  Object.assign(MarkedText, { first, last, searchAt, edgesOf, StoredText });
  window.MarkedText = MarkedText;
})();
