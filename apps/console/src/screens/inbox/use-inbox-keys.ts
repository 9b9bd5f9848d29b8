import { useShortcuts } from '../../keys.ts';

/** `j` and `k` move over the messages while the focus is among them, else over the chats; `J` and `K` open the next chat. */
export function useInboxKeys(): void {
  const move = (step: 1 | -1) => () => {
    const { activeElement } = document;
    const feed = activeElement?.closest('.feed');
    const rows = [...(feed ?? document).querySelectorAll<HTMLElement>(feed ? '.item' : '.chat-row')];
    const at = rows.findIndex((row) => row.contains(activeElement));
    const next = at >= 0 ? rows[at + step] : feed ? lastOnScreen(feed, rows) : rows[0];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  const open = (step: 1 | -1) => () => {
    const rows = [...document.querySelectorAll<HTMLElement>('.chat-row')].toSorted(
      (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top,
    );
    const at = rows.findIndex((row) => row.classList.contains('active'));
    rows[at + step]?.click();
  };
  useShortcuts({ J: open(1), K: open(-1), j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1) });
}

/** The rows of a virtual list stand in the page in any order, and some of them beyond the screen. */
function lastOnScreen(feed: Element, rows: HTMLElement[]): HTMLElement | undefined {
  const { bottom } = feed.getBoundingClientRect();
  return rows.findLast((row) => row.getBoundingClientRect().bottom <= bottom + 1);
}
