import { type ReactNode, useRef } from 'react';
import { useShortcuts } from '../keys.ts';
import { Icon } from './icon.tsx';
import { useTyped } from './use-typed.ts';

/** Lists answer within 100 ms of a key. */
const TYPING = { pauseMs: 40, atOnce: true };

type FilterProps = {
  label: string;
  hint: string;
  text: string;
  change: (text: string) => void;
};

/** Filters a list by a text, which goes to the address with the first key, and once the typing pauses. */
export function FilterField({ label, hint, text, change }: FilterProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(text, change, TYPING);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <div className="filter">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && typed === '' && field.current?.blur()}
      />
      <kbd>/</kbd>
    </div>
  );
}
