import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { useNumber } from './time.tsx';

/** Below this share people look for the reason. */
const WELL = 0.99;

/** How attempts went: the share that succeeded, and the time within which 95 % ended. */
export function Quality(of: { success_ratio?: number | undefined; p95_ms?: number | undefined }): ReactNode {
  const { bot: words, language } = useWords();
  const number = useNumber();
  const { success_ratio: ratio, p95_ms: p95 } = of;
  if (ratio === undefined) return null;
  // Rounded down: what is not all is never shown as all.
  const share = Math.floor(ratio * 1_000) / 1_000;
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share);
  return (
    <span className="quality">
      <span className={ratio < WELL ? 'weak' : undefined} title={words.success}>
        {percent}
      </span>
      {p95 !== undefined && (
        <span className="muted" title={words.within(number(p95))}>
          {words.ms(number(p95))}
        </span>
      )}
    </span>
  );
}
