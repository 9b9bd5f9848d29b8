import { useMemo } from 'react';
import { useWords } from '../../../words/words.tsx';

type Times = {
  dayOf(seconds: number): string;
  timeOf(seconds: number): string;
  exactOf(at: number | string): string;
  /** The time of today's moments, else the day. */
  shortOf(seconds: number): string;
};

const byLanguage = new Map<string, Times>();

/** Times of messages in the time zone of the browser; formats are costly to make, and made once. */
export function useMessageTimes(): Times {
  const { language } = useWords();
  return useMemo(() => {
    const known = byLanguage.get(language) ?? timesIn(language);
    byLanguage.set(language, known);
    return known;
  }, [language]);
}

function timesIn(language: string): Times {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const { format: write } = new Intl.DateTimeFormat(language, { hourCycle: 'h23', ...options });
    return (seconds: number) => write(seconds * 1000);
  };
  const time = format({ timeStyle: 'short' });
  const exact = format({ dateStyle: 'medium', timeStyle: 'medium' });
  const day = format({ weekday: 'long', day: 'numeric', month: 'long' });
  const dayOfYear = format({ day: 'numeric', month: 'long', year: 'numeric' });
  const [short, shortOfYear] = [format({ day: 'numeric', month: 'short' }), format({ dateStyle: 'short' })];
  return {
    timeOf: time,
    exactOf: (at) => exact(typeof at === 'string' ? Date.parse(at) / 1000 : at),
    dayOf: (seconds) => (isThisYear(seconds) ? day(seconds) : dayOfYear(seconds)),
    shortOf: (seconds) => {
      if (new Date(seconds * 1000).toDateString() === new Date().toDateString()) return time(seconds);
      return isThisYear(seconds) ? short(seconds) : shortOfYear(seconds);
    },
  };
}

function isThisYear(seconds: number): boolean {
  return new Date(seconds * 1000).getFullYear() === new Date().getFullYear();
}
