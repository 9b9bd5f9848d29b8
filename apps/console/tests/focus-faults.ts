import type { Page } from '@flotilla/testing/browser.ts';

/** Elements that Tab reaches and that show no ring, a ring that is cut, or one that lies under something else (WCAG 2.4.7, 2.4.11). */
export async function focusFaults(page: Page): Promise<string[]> {
  return page.evaluate(FIND_FAULTS);
}

const FIND_FAULTS = `(() => {
  const faults = new Set();
  const reached = 'a[href], button, input, select, textarea, summary, [tabindex="0"], audio, video';
  const begin = [scrollX, scrollY, document.activeElement];
  const ringOf = (element) => {
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(at);
      if (outlineStyle === 'none' && getComputedStyle(at, '::before').content === '""') return { at, px: 0 };
      if (outlineStyle !== 'none') return { at, px: parseFloat(outlineWidth) + parseFloat(outlineOffset) };
    }
    return null;
  };
  for (const element of document.querySelectorAll(reached)) {
    if (element.disabled || element.tabIndex < 0 || element.closest('[inert], .unseen') || !element.checkVisibility({ visibilityProperty: true })) continue;
    element.focus({ focusVisible: true });
    if (document.activeElement !== element) continue;
    const called = (element.className || element.nodeName) + ' in ' + element.parentElement.className;
    const ring = ringOf(element);
    if (ring === null) {
      faults.add('no ring around ' + called);
      continue;
    }
    const box = ring.at.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    for (let at = ring.at.parentElement; at !== null && at !== document.documentElement; at = at.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(at);
      const room = at.getBoundingClientRect();
      const [least, most] = [{ x: room.left + at.clientLeft, y: room.top + at.clientTop }, {}];
      Object.assign(most, { x: least.x + at.clientWidth, y: least.y + at.clientHeight });
      const cut = (overflow, from, to, least, most) =>
        overflow !== 'visible' && from >= least - 1 && to <= most + 1 && (from - ring.px < least - 1 || to + ring.px > most + 1);
      if (cut(overflowX, box.left, box.right, least.x, most.x) || cut(overflowY, box.top, box.bottom, least.y, most.y)) {
        faults.add('the ring around ' + called + ' is cut by ' + (at.className || at.nodeName));
        break;
      }
      if (position === 'fixed') break;
    }
  }
  begin[2]?.focus?.();
  scrollTo({ left: begin[0], top: begin[1], behavior: 'instant' });
  return [...faults];
})()`;
