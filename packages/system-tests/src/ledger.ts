/** Records which updates of a generated load arrived; texts are `<prefix><number within its chat> @<made at, ms>`. */
export type Ledger = {
  /** Records one delivered update; only its first arrival counts for the order. */
  record(update: string): void;
  /** The number of different updates that have arrived. */
  count(): number;
  /** Faults: gaps in a chat, and updates that arrived before an earlier one of their chat. */
  faults(expectedPerChat: number): string[];
  /** How many updates never arrived, out of `perChat` in each of `chats`. */
  missing(chats: number, perChat: number): number;
  /** True if this number of this chat has arrived. */
  has(chat: number, number: number): boolean;
  /** Updates that arrived before an earlier one of their chat; ignores gaps. */
  disorder(): string[];
  duplicates(): number;
  /** The longest time (ms) so far without a new arrival. */
  longestSilenceMs(): number;
};

const NUMBER = /"text":"[a-z]*(\d+) @/;
const CHAT = /"chat":\{"id":(-?\d+)/;

export function ledger(): Ledger {
  const arrivals = new Map<string, number[]>();
  const seen = new Set<string>();
  let duplicates = 0;
  let lastNewMs: number | null = null;
  let silenceMs = 0;
  return {
    record: (update) => {
      const chat = CHAT.exec(update)?.[1];
      const number = NUMBER.exec(update)?.[1];
      if (chat === undefined || number === undefined) return;
      const key = `${chat} ${number}`;
      if (seen.has(key)) {
        duplicates += 1;
        return;
      }
      seen.add(key);
      const nowMs = performance.now();
      if (lastNewMs !== null) silenceMs = Math.max(silenceMs, nowMs - lastNewMs);
      lastNewMs = nowMs;
      const numbers = arrivals.get(chat) ?? [];
      arrivals.set(chat, numbers);
      numbers.push(Number(number));
    },
    count: () => seen.size,
    faults: (expectedPerChat) =>
      [...arrivals].flatMap(([chat, numbers]) => {
        const wrong = numbers.findIndex((number, at) => number !== at);
        if (wrong >= 0) return [`chat ${chat}: number ${numbers[wrong]} arrived where ${wrong} was due`];
        return numbers.length === expectedPerChat
          ? []
          : [`chat ${chat}: ${numbers.length} of ${expectedPerChat} arrived`];
      }),
    missing: (chats, perChat) => chats * perChat - seen.size,
    has: (chat, number) => seen.has(`${chat} ${number}`),
    disorder: () =>
      [...arrivals].flatMap(([chat, numbers]) => {
        const wrong = numbers.findIndex((number, at) => at > 0 && number < numbers[at - 1]!);
        return wrong < 0 ? [] : [`chat ${chat}: number ${numbers[wrong]} arrived after ${numbers[wrong - 1]}`];
      }),
    duplicates: () => duplicates,
    longestSilenceMs: () => Math.max(silenceMs, lastNewMs === null ? 0 : performance.now() - lastNewMs),
  };
}
