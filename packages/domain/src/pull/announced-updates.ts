import type { Heard } from '@flotilla/redis/channel-waiters.ts';
import type { Bot } from '../bots/bot.ts';
import { joinUpdates, NO_UPDATES, type PulledUpdates } from './pulled-updates.ts';

/** What follows what a reader has: updates, or none if it heard only of those that it has. */
export type Announced = {
  updates: PulledUpdates;
  /** The reader has everything before this id now. */
  offset: number;
  /** When the first update was appended; 0 when there is none. */
  appendedAtMs: number;
};

/**
 * The updates that appends announced to a reader of all kinds, which has everything before `offset`. Null if it must read
 * the log, because something was announced without its updates, or does not follow what the reader has.
 */
export function announcedUpdates(bot: Bot, offset: number, heard: Heard): Announced | null {
  if (heard === 'unknown') return null;
  const announced: Announced = { updates: NO_UPDATES, offset, appendedAtMs: 0 };
  for (const message of heard ?? []) {
    const { registrationId, before, last, appendedAtMs, updates } = readMessage(message);
    if (registrationId !== bot.registrationId) return null;
    if (last < announced.offset) continue;
    if (before + 1 !== announced.offset) return null;
    if (announced.updates.count === 0) announced.appendedAtMs = appendedAtMs;
    announced.updates = joinUpdates([announced.updates, updates]);
    announced.offset = last + 1;
  }
  return announced;
}

/** As accept-updates.lua publishes it. `before` and `last` are the newest ids before the append and after it. */
type Message = { registrationId: string; before: number; last: number; appendedAtMs: number; updates: PulledUpdates };

function readMessage(message: Buffer): Message {
  const headEnd = message.indexOf('\n');
  const [, registrationId = '', before, last, appendedAtMs, count] = message.toString('latin1', 0, headEnd).split(' ');
  const updates = { count: Number(count), joined: message.subarray(headEnd + 1) };
  return { registrationId, before: Number(before), last: Number(last), appendedAtMs: Number(appendedAtMs), updates };
}
