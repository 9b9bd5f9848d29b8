import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../../keys.ts';
import { Icon } from '../../parts/icon.tsx';
import { useWords } from '../../words/words.tsx';
import type { FleetFilter } from './fleet-filter.ts';

const TYPING_MS = 200;

/** Filters the list by name; the address follows once the typing pauses. */
export function FilterField({ text }: { text: string }): ReactNode {
  const { fleet: words } = useWords();
  const navigate = useNavigate({ from: '/' });
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(text);
  const [sent, setSent] = useState(text);
  const [seen, setSeen] = useState(text);
  if (text !== seen) {
    setSeen(text);
    // The address changed by other means: back, a link, a cleared filter.
    if (text !== sent) {
      setSent(text);
      setTyped(text);
    }
  }
  useEffect(() => {
    if (typed === sent) return;
    const timer = setTimeout(() => {
      setSent(typed);
      void navigate({
        search: ({ q: _, ...others }: FleetFilter) => (typed.trim() ? { ...others, q: typed } : others),
        replace: true,
      });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, sent, navigate]);
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
