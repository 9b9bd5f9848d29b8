import type { OutboxState, Priority } from '@flotilla/contract/outbox.ts';
import { given, readId, readMoment, readText } from '../../parts/filters.tsx';

const STATE_NAMES: Readonly<Record<OutboxState, true>> = {
  scheduled: true,
  queued: true,
  held: true,
  sending: true,
  sent: true,
  failed: true,
  in_doubt: true,
  expired: true,
  cancelled: true,
};
export const STATES = Object.keys(STATE_NAMES) as OutboxState[];
/** They are rare, so each has a tab only where something is in it. */
export const RARE_STATES: readonly OutboxState[] = ['held', 'in_doubt', 'expired', 'cancelled'];
export const PRIORITIES = ['critical', 'normal', 'bulk'] as const satisfies readonly Priority[];

export type OutboxFilter = {
  state?: OutboxState;
  bot?: string;
  chat?: string;
  priority?: Priority;
  broadcast?: string;
  /** Who added it. */
  by?: string;
  since?: string;
  until?: string;
};

/** Fields to change; undefined ones are taken away. */
export type FilterChanges = { [Name in keyof OutboxFilter]?: OutboxFilter[Name] | undefined };

export function readOutboxFilter({ state, priority, ...rest }: Record<string, unknown>): OutboxFilter {
  return given({
    state: STATES.find((one) => one === state),
    bot: readId(rest.bot),
    chat: readId(rest.chat),
    priority: PRIORITIES.find((one) => one === priority),
    broadcast: readId(rest.broadcast),
    by: readText(rest.by),
    since: readMoment(rest.since),
    until: readMoment(rest.until),
  });
}

/** The conditions as the api takes them, but for the state. */
export function conditionsOf({ bot, chat, priority, broadcast, by, since, until }: OutboxFilter) {
  return given({ bot_id: bot, chat_id: chat, priority, broadcast_id: broadcast, created_by: by, since, until });
}

/** True if the list is narrowed beside its state and bot. */
export function isNarrowed({ chat, priority, broadcast, by, since, until }: OutboxFilter): boolean {
  return [chat, priority, broadcast, by, since, until].some((value) => value !== undefined);
}
