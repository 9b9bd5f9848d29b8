import { useEffect, useRef } from 'react';
import { usePreferences } from './preferences.tsx';

/** How long after its first letter the second one of a shortcut such as `g f` counts. */
const SEQUENCE_MS = 1_500;

const SIGN = /^[!-/:-@[-`{-~]$/;
const ENGLISH_SIGNS: Readonly<Record<string, readonly [plain: string, shifted: string]>> = {
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Slash: ['/', '?'],
};

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
      const isAlt = event.altKey || event.getModifierState('AltGraph');
      const modified = (event.ctrlKey || event.metaKey) && !isAlt;
      // Many layouts have brackets behind AltGr, which Windows reports as Ctrl and Alt. Letters behind it are no shortcuts.
      if (isAlt && !SIGN.test(event.key)) return;
      if (!modified && (!singleKeys || isTyping(event.target))) return;
      const key = modified ? `ctrl+${keyOf(event).toLowerCase()}` : keyOf(event);
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

/** The character of the key; of a layout without ASCII, such as the Russian one, that of the English layout. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length > 1 || key <= '~') return key;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter !== undefined) return shiftKey ? letter : letter.toLowerCase();
  return ENGLISH_SIGNS[code]?.[shiftKey ? 1 : 0] ?? key;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog, [role=menu]') !== null;
}
