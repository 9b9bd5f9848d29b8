import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, HOUR_MS } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { MINUTE_MS } from './read-minutes.ts';
import {
  addPlace,
  noReaderCounts,
  type Quality,
  qualityOf,
  READER_PLACES,
  type ReaderCounts,
} from './reader-counts.ts';

type Redis = { redis: RedisHandles };
export type ReaderCountsByTime = Map<number, ReaderCounts>;

/** For how long what a reader did can be read; Redis forgets it an hour later. */
export const READER_MINUTES_KEPT_MS = 25 * HOUR_MS;

/** How many hashes are read in one round trip. */
const READ_AT_ONCE = 32;

type Place = { botId: number; reader: string; hour: number };

/** The activity of these readers of a bot together, by the start of each step (ms) of these hours. No entry: nothing. */
export async function readReaderCounts(
  deps: Redis,
  botId: number,
  readers: readonly string[],
  hours: readonly number[],
  stepMs: number,
): Promise<ReaderCountsByTime> {
  const sums: ReaderCountsByTime = new Map();
  const places = hours.flatMap((hour) => readers.map((reader) => ({ botId, reader, hour })));
  await readPlaces(deps, places, ({ reader, hour }, minute, place, count) => {
    const minuteMs = hour * HOUR_MS + minute * MINUTE_MS;
    const startMs = minuteMs - (minuteMs % stepMs);
    const sum = sums.get(startMs) ?? noReaderCounts();
    sums.set(startMs, sum);
    addPlace(sum, reader, place, count);
  });
  return sums;
}

/** How the attempts of readers went in the last hour, the running minute included; no entry: no attempt. */
export async function readQualities(
  deps: Redis & { clock: Clock },
  of: readonly { botId: number; reader: string }[],
): Promise<Map<string, Quality>> {
  const sums = await sumLastHour(deps, of, ({ botId, reader }) => qualityKey(botId, reader));
  return new Map(
    [...sums].flatMap(([name, sum]) => {
      const quality = qualityOf(sum);
      return quality === null ? [] : [[name, quality] as const];
    }),
  );
}

/** The same of all readers of each bot together, in the order of the bots; null: no attempt. */
export async function readQualityOfBots(
  deps: Redis & { clock: Clock },
  bots: readonly { botId: number; readers: readonly string[] }[],
): Promise<(Quality | null)[]> {
  const of = bots.flatMap(({ botId, readers }) => readers.map((reader) => ({ botId, reader })));
  const sums = await sumLastHour(deps, of, ({ botId }) => botId);
  return bots.map(({ botId }) => qualityOf(sums.get(botId) ?? noReaderCounts()));
}

export function qualityKey(botId: number, reader: string): string {
  return `${botId}:${reader}`;
}

async function sumLastHour<Key>(
  deps: Redis & { clock: Clock },
  of: readonly Pick<Place, 'botId' | 'reader'>[],
  keyOf: (place: Pick<Place, 'botId' | 'reader'>) => Key,
): Promise<Map<Key, ReaderCounts>> {
  const nowMs = deps.clock.nowMs();
  const fromMs = nowMs - HOUR_MS;
  const hours = [Math.floor(fromMs / HOUR_MS), Math.floor(nowMs / HOUR_MS)];
  const sums = new Map<Key, ReaderCounts>();
  const places = of.flatMap(({ botId, reader }) => hours.map((hour) => ({ botId, reader, hour })));
  await readPlaces(deps, places, (place, minute, field, count) => {
    if (place.hour * HOUR_MS + minute * MINUTE_MS <= fromMs - MINUTE_MS) return;
    const key = keyOf(place);
    const sum = sums.get(key) ?? noReaderCounts();
    sums.set(key, sum);
    addPlace(sum, place.reader, field, count);
  });
  return sums;
}

async function readPlaces(
  { redis }: Redis,
  places: readonly Place[],
  add: (of: Place, minute: number, place: number, count: number) => void,
): Promise<void> {
  for (let from = 0; from < places.length; from += READ_AT_ONCE) {
    const some = places.slice(from, from + READ_AT_ONCE);
    const found = await redis.runMany(
      some.map(({ botId, reader, hour }) => ['hgetall', botKeys(botId).readerMinutes(reader, hour)]),
    );
    for (const [at, counts] of found.entries()) {
      for (const [field, count] of Object.entries(counts as Record<string, string>)) {
        add(some[at]!, Math.floor(Number(field) / READER_PLACES), Number(field) % READER_PLACES, Number(count));
      }
    }
  }
}
