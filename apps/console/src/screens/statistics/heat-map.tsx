import type { ReactNode } from 'react';
import { useMedia } from '../../parts/media.ts';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

/** A cell has room for four characters: 1.2K and 990M, as Telegram writes them in every language. */
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 2 });
const EXACT_BELOW = 1_000;
const LEVELS = 4;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Monday to Sunday, by the numbers of `Date`. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0];
/** A Monday, to name the weekdays by. */
const SOME_MONDAY_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** How much came on each weekday in each hour of the time zone of the browser: `counts[weekday][hour]`. */
export function HeatMap({ label, counts }: { label: string; counts: readonly (readonly number[])[] }): ReactNode {
  const { language, statistics: words } = useWords();
  const number = useNumber();
  const isNarrow = useMedia('(max-width: 70rem)');
  const largest = Math.max(1, ...counts.flat());
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const days = WEEKDAYS.map((day, at) => ({ day, name: weekday.format(SOME_MONDAY_MS + at * DAY_MS) }));
  const cell = (day: number, hour: number) => {
    const count = counts[day]?.[hour] ?? 0;
    return (
      <td key={`${day}-${hour}`} className={`heat-${levelOf(count, largest)}`} title={number(count)}>
        {count === 0 ? <span className="unseen">0</span> : count < EXACT_BELOW ? count : SHORT.format(count)}
      </td>
    );
  };
  const hourHead = (hour: number, scope: 'row' | 'col') => (
    <th key={hour} scope={scope}>
      {String(hour).padStart(2, '0')}
    </th>
  );
  return (
    <table className="heat-map">
      <caption className="unseen">{label}</caption>
      <thead>
        <tr>
          <td>
            <span className="unseen">{words.hour}</span>
          </td>
          {isNarrow
            ? days.map(({ day, name }) => (
                <th key={day} scope="col">
                  {name}
                </th>
              ))
            : HOURS.map((hour) => hourHead(hour, 'col'))}
        </tr>
      </thead>
      <tbody>
        {isNarrow
          ? HOURS.map((hour) => (
              <tr key={hour}>
                {hourHead(hour, 'row')}
                {days.map(({ day }) => cell(day, hour))}
              </tr>
            ))
          : days.map(({ day, name }) => (
              <tr key={day}>
                <th scope="row">{name}</th>
                {HOURS.map((hour) => cell(day, hour))}
              </tr>
            ))}
      </tbody>
    </table>
  );
}

function levelOf(count: number, largest: number): number {
  return count === 0 ? 0 : Math.max(1, Math.ceil((count / largest) * LEVELS));
}
