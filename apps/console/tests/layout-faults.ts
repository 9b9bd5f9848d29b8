import type { Page } from '@flotilla/testing/browser.ts';

/** No more of a page may move by itself (web.dev/cls). */
const MOST_SHIFT = 0.1;
/** A text that is cut must show this much of itself. */
const SHOWN_PX = 24;
const ONE_LINE_PX = 30;

/** From its next load on, a page sums up what moves on it by itself. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.layoutShift = 0;
    window.layoutShifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (hadRecentInput) continue;
        window.layoutShift += value;
        const named = ({ node, previousRect: from, currentRect: to }) =>
          (node?.className || node?.parentElement?.className || node?.nodeName) +
          ' from ' + [from.x, from.y].map(Math.round) + ' to ' + [to.x, to.y].map(Math.round);
        window.layoutShifts.push(value.toFixed(3) + ': ' + sources.map(named).join('; '));
      }
    }).observe({ type: 'layout-shift', buffered: true });
  `);
}

/** The elements that moved by themselves since the page was loaded, if they moved too much. */
export async function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate(`(window.layoutShift ?? 0) > ${MOST_SHIFT} ? window.layoutShifts : []`);
}

/**
 * Texts of which too little can be read, which are cut without an ellipsis, or which lie over others of their row: however long a name is, it pushes no fact
 * away. A page without its one heading of the first level is a fault too.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(FIND_FAULTS);
}

const FIND_FAULTS = `(() => {
  const faults = [];
  const lines = new Map();
  const isOpen = (dialog) => dialog.matches(':modal');
  const firstText = (element) => document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  const headings = [...document.querySelectorAll('h1')].filter((one) => one.checkVisibility());
  if (headings.length !== 1) faults.push(headings.length + ' headings of the first level');
  const over = [...document.querySelectorAll('dialog')].filter(isOpen).at(-1);
  const texts = document.createTreeWalker(over ?? document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === '' || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest('.unseen, .live-word, .skip, option, [hidden], svg, [aria-hidden]')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const all = range.getBoundingClientRect();
    if (all.width === 0) continue;
    let [left, right, cut] = [all.left, all.right, false];
    let reachable = false;
    let isFollowed = false;
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, flexWrap, textOverflow, clipPath, position } = getComputedStyle(at);
      if (clipPath !== 'none') reachable = true;
      if (overflowX === 'auto' || overflowX === 'scroll') reachable = true;
      if (reachable) break;
      if (overflowX === 'visible') continue;
      const box = at.getBoundingClientRect();
      // Of a box of one line, a part without room is left out as a whole.
      if (flexWrap === 'wrap' && all.top >= box.bottom - 1) reachable = true;
      if (box.left > left + 1 || box.right < right - 1) cut ||= textOverflow === 'ellipsis' ? 'ellipsis' : 'cut';
      // Of a line with an ellipsis the beginning counts.
      if (textOverflow === 'ellipsis' && firstText(at) !== text) isFollowed = true;
      left = Math.max(left, box.left);
      right = Math.min(right, box.right);
      if (position === 'fixed') break;
    }
    if (reachable || (cut === 'ellipsis' && isFollowed)) continue;
    const line = { element, left, right, top: all.top, bottom: all.bottom };
    // The lines of a text that wraps are no rectangle.
    if (all.height < ${ONE_LINE_PX}) lines.set(text, line);
    const shown = Math.max(0, Math.min(right, innerWidth) - Math.max(left, 0));
    const at = () => element.className + ' in ' + element.parentElement?.className + ': ' + text.data.trim().slice(0, 40);
    if (shown < Math.min(all.width - 1, ${SHOWN_PX})) faults.push('shows ' + Math.round(shown) + ' px of ' + at());
    else if (cut === 'cut') faults.push('cut without an ellipsis: ' + at());
  }
  const rowOf = (element) => element.closest('[role=row], li');
  // Within one line of text, directions may mix.
  const boxOf = (element) => (getComputedStyle(element).display === 'inline' ? boxOf(element.parentElement) : element);
  for (const [text, one] of lines) {
    for (const [other, two] of lines) {
      if (text === other || rowOf(one.element) === null || rowOf(one.element) !== rowOf(two.element)) continue;
      if (boxOf(one.element) === boxOf(two.element)) continue;
      const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      if (wide > 3 && high > 6) faults.push('lies over another text: ' + one.element.className + ' ' + text.data.slice(0, 40));
    }
  }
  return faults;
})()`;
