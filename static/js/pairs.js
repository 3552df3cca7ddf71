// Blind pairs: votes unlock when both answers were shown to their ends, letters vote, both texts scroll together.
(() => {
  "use strict";

  const pair = document.querySelector("[data-pair]");
  const form = document.getElementById("annotation");
  if (!form) return;

  // --- keys: before those of the work page, which have some of these letters too -----------------------------------
  const typing = (element) => element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");
  const foreign = (event) =>
    event.isComposing || event.keyCode === 229 || event.repeat || document.body.dataset.busy ||
    event.ctrlKey || event.metaKey || event.altKey || typing(event.target) ||
    event.target.closest?.("dialog") || document.querySelector("details[data-skip][open]");

  // Every kind of vote asks whether a model was recognised.
  const recognised = form.querySelector("[data-recognised]");
  document.addEventListener("keydown", (event) => {
    if (!recognised || recognised.disabled || foreign(event) || event.key.toLowerCase() !== "i") return;
    recognised.click();
    event.preventDefault();
  }, { capture: true });
  if (!pair) return;

  const sides = [...pair.querySelectorAll("[data-side]")];
  const together = pair.querySelector("[data-scroll-together]");
  const links = [...pair.querySelectorAll("[data-side-link]")];
  const votes = () => [...form.querySelectorAll("button[data-vote]")];
  const unread = new Set(sides);

  // --- reading -----------------------------------------------------------------------------------------------------
  function locked(is) {
    for (const button of votes()) button.disabled = is;
    const hint = form.querySelector("[data-read-first]");
    if (hint) hint.hidden = !is;
  }

  function read(side) {
    if (!unread.delete(side)) return;
    const foot = side.parentElement.querySelector("[data-side-read]");
    foot?.classList.add("text__foot--read");
    const mark = links[sides.indexOf(side)]?.querySelector("[data-side-seen]");
    if (mark) mark.hidden = false;
    if (!unread.size) locked(false);
  }

  // On a phone the edge of the other text looks in from the side: that is not reading it.
  const wholly = ({ isIntersecting, intersectionRect, boundingClientRect }) =>
    isIntersecting && intersectionRect.width > 0.6 * boundingClientRect.width;
  const bar = form.querySelector(".vote__bar--fixed"); // what it covers on a phone is not seen
  const covered = bar && getComputedStyle(bar).position === "fixed" ? bar.offsetHeight : 0;
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (wholly(entry)) read(entry.target.closest("[data-side]"));
    },
    { rootMargin: `0px 0px -${covered}px 0px`, threshold: [0, 0.25, 0.5, 0.7, 0.85, 1] },
  );
  if (form.dataset.saves && votes().length) locked(true);
  for (const side of sides) {
    seen.observe(side.querySelector("[data-side-end]"));
    // Who comes to it by the tab key on a phone sees all of its width, as after a swipe.
    side.addEventListener("focus", () => side.parentElement.scrollIntoView({ inline: "start", block: "nearest", behavior: "instant" }));
  }

  // A jump to the foot of the page passes the end of the text in front, though no frame has shown it.
  const end = (side) => side.querySelector("[data-side-end]").getBoundingClientRect();
  const inFront = ({ left, right, width }) => Math.min(right, innerWidth) - Math.max(left, 0) > 0.6 * width;
  const room = (side) => side.scrollHeight - side.clientHeight;
  let top = scrollY;
  addEventListener("scroll", () => {
    const down = scrollY > top;
    top = scrollY;
    if (!down) return;
    for (const side of [...unread])
      if (room(side) < 1 && end(side).top < innerHeight && inFront(end(side))) read(side);
  }, { passive: true });

  // --- the switch of a phone: it says which answer is in front, and brings the other one -----------------------------
  const front = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries) {
        const link = links[sides.findIndex((side) => target.contains(side))];
        if (intersectionRatio > 0.5) link?.setAttribute("aria-current", "true");
        else link?.removeAttribute("aria-current");
      }
    },
    { root: pair.querySelector(".sides"), threshold: 0.5 },
  );
  for (const side of sides) front.observe(side.parentElement);
  for (const [at, link] of links.entries()) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      sides[at].parentElement.querySelector(".text__head").scrollIntoView({ inline: "start", block: "start", behavior: "instant" });
      sides[at].focus({ preventScroll: true });
    });
  }

  // --- scrolling together ------------------------------------------------------------------------------------------
  const placed = new Map(); // where we have put a side: when it says that it is there, nobody has scrolled it

  function follow(side) {
    if (Math.abs(side.scrollTop - (placed.get(side) ?? -9)) < 2) return;
    placed.delete(side);
    const other = sides.find((one) => one !== side);
    if (!together?.checked || !other || room(side) < 1 || room(other) < 1) return;
    const share = room(side) - side.scrollTop < 2 ? 1 : side.scrollTop / room(side);
    const wanted = Math.round(share * room(other));
    other.scrollTo({ top: wanted, behavior: "instant" });
    placed.set(other, other.scrollTop);
  }
  for (const side of sides) side.addEventListener("scroll", () => follow(side), { passive: true });

  // --- votes ----------------------------------------------------------------------------------------------------------
  document.addEventListener("keydown", (event) => {
    if (foreign(event)) return;
    const letter = event.key.toLowerCase();
    const button = votes().find((one) => one.dataset.vote === letter);
    if (letter === "l" && together) together.click();
    else if (button) button.click(); // one that is locked stays as it is
    else return;
    event.preventDefault();
  }, { capture: true });
})();
