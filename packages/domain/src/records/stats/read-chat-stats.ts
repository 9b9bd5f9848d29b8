import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { statsStore, type TopUser } from './stats-store.ts';

export interface ChatStats {
  total_messages: number;
  today_messages: number;
  active_users: number;
  top_users: TopUser[];
  /** Messages of today by hour from 00:00 UTC; 24 values. */
  hourly: number[];
}

const TOP_USERS = 10;
const HOURS = 24;
const DAY_S = 86_400;

/** The statistics of a bot's chat; zeros for a chat that is not tracked. */
export async function readChatStats(deps: { db: Database; clock: Clock }, chat: ChatOfBot): Promise<ChatStats> {
  const nowS = Math.floor(deps.clock.nowMs() / 1000);
  const dayStartS = nowS - (nowS % DAY_S);
  const store = statsStore(deps.db);
  const [total_messages, byHour, active_users, top_users] = await Promise.all([
    store.totalMessages(chat),
    store.messagesByHour(chat, dayStartS),
    store.countAuthors(chat, dayStartS),
    readTopUsers(store, chat),
  ]);
  const hourly = Array.from({ length: HOURS }, (_, hour) => byHour.find((row) => row.hour === hour)?.count ?? 0);
  const today_messages = hourly.reduce((sum, count) => sum + count, 0);
  return { total_messages, today_messages, active_users, top_users, hourly };
}

async function readTopUsers(store: ReturnType<typeof statsStore>, chat: ChatOfBot): Promise<TopUser[]> {
  if (await store.isBeingRemoved(chat)) return store.topUsersCounted(chat, TOP_USERS);
  return store.topUsers(chat, TOP_USERS);
}
