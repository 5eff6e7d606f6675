/** Differences that rounding makes, px. */
const ROUNDING = 1;

/**
 * Runs in the browser. Finds the visible texts that share some area with another one, those that leave the window, and
 * whether the page scrolls sideways.
 */
// oxlint-disable-next-line no-unused-vars
function measureTexts() {
  const fragments = visibleFragments();
  return {
    overlaps: fragments.flatMap((one, index) =>
      fragments
        .slice(index + 1)
        // An ellipsis makes two boxes of one text.
        .filter((other) => one.node !== other.node && overlap(one, other))
        .map((other) => `'${one.text}' and '${other.text}'`),
    ),
    outside: fragments
      .filter(({ left, right }) => left < -ROUNDING || right > innerWidth + ROUNDING)
      .map(({ text }) => text),
    scrollsSideways: document.documentElement.scrollWidth > innerWidth,
  };
}

/** The lines of all texts. */
function visibleFragments() {
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (nodes.nextNode()) {
    const node = nodes.currentNode;
    const text = node.textContent.trim();
    if (text === '' || !node.parentElement.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      const fragment = clip({ node, text, left, top, right, bottom }, node.parentElement);
      if (fragment.right - fragment.left > ROUNDING && fragment.bottom - fragment.top > ROUNDING) {
        found.push(fragment);
      }
    }
  }
  return found;
}

/** What remains of it within the boxes that cut it off. */
function clip(fragment, element) {
  if (element === null) return fragment;
  if (getComputedStyle(element).overflowX === 'visible') return clip(fragment, element.parentElement);
  const box = element.getBoundingClientRect();
  const visible = {
    ...fragment,
    left: Math.max(fragment.left, box.left),
    top: Math.max(fragment.top, box.top),
    right: Math.min(fragment.right, box.right),
    bottom: Math.min(fragment.bottom, box.bottom),
  };
  return clip(visible, element.parentElement);
}

function overlap(one, other) {
  return (
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > ROUNDING &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > ROUNDING
  );
}
