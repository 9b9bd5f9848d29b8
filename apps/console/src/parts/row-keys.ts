import { useShortcuts } from '../keys.ts';

/** `j` and `k`, or the arrows, move the focus over the links of the rows below `selector`. */
export function useRowKeys(selector: string): void {
  const move = (step: 1 | -1) => () => {
    const links = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const next = links[at < 0 ? 0 : at + step];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({ j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1) });
}
