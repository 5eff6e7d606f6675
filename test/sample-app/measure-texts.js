/** The largest rounding error, px. */
const ROUNDING = 1;

/**
 * Runs in the browser. Finds visible texts that overlap and those outside of the window, and whether the page scrolls
 * horizontally.
 */
// oxlint-disable-next-line no-unused-vars
function measureTexts() {
  const fragments = visibleFragments();
  return {
    overlaps: fragments.flatMap((one, index) =>
      fragments
        .slice(index + 1)
        // A text with an ellipsis has two boxes.
        .filter((other) => one.node !== other.node && overlap(one, other))
        .map((other) => `'${one.text}' and '${other.text}'`),
    ),
    outside: fragments
      .filter(({ left, right }) => left < -ROUNDING || right > innerWidth + ROUNDING)
      .map(({ text }) => text),
    scrollsSideways: document.documentElement.scrollWidth > innerWidth,
  };
}

/** The visible lines of all texts. */
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

/** Clips a fragment to the boxes that hide their overflow. */
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
