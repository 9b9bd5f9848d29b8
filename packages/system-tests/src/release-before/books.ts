import { ledger } from '../ledger.ts';

/** The numbers within a chat that an exclusive program takes, and that a program with a filter selects. */
export const TAKEN = /[37] @/;
export const FILTERED = /[15] @/;

const UPDATE = /"chat":\{"id":(-?\d+).*"text":"([a-z]*)(\d+ @)/;

type Book = { record(update: string): void; disorder(): string[]; of(phases: string): Map<string, string> };

function book(): Book {
  const order = ledger();
  const got: { phase: string; key: string; number: string }[] = [];
  return {
    record: (update) => {
      order.record(update);
      const [, chat, phase = '', number = ''] = UPDATE.exec(update) ?? [];
      if (chat !== undefined) got.push({ phase, key: `${chat} ${number}`, number });
    },
    disorder: order.disorder,
    of: (phases) => {
      const within = got.filter(({ phase }) => phases.includes(phase));
      return new Map(within.map(({ key, number }) => [key, number]));
    },
  };
}

/** Updates that the bot reads by itself, whoever its programs are. */
export const OWN = ['backend', 'getUpdates', 'named'] as const;
/** Programs that get all but what another one takes. */
export const OTHERS = ['pulls', 'pushes'] as const;
const READERS = [...OWN, ...OTHERS, 'filters', 'takes'] as const;
export type Reader = (typeof READERS)[number];
export type Books = ReturnType<typeof books>;

/** The books of all readers of one bot. */
export function books() {
  const all = Object.fromEntries(READERS.map((reader) => [reader, book()])) as Record<Reader, Book>;
  const wanted = (reader: Reader, number: string): boolean => {
    if (reader === 'takes') return TAKEN.test(number);
    return !TAKEN.test(number) && (reader !== 'filters' || FILTERED.test(number));
  };
  return {
    record: (reader: Reader, update: string) => all[reader].record(update),
    /** How many different updates of these phases (one letter each) came to the reader or were taken. */
    arrived: (reader: Reader, phases: string): number =>
      new Map([...all[reader].of(phases), ...all.takes.of(phases)]).size,
    /** How many of a phase each reader got. */
    counts: (phase: string) => Object.fromEntries(READERS.map((reader) => [reader, all[reader].of(phase).size])),
    /** Updates of a phase that readers got and should not have. */
    strays: (phase: string): string[] =>
      READERS.flatMap((reader) =>
        [...all[reader].of(phase)].filter(([, number]) => !wanted(reader, number)).map(([key]) => `${reader}: ${key}`),
      ),
    disorder: (): string[] => READERS.flatMap((reader) => all[reader].disorder().map((fault) => `${reader}, ${fault}`)),
  };
}
