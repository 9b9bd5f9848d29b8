import { type ReactNode, useEffect, useRef } from 'react';
import { useShortcuts } from '../keys.ts';
import { useWords } from '../words/words.tsx';
import { Icon } from './icon.tsx';

type InspectorProps = { title: string; close: () => void; children: ReactNode };

/** Details of one row, beside the list; the page stays in use. It takes the focus, and gives it back when it closes. */
export function Inspector({ title, close, children }: InspectorProps): ReactNode {
  const words = useWords();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    panel.current?.focus();
    return () => (opener as HTMLElement | null)?.focus();
  }, []);
  useShortcuts({ Escape: close });
  return (
    <aside ref={panel} className="inspector" aria-label={title} tabIndex={-1}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="button quiet icon-only" aria-label={words.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </aside>
  );
}
