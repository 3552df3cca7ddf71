// Marking spans of texts, by mouse, by touch and by keys alone. Places are in UTF-16 units here, and in code points in
// answers; MarkedText converts.
(() => {
  "use strict";

  const { MarkedText, RenderedText, SpanQuestion } = window;
  const { first, last } = MarkedText;
  const { keys, made, short } = SpanQuestion;

  // --- the page ----------------------------------------------------------------------------------------------------
  const texts = new Map(); // column -> MarkedText
  const questions = new Map(); // element -> SpanQuestion
  let active = null; // the question that was worked on last
  let marking = null; // the text whose caret the keys move

  const shownOn = (column) => [...questions.values()].filter((question) => question.setting.on.includes(column));
  const questionOf = (text) => (active?.setting.on.includes(text.column) ? active : shownOn(text.column)[0]);

  function drawText(text) {
    text.draw(shownOn(text.column).flatMap((question) => question.spans
      .map((span, at) => ({ span, at }))
      .filter(({ span }) => span.field === text.column)
      .map(({ span, at }) => {
        const [start, end] = text.extentOf(span);
        return { start, end, key: span, look: question.look(span), no: question.numberOf(span, at), id: question.markOf(span) };
      })
      .filter(({ start, end }) => start < end)));
    for (const element of text.element.querySelectorAll(".span-mark--selected")) element.classList.remove("span-mark--selected");
    for (const { chosen } of shownOn(text.column)) {
      for (const element of text.elements.get(chosen) ?? []) element.classList.add("span-mark--selected");
    }
    if (marking === text) showCaret();
  }

  // What is selected and not marked yet: drawn by the browser, so that a key needs no new marks.
  function showPending(question) {
    const { pending } = question;
    const range = pending?.text.range(Math.min(pending.anchor, pending.focus), Math.max(pending.anchor, pending.focus));
    if (CSS.highlights) {
      if (range) CSS.highlights.set("span-pending", new Highlight(range));
      else CSS.highlights.delete("span-pending");
    }
    const selection = getSelection();
    if (pending && !CSS.highlights) selection.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    else if (selection.rangeCount && textAround(selection.anchorNode) && !(pending && question.touched)) selection.removeAllRanges();
  }

  const caret = made("span", "", "span-caret");
  caret.setAttribute("aria-hidden", "true");

  // What needs the layout of the page waits for the next frame, in which all of it is done once.
  const waits = new Map();

  function soon(name, act) {
    if (!waits.size) requestAnimationFrame(() => {
      const acts = [...waits.values()];
      waits.clear();
      for (const act of acts) act();
    });
    waits.set(name, act);
  }

  const showCaret = () => soon("caret", placeCaret);

  function placeCaret() {
    caret.hidden = !marking;
    if (!marking) return;
    const body = marking.element.parentElement, around = body.getBoundingClientRect(), box = marking.caretBox();
    if (caret.parentElement !== body) body.append(caret);
    caret.style.left = `${box.left - around.left + body.scrollLeft}px`;
    caret.style.top = `${box.top - around.top + body.scrollTop}px`;
    caret.style.height = `${box.height}px`;
    caret.scrollIntoView({ block: "nearest" });
  }

  const NARROW = matchMedia("(max-width: 56.24rem)");

  // --- near the text: where a pointer has selected, the panel comes to it -------------------------------------------
  function nearText(question) {
    const { panel, pending, near, chosen } = question, page = question.root.closest("form");
    const isOnBar = NARROW.matches && !panel.hidden;
    panel.classList.toggle("span-panel--near", Boolean(near && !panel.hidden));
    for (const side of ["left", "top"]) panel.style.removeProperty(side);
    if (isOnBar) return onBar(panel, page);
    panel.style.removeProperty("bottom");
    page?.style.removeProperty("padding-bottom");
    if (panel.hidden || !near) return;
    const text = pending?.text ?? texts.get(chosen.field);
    const range = pending ? text.range(Math.min(pending.anchor, pending.focus), Math.max(pending.anchor, pending.focus))
      : text.range(...text.extentOf(chosen));
    const boxes = range.getClientRects(), from = boxes[0], to = boxes[boxes.length - 1];
    if (!to) return;
    const below = to.bottom + 12 + panel.offsetHeight < innerHeight - 72;
    panel.style.setProperty("left", `${Math.max(8, Math.min(to.left, innerWidth - panel.offsetWidth - 16))}px`);
    panel.style.setProperty("top", `${below ? to.bottom + 12 : Math.max(8, from.top - panel.offsetHeight - 12)}px`);
  }

  // On a phone it stands on the bar, which has one row or two; the page ends above both, so that all of it can be seen.
  // The page never ends earlier in between: it could not stay where it has been scrolled to.
  function onBar(panel, page) {
    panel.style.setProperty("bottom", `${document.querySelector(".action-bar")?.offsetHeight ?? 0}px`);
    page?.style.setProperty("padding-bottom", `${panel.offsetHeight}px`);
  }

  function leaveNear(question) {
    question.near = false;
    question.panel.classList.remove("span-panel--near");
  }

  function close(question) {
    leaveNear(question);
    question.drop();
    question.choose(null);
  }

  // A long text ends after some lines until somebody asks for the rest.
  function unfold(text) {
    const all = text?.element.closest(".turn")?.querySelector(".turn__all");
    if (all) all.checked = true;
  }

  // --- keys --------------------------------------------------------------------------------------------------------
  function enter(question, text = question.lastText ?? question.texts[0]) {
    if (!text) return;
    active = question;
    marking = text;
    unfold(text);
    text.element.setAttribute("role", "application");
    text.element.focus({ preventScroll: true });
    showCaret();
    question.say("entered", null, text.title);
  }

  function leave(question, focuses = true) {
    if (!marking) return;
    question.lastText = marking;
    marking.element.setAttribute("role", "group");
    marking = null;
    showCaret();
    if (focuses) question.field.focus({ preventScroll: true });
  }

  function start(question) {
    question.choose(null);
    question.pending = { text: marking, anchor: marking.caret, focus: marking.caret, edited: null };
    question.say("started", null, wordAt(marking));
  }

  function wordAt(text) {
    const end = first(text.words.ends, text.caret + 1) ?? text.text.length;
    return short(text.part(text.caret, end).trim(), 40);
  }

  // The next place of the caret, by character, word or clause. While a span is extended, forward is to the ends of words
  // and backward to their starts.
  function step(text, by, { altKey, ctrlKey }, anchor) {
    const { caret: at, edges } = text;
    if (altKey) return by > 0 ? first(edges, at + 1) ?? at : last(edges, at - 1) ?? 0;
    const { starts, ends } = ctrlKey ? text.clauses : text.words;
    if (by > 0) return first(anchor === null || at < anchor ? starts : ends, at + 1) ?? text.text.length;
    if (anchor === null || at <= anchor) return last(starts, at - 1) ?? 0;
    return Math.max(anchor, last(ends, at - 1) ?? anchor);
  }

  function go(question, unit) {
    const { pending } = question, text = marking;
    text.caret = unit;
    text.lineEnd = -1;
    if (pending?.text === text) {
      pending.focus = unit;
      showPending(question);
      question.showPanel();
      question.say("extent", null, short(text.part(Math.min(pending.anchor, unit), Math.max(pending.anchor, unit)), 80));
    } else {
      question.say("extent", null, wordAt(text) || question.root.dataset.sayEnd);
    }
    showCaret();
  }

  function line(question, by) {
    const box = marking.caretBox(), text = marking, around = text.element.getBoundingClientRect();
    for (let rows = 1; rows < 4; rows += 1) {
      const y = box.top + box.height / 2 + by * rows * box.height * 0.9;
      if (y < around.top || y > around.bottom) break;
      const spot = document.caretPositionFromPoint?.(box.left + 1, y) ?? rangeSpot(box.left + 1, y);
      if (!spot || !text.element.contains(spot.offsetNode)) continue;
      const unit = last(text.edges, text.unitAt(spot.offsetNode, spot.offset)) ?? 0;
      if (by > 0 ? unit > text.caret : unit < text.caret) return go(question, unit);
    }
    if (question.pending) return go(question, by > 0 ? text.text.length : 0);
    const next = question.texts[question.texts.indexOf(text) + by];
    if (!next) return go(question, by > 0 ? text.text.length : 0);
    leave(question, false);
    enter(question, next);
  }

  function rangeSpot(x, y) {
    const range = document.caretRangeFromPoint?.(x, y);
    return range && { offsetNode: range.startContainer, offset: range.startOffset };
  }

  function moveEdges(question, other = false) {
    const span = question.pending?.edited ?? question.chosen;
    const text = span && textWith(span);
    if (!text) return question.say("first");
    const [start, end] = text.extentOf(span);
    const from = question.pending?.edited ? question.pending : { anchor: start, focus: end };
    question.pending = { text, edited: span, anchor: other ? from.focus : from.anchor, focus: other ? from.anchor : from.focus };
    if (marking && marking !== text) leave(question, false);
    text.caret = question.pending.focus;
    if (marking !== text) enter(question, text);
    showPending(question);
    showCaret();
    const atStart = question.pending.focus < question.pending.anchor;
    question.say(atStart ? "edgesStart" : "edges", null, short(span.text, 80));
  }

  function nextSpan(question, by) {
    const all = question.spans;
    if (!all.length) return false;
    let at = all.indexOf(question.chosen) + by;
    if (!question.chosen && marking) {
      const here = all.filter((span) => span.field === marking.column);
      const after = here.find((span) => marking.extentOf(span)[0] >= marking.caret);
      at = by > 0 ? all.indexOf(after ?? here[0] ?? all[0]) : all.length - 1;
    }
    if (at < 0 || at >= all.length) return false;
    question.drop();
    const span = all[at], text = texts.get(span.field);
    question.choose(span);
    if (text) {
      if (marking !== text) { leave(question, false); enter(question, text); }
      text.caret = Math.min(...text.extentOf(span));
      showCaret();
    }
    question.say("selected", span);
    return true;
  }

  // --- comments about a span ---------------------------------------------------------------------------------------
  function comment(question) {
    const select = document.getElementById("comment-field"), span = question.chosen;
    if (!select || !span) return false;
    const value = JSON.stringify([question.name, span.field, span.start, span.end, span.label ?? ""]);
    const options = [...select.options], whole = options.find((option) => option.value === question.name);
    if (!options.some((option) => option.value === value)) {
      whole?.after(new Option(`${whole.text.trim()}: “${short(span.text, 60)}” ${question.labelOf(span)}`, value));
    }
    setTimeout(() => { select.value = value; });
    return false; // the page's own key opens the comment
  }

  // Spans have no ids: a comment is about the one at its place, or else about the one that overlaps it most.
  function pinned(question, pin) {
    const [, column, start, end, label] = JSON.parse(pin);
    const overlap = (span) => Math.min(span.end, end) - Math.max(span.start, start);
    const worth = (span) => [span.start === start && span.end === end, overlap(span), span.label === label].map(Number);
    const better = (a, b) => worth(b).reduce((so, value, at) => so || value - worth(a)[at], 0);
    return question.spans.filter((span) => span.field === column && overlap(span) > 0).sort(better)[0];
  }

  const isAbout = (question, pin) => JSON.parse(pin)[0] === question.name;

  // span -> its open threads, also those on other pages of the comments: their address and what they begin with
  function threadsOf(question) {
    const threads = new Map();
    const add = (pin, address, text) => {
      const span = isAbout(question, pin) ? pinned(question, pin) : undefined;
      if (span) threads.set(span, [...(threads.get(span) ?? []), { address, text: text.trim() }]);
      return span;
    };
    for (const link of document.querySelectorAll("#threads [data-span-elsewhere]")) {
      add(link.dataset.spanElsewhere, link.getAttribute("href"), link.textContent);
    }
    for (const link of document.querySelectorAll("#threads [data-span-pin]")) {
      const thread = link.closest(".thread"), pin = link.dataset.spanPin;
      const span = add(pin, `#${thread.id}`, thread.querySelector(".comment__text")?.textContent ?? "");
      if (isAbout(question, pin)) link.parentElement.querySelector("[data-span-gone]").hidden = Boolean(span);
    }
    return threads;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-span-pin]");
    const question = link && [...questions.values()].find((one) => isAbout(one, link.dataset.spanPin));
    const span = question && pinned(question, link.dataset.spanPin);
    if (!span) return;
    event.preventDefault();
    active = question;
    unfoldField(question);
    question.field.focus({ preventScroll: true });
    question.choose(span);
    question.say("selected", span);
  });

  function unfoldField(question) {
    const fold = question.field.closest("details");
    if (fold) fold.open = true;
  }

  const KEYS = {
    ArrowRight: (question, event) => arrow(question, event, 1),
    ArrowLeft: (question, event) => arrow(question, event, -1),
    ArrowDown: (question) => line(question, 1),
    ArrowUp: (question) => line(question, -1),
    Home: (question, event) => moveTo(question, event, () => (event.ctrlKey ? 0 : marking.lineAround().start)),
    End: (question, event) => {
      moveTo(question, event, () => (event.ctrlKey ? marking.text.length : marking.lineAround().end));
      marking.lineEnd = marking.caret;
      showCaret();
    },
    Tab: (question, event) => nextSpan(question, event.shiftKey ? -1 : 1),
    Escape: (question) => {
      if (question.pending || question.near) { question.drop(); leaveNear(question); question.showPanel(); }
      else {
        if (NARROW.matches) close(question); // its panel covers half of the screen
        leave(question);
      }
    },
    Enter: (question) => {
      if (question.pending) question.confirm();
      else if (question.chosen) question.panel.querySelector("[data-span-note]").focus();
      else return false;
    },
  };

  function arrow(question, event, by) {
    moveTo(question, event, () => step(marking, by, event, question.pending?.text === marking ? question.pending.anchor : null));
  }

  // With Shift a span starts at once.
  function moveTo(question, event, place) {
    if (event.shiftKey && !question.pending) start(question);
    if (!question.pending && question.chosen) question.choose(null);
    leaveNear(question);
    go(question, place());
  }

  // In the field and in the text alike.
  function letter(question, event) {
    const key = event.key.toLowerCase(), open = question.openOnes();
    const span = question.isOpen(question.chosen ?? {}) ? question.chosen : open[0];
    if (/^[1-9]$/.test(key)) question.digit(Number(key));
    else if (key === "0") return question.spans.length ? undefined : question.none(!question.answer);
    else if (key === keys.mark) return marking ? start(question) : enter(question);
    else if (key === keys.edges) moveEdges(question, Boolean(question.pending?.edited));
    else if (key === keys.again) question.again();
    else if (key === keys.source) return switchOver();
    else if (key === keys.keep && open.length) keepOne(question, span, event.shiftKey ? open : [span]);
    else if (key === keys.drop && open.length) settle(question, span, () => question.remove(span, "dropped"));
    else if (question.letters.has(key)) attribute(question, key);
    else if (key === "c") return comment(question);
    else return false;
    return true;
  }

  function attribute(question, key) {
    if (question.chosen) question.letters.get(key).click();
    else question.say("first");
  }

  function keepOne(question, span, spans) {
    settle(question, span, () => spans.forEach((one) => question.keep(one)));
  }

  // One suggestion is decided: the next one is chosen.
  function settle(question, span, act) {
    const at = question.spans.indexOf(span);
    act();
    const open = question.openOnes();
    const next = open.find((one) => question.spans.indexOf(one) >= at) ?? open[0];
    if (next) question.choose(next);
  }

  const typing = (element) => element.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");

  // Before the page's own keys, on the window.
  addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || document.body.dataset.busy || event.metaKey) return;
    const field = event.target.closest?.(".field"), text = textAround(event.target);
    const question = text ? questionOf(text) : questions.get(field?.querySelector("[data-spans]"));
    if (!question?.editable || event.target.closest?.("dialog:not(.side)")) return;
    if (typing(event.target)) return inNote(question, event);
    if (act(question, event, text) === false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });

  // text: the one that has the focus. Where Tab has come to it, Enter or the key for marking begins.
  function act(question, event, text) {
    if (event.altKey && event.code === "KeyX") return question.chosen ? question.remove(question.chosen) : false;
    if (event.ctrlKey && event.code === "KeyZ" && !event.shiftKey) return question.undo();
    if (event.ctrlKey && !["Home", "End", "ArrowLeft", "ArrowRight"].includes(event.key)) return false;
    if (text && marking === text && KEYS[event.key]) return KEYS[event.key](question, event);
    if (text && !marking && event.key.toLowerCase() === keys.source) return switchOver();
    if (text && !marking) return [keys.mark, "enter"].includes(event.key.toLowerCase()) ? enter(question, text) : false;
    if (event.altKey || event.ctrlKey) return false;
    if (event.key === "Escape" && (question.chosen || question.pending)) return close(question);
    const onButton = event.target.closest?.("button, a, summary, label, input");
    if (event.key === "Enter" && !onButton) return question.chosen ? KEYS.Enter(question) : enter(question);
    if (event.repeat) return false;
    return letter(question, event);
  }

  function inNote(question, event) {
    if (!event.target.matches("[data-span-note]") || event.ctrlKey || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    event.target.blur(); // its change is taken over
    if (question.lastText || marking) enter(question, marking ?? question.lastText);
    else question.field.focus({ preventScroll: true });
  }

  // --- pointer -----------------------------------------------------------------------------------------------------
  const textAround = (node) => {
    const element = (node?.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest?.("[data-marks]");
    return element ? texts.get(element.dataset.marks) : undefined;
  };
  let pressed = false, pressedIn, isFinger = false, waiting = 0;

  // What the browser has selected becomes what would be marked.
  function takeSelection() {
    const selection = getSelection();
    if (selection.isCollapsed || !selection.rangeCount) return false;
    const range = selection.getRangeAt(0), text = textAround(range.startContainer) ?? textAround(range.endContainer);
    const question = text && questionOf(text);
    if (!question?.editable) return false;
    const from = text.element.contains(range.startContainer) ? text.unitAt(range.startContainer, range.startOffset) : 0;
    const to = text.element.contains(range.endContainer) ? text.unitAt(range.endContainer, range.endOffset) : text.text.length;
    const [start, end] = text.whole(...text.trimmed(from, to));
    if (start >= end) return false;
    question.touched = matchMedia("(pointer: coarse)").matches; // whose handles stay
    propose(question, text, [start, end]);
    return true;
  }

  // Would be marked; where edges are moved it is so at once.
  function propose(question, text, [start, end]) {
    active = question;
    question.near = true;
    const edited = question.pending?.edited ?? null;
    if (!edited) question.choose(null);
    question.pending = { text, anchor: start, focus: end, edited: edited?.field === text.column ? edited : null };
    text.caret = end;
    showPending(question);
    if (question.pending.edited) question.confirm();
    else question.showPanel();
  }

  const extent = ({ anchor, focus }) => [Math.min(anchor, focus), Math.max(anchor, focus)];

  // A finger takes the word under it, and with the next word all that is between; inside, the nearer edge moves there.
  function tap(text, event) {
    const question = questionOf(text), under = question.pending ? [] : spansUnder(question, text, event.target);
    const span = under[under.indexOf(question.chosen) + 1], word = text.wordAround(unitUnder(text, event));
    if (span) return chooseNear(question, span);
    if (!word) return;
    const before = question.pending?.text === text ? extent(question.pending) : null;
    propose(question, text, before ? stretched(before, word) : word);
    if (question.pending) question.say("extent", null, short(text.part(...extent(question.pending)), 80));
    comeAbove(question, text);
  }

  // What a finger has selected stays in sight: the panel that comes with it stands on the lower half of the screen.
  function comeAbove({ pending, panel }, text) {
    if (!pending || panel.hidden || !NARROW.matches) return;
    const over = text.range(...extent(pending)).getBoundingClientRect().bottom + 12 - panel.getBoundingClientRect().top;
    if (over > 0) scrollBy({ top: over });
  }

  function stretched([start, end], word) {
    if (word[0] < start || word[1] > end) return [Math.min(start, word[0]), Math.max(end, word[1])];
    return word[0] - start < end - word[1] ? [word[0], end] : [start, word[1]];
  }

  // Of the character there, not of the gap between two that is nearest.
  function unitUnder(text, { clientX, clientY }) {
    const spot = document.caretPositionFromPoint?.(clientX, clientY) ?? rangeSpot(clientX, clientY);
    if (!spot || !text.element.contains(spot.offsetNode)) return -1;
    const unit = last(text.edges, text.unitAt(spot.offsetNode, spot.offset)) ?? 0, before = last(text.edges, unit - 1);
    const box = before === undefined ? null : text.charBox(before);
    const isBefore = box && clientX >= box.left && clientX < box.right && clientY >= box.top && clientY <= box.bottom;
    return isBefore ? before : unit;
  }

  // Buttons in the panel: an edge by a character, of what is selected or of the span that is chosen.
  function stepEdge(question, edge, by) {
    const { pending, chosen } = question, text = pending?.text ?? (chosen && textWith(chosen));
    if (!text) return;
    const ends = pending ? extent(pending) : text.extentOf(chosen);
    ends[edge] = by > 0 ? first(text.edges, ends[edge] + 1) ?? ends[edge] : last(text.edges, ends[edge] - 1) ?? 0;
    if (ends[0] >= ends[1]) return;
    const { near } = question;
    question.pending = { text, anchor: ends[0], focus: ends[1], edited: pending?.edited ?? (pending ? null : chosen) };
    if (question.pending.edited) question.confirm();
    else showPending(question);
    question.near = near;
    question.showPanel();
    if (question.pending) question.say("extent", null, short(text.part(...ends), 80));
  }

  // A click chooses the shortest span under it, a second one the next longer one.
  function chooseAt(text, target) {
    const question = questionOf(text), under = spansUnder(question, text, target);
    if (!under.length) {
      close(question);
      const selection = getSelection();
      if (textAround(selection.anchorNode) === text) text.caret = last(text.edges, text.unitAt(selection.anchorNode, selection.anchorOffset));
      return enter(question, text);
    }
    chooseNear(question, under[(under.indexOf(question.chosen) + 1) % under.length]);
  }

  function spansUnder(question, text, target) {
    return question.spans.filter((span) => (text.elements.get(span) ?? []).some((element) => element.contains(target)))
      .sort((a, b) => a.end - a.start - (b.end - b.start));
  }

  function chooseNear(question, span) {
    active = question;
    question.near = true;
    question.choose(span);
    question.say("selected", span);
  }

  // What is outside of the panel and of the texts ends the work on a span.
  function leaveFor(target) {
    const question = active;
    if (question?.near && !question.panel.contains(target) && !textAround(target)) close(question);
  }

  // A link in a text that is marked is a part of the text; with Ctrl or the middle button it is followed.
  document.addEventListener("click", (event) => {
    const text = event.target.closest?.("a[href]") && textAround(event.target);
    if (text && questionOf(text)?.editable && !event.ctrlKey && !event.metaKey) event.preventDefault();
  });
  // Everything waits for the click. Before, a panel that comes under a finger would be clicked in place of the text, a page
  // that a finger scrolls would lose what is selected, and a quick second click would be taken for the first.
  document.addEventListener("pointerdown", (event) => {
    pressed = event.pointerType === "mouse";
    isFinger = event.pointerType === "touch";
    pressedIn = textAround(event.target);
    if (!isFinger) leaveFor(event.target);
  });
  document.addEventListener("pointerup", (event) => {
    pressed = false;
    if (!isFinger && textAround(event.target) !== pressedIn) setTimeout(takeSelection); // no click comes to the text
  });
  document.addEventListener("click", (event) => {
    const text = textAround(event.target), isSecond = isFinger && event.detail > 1; // half of a double tap
    if (!event.detail || isSecond) return;
    if (isFinger) leaveFor(event.target);
    if (!text || !questionOf(text)?.editable || takeSelection()) return;
    if (isFinger) tap(text, event);
    else chooseAt(text, event.target);
  });
  // Fingers move the handles of a selection, which gives no other event.
  document.addEventListener("selectionchange", () => {
    clearTimeout(waiting);
    if (!pressed && matchMedia("(pointer: coarse)").matches) waiting = setTimeout(takeSelection, 250);
  });
  document.addEventListener("focusout", (event) => {
    if (document.hasFocus() && event.target === marking?.element) leave(questionOf(marking), false);
  });
  document.addEventListener("scroll", () => { if (active?.near && !active.panel.hidden) nearText(active); }, { capture: true, passive: true });
  addEventListener("resize", showCaret);

  // --- adjudication: the final set, group by group of overlapping spans ---------------------------------------------
  const tables = () => [...document.querySelectorAll("[data-span-groups]")];
  const questionFor = (table) => [...questions.values()].find((question) => question.name === table.dataset.spanGroups);
  const leftOut = new Set(); // groups in which nobody's span was adopted; a save makes their rows anew
  const groupOf = (row) => `${row.closest("table").dataset.spanGroups} ${row.dataset.group}`;

  const inGroup = (row, span) =>
    span.field === row.dataset.field && span.start < Number(row.dataset.end) && span.end > Number(row.dataset.start);

  // no: of the person whose spans are adopted. 0, and the number of somebody who marked nothing, leave the group out.
  function adopt(row, no) {
    const question = questionFor(row.closest("table")), cell = row.querySelector(`[data-spans-of="${no}"]`);
    const spans = [...(cell?.querySelectorAll("[data-span]") ?? [])].map((line) => JSON.parse(line.dataset.span));
    if (!question?.editable || (no && !cell)) return;
    leftOut[spans.length ? "delete" : "add"](groupOf(row));
    const all = [...question.spans.filter((span) => !inGroup(row, span)), ...spans];
    const waits = [...row.parentElement.children].some((other) => other !== row && other.dataset.open !== undefined);
    question.change(all.length ? all : waits ? null : [], spans[0] ?? null);
    if (spans.length) question.say("labelled", spans[0]);
    else question.say("left", null);
    nextGroup(row, 1);
  }

  function nextGroup(row, by) {
    const rows = [...row.closest("tbody").children], open = rows.filter((other) => other.dataset.open !== undefined);
    const after = by > 0 ? open.find((other) => rows.indexOf(other) > rows.indexOf(row)) ?? open[0] : null;
    (after ?? row).focus();
  }

  // What stands in the form in place of each group.
  function showGroups(question) {
    for (const row of tables().filter((table) => questionFor(table) === question).flatMap((table) => [...table.tBodies[0].children])) {
      const final = row.querySelector("[data-final]"), spans = question.spans.filter((span) => inGroup(row, span));
      row.toggleAttribute("data-open", !spans.length && !leftOut.has(groupOf(row)));
      final.replaceChildren(...(spans.length ? spans.map((span) => finalOf(question, span))
        : [made("span", leftOut.has(groupOf(row)) ? final.dataset.none : final.dataset.choose, "quiet small")]));
      for (const button of row.querySelectorAll("[data-adopt]")) button.hidden = !question.editable;
    }
    for (const kbd of document.querySelectorAll("[data-groups-edges]")) kbd.textContent = keys.edges.toUpperCase();
    countGroups();
  }

  function countGroups() {
    for (const table of tables()) {
      const line = table.closest(".point__body").querySelector("[data-groups-left]"), rows = table.tBodies[0].rows;
      const left = [...rows].filter((row) => row.dataset.open !== undefined).length;
      line.textContent = line.dataset.groupsLeft.replace("{n}", String(left)).replace("{total}", String(rows.length));
    }
  }

  function finalOf(question, span) {
    const place = document.createElement("div");
    place.append(made("span", short(span.text, 80), "strong small"), " ", made("span", question.described(span), "small"));
    return place;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-adopt]");
    if (button) adopt(button.closest("tr"), Number(button.closest("[data-spans-of]").dataset.spansOf));
  });

  // To the group in the text that is shown: rendered or raw.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".groups__name a");
    const marks = link?.closest(".point__body").querySelectorAll(`.lanes [data-no="${link.closest("tr").dataset.group}"]`) ?? [];
    const mark = [...marks].find((element) => element.getClientRects().length);
    if (!mark) return;
    event.preventDefault();
    mark.scrollIntoView({ block: "center" });
  });

  function inGroups(event) {
    const row = event.target.closest?.("tr[data-group]");
    if (!row || event.ctrlKey || event.altKey || event.metaKey || event.isComposing || typing(event.target)) return;
    const rows = [...row.parentElement.children], by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const target = by && rows[rows.indexOf(row) + by];
    const question = questionFor(row.closest("table")), key = event.key.toLowerCase();
    if (target) target.focus();
    else if (/^[0-9]$/.test(key) || (key === keys.edges && question?.editable)) decide(row.id, key);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  // While an adoption of the whole answer is saved, its field and the groups come anew: the key waits for them.
  function decide(id, key) {
    const row = document.getElementById(id), question = row && questionFor(row.closest("table"));
    if (question?.root.closest("[inert]")) document.addEventListener("fields:free", () => decide(id, key), { once: true });
    else if (!row) return;
    else if (key === keys.edges) moveIn(question, row);
    else adopt(row, Number(key));
  }

  function moveIn(question, row) {
    const span = question.spans.find((one) => inGroup(row, one));
    if (!span) return question.say("first");
    unfoldField(question);
    question.choose(span);
    moveEdges(question);
  }

  addEventListener("keydown", inGroups, { capture: true });

  // What is wrong with a span is a link to it: #field-errors-3-label
  document.addEventListener("click", (event) => {
    const [, name, at] = event.target.closest?.('a[href^="#field-"]')?.hash.match(/^#field-(.+?)-(\d+)(?:-|$)/) ?? [];
    const question = [...questions.values()].find((one) => one.name === decodeURIComponent(name ?? ""));
    if (!question?.spans[at]) return;
    event.preventDefault();
    question.field.focus({ preventScroll: true });
    question.choose(question.spans[at]);
  });
  document.addEventListener("page:ends", () => CSS.highlights?.delete("span-pending"));

  // --- arriving: also where the server has replaced the fields, or the whole page that an editor previews ------------
  function leaveReplaced() {
    if (active && !active.root.isConnected) {
      active.drop();
      active = null;
    }
    if (marking && !marking.element.isConnected) marking = null;
    for (const [column, text] of texts) if (!text.element.isConnected) texts.delete(column);
    for (const [element, question] of questions) {
      if (element.isConnected) continue;
      question.release();
      questions.delete(element);
    }
  }

  // --- rendered, or as it is stored: one switch for all texts of the page, which the browser remembers ---------------
  const MEMORY = "touchstone-show-as";
  const viewsMade = new WeakMap(); // element -> its MarkedText
  const switchOf = (name) => document.getElementById(`as-${name}`);
  const isRaw = () => Boolean(switchOf("raw")?.checked);
  const canSwitch = () => Boolean(document.querySelector(".marked.turn__rendered") && switchOf("raw"));

  // The text on which this span can be seen.
  function textWith(span) {
    if (texts.get(span.field)?.hides(span) === "all") show("raw");
    return texts.get(span.field);
  }

  function show(name) {
    const radio = switchOf(name);
    if (!radio || radio.checked) return;
    radio.checked = true;
    showViews();
  }

  function switchOver() {
    if (!canSwitch()) return false;
    show(isRaw() ? "rendered" : "raw");
    return true;
  }

  // What is selected, and where the caret stands, is taken along as a place in the stored text.
  function showViews() {
    try { localStorage.setItem(MEMORY, isRaw() ? "raw" : "rendered"); } catch { /* as it stands again next time */ }
    const caretAt = marking && pointOf(marking), hadFocus = marking && document.activeElement === marking.element;
    const waiting = [...questions.values()].filter(({ pending }) => pending).map((question) => [question, placeOf(question.pending)]);
    const before = marking;
    for (const text of texts.values()) text.element.setAttribute("role", "group");
    arrive();
    for (const [question, place] of waiting) takeAlong(question, place);
    if (!before) return;
    marking = texts.get(before.column);
    const { pending } = questionOf(marking);
    if (pending?.text === marking) marking.caret = pending.focus;
    else marking.caret = caretAt === null ? marking.text.length : Math.min(...marking.extentOf({ start: caretAt, end: caretAt + 1 }));
    marking.element.setAttribute("role", "application");
    if (hadFocus) marking.element.focus({ preventScroll: true });
    showCaret();
  }

  const pointOf = (text) => text.placeOf(text.caret, first(text.edges, text.caret + 1) ?? text.caret)?.start ?? null;
  const placeOf = ({ text, anchor, focus }) => text.placeOf(Math.min(anchor, focus), Math.max(anchor, focus));

  function takeAlong(question, place) {
    const { pending } = question, text = texts.get(pending.text.column);
    const [start, end] = place ? text.extentOf(place) : [0, 0];
    if (start >= end) return question.drop();
    const ends = pending.anchor <= pending.focus ? { anchor: start, focus: end } : { anchor: end, focus: start };
    question.pending = { text, edited: pending.edited, ...ends };
    showPending(question);
  }

  document.addEventListener("change", (event) => { if (event.target.name === "show_as") showViews(); });

  function remembered() {
    try { return localStorage.getItem(MEMORY); } catch { return null; }
  }

  function viewOf(element) {
    if (!viewsMade.has(element)) {
      const source = element.parentElement.querySelector("[data-text]").dataset.text; // a page's own text has no carriage returns
      const View = element.classList.contains("turn__rendered") ? RenderedText : MarkedText;
      const text = new View(element, new MarkedText.StoredText(JSON.parse(source), element.lang));
      text.head = element.closest(".turn")?.querySelector("[data-marks-count]");
      (window.requestIdleCallback ?? setTimeout)(() => [text.words, text.stored.edges]); // before the first key asks for them
      viewsMade.set(element, text);
    }
    return viewsMade.get(element);
  }

  function arrive() {
    leaveReplaced();
    if (canSwitch() && remembered() === "raw") switchOf("raw").checked = true;
    const hidden = isRaw() ? "turn__rendered" : "turn__raw";
    for (const element of document.querySelectorAll("[data-marks]")) {
      if (!element.classList.contains(hidden)) texts.set(element.dataset.marks, viewOf(element));
    }
    for (const hint of document.querySelectorAll("[data-span-view]")) hint.hidden = !canSwitch();
    for (const element of document.querySelectorAll("[data-spans]")) {
      if (!questions.has(element)) questions.set(element, new SpanQuestion(element));
    }
    for (const question of questions.values()) {
      question.read();
      question.show();
    }
  }

  document.addEventListener("htmx:load", (event) => { if (event.target !== document.body) arrive(); });
  document.addEventListener("work:shown", () => {
    for (const question of questions.values()) showGroups(question);
  });
  document.getElementById("annotation")?.addEventListener("fields:replaced", arrive);
  Object.assign(SpanQuestion.page, {
    texts, show, soon, unfold, threadsOf, comment, showGroups, drawText, showPending, nearText, leaveNear, enter, moveEdges, stepEdge, close, workOn: (question) => { active = question; },
  });
  arrive();
})();
