import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { SLOT_S, statsStore } from './stats-store.ts';

const WEEK_S = 7 * 86_400;
/** By the numbers of `Date`. */
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const HOURS = 24;

/**
 * How many messages of the last weeks were written on each weekday (0: Sunday) in each hour, `counts[weekday][hour]`, by the
 * clocks of an IANA time zone. Throws RangeError for a zone that is not known.
 */
export async function readChatWeekdays(
  deps: { db: Database; clock: Clock },
  chat: ChatOfBot,
  { weeks, time_zone }: { weeks: number; time_zone: string },
): Promise<number[][]> {
  const placeOf = weekdayAndHourIn(time_zone);
  const fromS = Math.floor(deps.clock.nowMs() / 1000) - weeks * WEEK_S;
  const counts = WEEKDAYS.map(() => Array.from({ length: HOURS }, () => 0));
  for (const { slot, count } of await statsStore(deps.db).messagesBySlot(chat, fromS)) {
    const [weekday, hour] = placeOf(slot * SLOT_S * 1000);
    counts[weekday]![hour]! += count;
  }
  return counts;
}

function weekdayAndHourIn(timeZone: string): (ms: number) => [weekday: number, hour: number] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' });
  return (ms) => {
    const [weekday, hour] = format.format(ms).split(', ');
    return [WEEKDAYS.indexOf(weekday!), Number(hour)];
  };
}
