import type { Logger } from '@flotilla/runtime/logger.ts';

export type NewDeadLetter = { botId: number; reader: string; code: string };
export type DeadLetterLog = {
  add(letters: NewDeadLetter[]): void;
  /** Logs what was counted since the last line. */
  stop(): void;
};

const EVERY_MS = 60_000;
const BOTS_NAMED = 20;

/** Logs the first dead letters at once and later ones in one line a minute, because a dead backend makes thousands. */
export function deadLetterLog(log: Pick<Logger, 'warn'>, everyMs = EVERY_MS): DeadLetterLog {
  let counted: NewDeadLetter[] = [];
  let timer: NodeJS.Timeout | undefined;
  const say = () => {
    clearTimeout(timer);
    timer = undefined;
    if (counted.length === 0) return;
    log.warn(summaryOf(counted), 'updates became failed deliveries');
    counted = [];
    timer = setTimeout(say, everyMs).unref();
  };
  return {
    add: (letters) => {
      counted.push(...letters);
      if (timer === undefined) say();
    },
    stop: () => {
      say();
      clearTimeout(timer);
    },
  };
}

function summaryOf(letters: NewDeadLetter[]): object {
  const bots = countBy(letters, ({ botId }) => String(botId)).sort(([, one], [, other]) => other - one);
  return {
    deadLetters: letters.length,
    reasons: Object.fromEntries(countBy(letters, ({ reader, code }) => `${reader} ${code}`)),
    bots: Object.fromEntries(bots.slice(0, BOTS_NAMED)),
    ...(bots.length > BOTS_NAMED && { otherBots: bots.length - BOTS_NAMED }),
  };
}

function countBy(letters: NewDeadLetter[], keyOf: (letter: NewDeadLetter) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const letter of letters) counts.set(keyOf(letter), (counts.get(keyOf(letter)) ?? 0) + 1);
  return [...counts];
}
