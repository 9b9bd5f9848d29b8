import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import type { useHeldRows } from './use-held-rows.ts';

type ChangedProps = { held: Pick<ReturnType<typeof useHeldRows>, 'news' | 'isBehind' | 'release'> };

/** Says that rows which are held are no longer how the list is; a press shows it as it is. */
export function ChangedRows({ held: { news, isBehind, release } }: ChangedProps): ReactNode {
  const { rows: words } = useWords();
  if (!isBehind) return null;
  return (
    <button type="button" className="pill" onClick={release}>
      {news > 0 ? words.news(news) : words.changed}
    </button>
  );
}
