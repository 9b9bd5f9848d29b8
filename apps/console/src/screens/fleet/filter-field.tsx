import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { useShortcuts } from '../../keys.ts';
import { Icon } from '../../parts/icon.tsx';
import { useTyped } from '../../parts/use-typed.ts';
import { useWords } from '../../words/words.tsx';
import type { FleetFilter } from './fleet-filter.ts';

/** Filters the list by name; the address follows once the typing pauses. */
export function FilterField({ text }: { text: string }): ReactNode {
  const { fleet: words } = useWords();
  const navigate = useNavigate({ from: '/' });
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(text, (q) => {
    void navigate({
      search: ({ q: _, ...others }: FleetFilter) => (q.trim() ? { ...others, q } : others),
      replace: true,
    });
  });
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <div className="filter">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={words.filter}
        placeholder={words.filterHint}
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
