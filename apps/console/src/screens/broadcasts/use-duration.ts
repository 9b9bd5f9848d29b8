import { useWords } from '../../words/words.tsx';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in the largest unit that fits, rounded up. */
export function useDuration(): (seconds: number) => string {
  const { language } = useWords();
  return (seconds) => {
    const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3];
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(Math.ceil(seconds / length));
  };
}
