import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useWords } from '../words/words.tsx';

const TICK_MS = 1_000;
const NowContext = createContext(0);

/** Lets every time on the page count on together; nothing counts while nobody looks. */
export function NowProvider({ children }: { children: ReactNode }): ReactNode {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={nowMs}>{children}</NowContext>;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** How long ago it was, in the largest unit that fits; the exact moment on hover. */
export function Ago({ at }: { at: string }): ReactNode {
  const { language } = useWords();
  const seconds = Math.max(0, Math.round((use(NowContext) - Date.parse(at)) / 1_000));
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3];
  const text = relative(language).format(-Math.floor(seconds / length), unit);
  return (
    <time dateTime={at} title={exact(at, language)}>
      {text}
    </time>
  );
}

/** How long it has lasted, in the largest unit that fits; the exact moment on hover. */
export function Lasting({ at }: { at: string }): ReactNode {
  const { language } = useWords();
  const seconds = Math.max(0, Math.round((use(NowContext) - Date.parse(at)) / 1_000));
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3];
  const text = lasting[unit](language).format(Math.floor(seconds / length));
  return (
    <time dateTime={at} title={exact(at, language)}>
      {text}
    </time>
  );
}

/** How long it is until then; the exact moment on hover. */
export function Until({ at }: { at: string }): ReactNode {
  const { language } = useWords();
  const seconds = Math.max(0, Math.round((Date.parse(at) - use(NowContext)) / 1_000));
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3];
  return (
    <time dateTime={at} title={exact(at, language)}>
      {seconds === 0 ? atOnce(language) : relative(language).format(Math.floor(seconds / length), unit)}
    </time>
  );
}

/** The time of day; the date on hover. */
export function Clock({ at }: { at: string }): ReactNode {
  const { language } = useWords();
  return (
    <time dateTime={at} title={exact(at, language)}>
      {clock(language).format(new Date(at))}
    </time>
  );
}

/** A moment within a sentence: the time of day, and the day where that is not today. */
export function useMomentText(): (at: string) => string {
  const { language } = useWords();
  return (at) => {
    const date = new Date(at);
    const day = date.toDateString() === new Date().toDateString() ? {} : ({ day: 'numeric', month: 'short' } as const);
    const format = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat(language, format).format(date);
  };
}

/** The day and the time of day; the year only where it is another one. */
export function Moment({ at, zone = false }: { at: string; zone?: boolean }): ReactNode {
  const { language } = useWords();
  const date = new Date(at);
  const year = date.getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const);
  const named = zone ? ({ timeZoneName: 'short' } as const) : {};
  const format = { ...year, ...named, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  return (
    <time dateTime={at} title={exact(at, language)}>
      {new Intl.DateTimeFormat(language, { ...format, hourCycle: 'h23' }).format(date)}
    </time>
  );
}

/** When it was or will be, with the day and the zone where that is not today, and how long from now. */
export function When({ at }: { at: string }): ReactNode {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const isAhead = Date.parse(at) > use(NowContext);
  return (
    <span>
      {isToday ? <Clock at={at} /> : <Moment at={at} zone />}, {isAhead ? <Until at={at} /> : <Ago at={at} />}
    </span>
  );
}

const FRESH_MS = 10_000;

/** When figures were true, where they are older than ten seconds. */
export function Stamp({ at, word }: { at: string; word: string }): ReactNode {
  if (use(NowContext) - Date.parse(at) <= FRESH_MS) return null;
  return (
    <>
      {word} <Clock at={at} />, <Ago at={at} />
    </>
  );
}

function exact(at: string, language: string): string {
  return full(language).format(new Date(at));
}

const relative = perLanguage((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'always', style: 'short' }));
const atOnce = perLanguage((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(0, 'second'));
const clock = perLanguage((tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'medium', hourCycle: 'h23' }));
const full = perLanguage(
  (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' }),
);
const unitFormat = (unit: string) =>
  perLanguage((tag) => new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short' }));
const lasting = {
  day: unitFormat('day'),
  hour: unitFormat('hour'),
  minute: unitFormat('minute'),
  second: unitFormat('second'),
};
const small = perLanguage((tag) => new Intl.NumberFormat(tag, { maximumSignificantDigits: 1 }));
const tenths = perLanguage((tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }));
const whole = perLanguage((tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }));

/** Making a format takes a tenth of a millisecond, and a list needs some for each row. */
function perLanguage<Format>(make: (language: string) => Format): (language: string) => Format {
  const made = new Map<string, Format>();
  return (language) => {
    const format = made.get(language) ?? make(language);
    made.set(language, format);
    return format;
  };
}

/** A number as the language writes it; small ones keep a digit that says something. */
export function useNumber(): (n: number) => string {
  const { language } = useWords();
  return (n) => (n < 1 ? small : n < 10 ? tenths : whole)(language).format(n);
}
