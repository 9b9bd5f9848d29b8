import { useEffect, useRef } from 'react';
import { usePreferences } from './preferences.tsx';

/** How long after its first letter the second one of a shortcut such as `g f` counts. */
const SEQUENCE_MS = 1_500;

/** Handlers by shortcut: `ctrl+k`, one key, or two keys after one another as `g f`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Handles shortcuts while the component is shown. Single keys do nothing in fields, in dialogs, or when switched off. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { singleKeys } = usePreferences();
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    let first = { key: '', atMs: 0 };
    const handle = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const modified = event.ctrlKey || event.metaKey;
      if (event.altKey || (!modified && (!singleKeys || isTyping(event.target)))) return;
      const key = modified ? `ctrl+${event.key.toLowerCase()}` : event.key;
      const sequence = event.timeStamp - first.atMs < SEQUENCE_MS ? `${first.key} ${key}` : '';
      first = { key, atMs: event.timeStamp };
      // The second key of a sequence is no shortcut by itself, whichever part of the page knows the sequence.
      const single = sequence.startsWith('g ') ? undefined : latest.current[key];
      const handler = latest.current[sequence] ?? single;
      if (handler === undefined) return;
      event.preventDefault();
      handler(event);
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, [singleKeys]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog, [role=menu]') !== null;
}
