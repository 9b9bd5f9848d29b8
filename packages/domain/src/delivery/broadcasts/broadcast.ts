import type { Broadcast, BroadcastCounts } from '@flotilla/contract/broadcasts.ts';

/** A message to many chats, and the chats. */
export type BroadcastContent = Pick<
  Broadcast,
  'bot_id' | 'name' | 'audience' | 'method' | 'params' | 'needs_new_worker' | 'messages' | 'per_second' | 'send_at'
>;

/** How many of its chats are how far. */
export function countsOf({ total, sent, failed, blocked, in_doubt, cancelled }: Broadcast): BroadcastCounts {
  const queued = total - sent - failed - blocked - in_doubt - cancelled;
  return { total, queued, sent, failed, blocked, in_doubt, cancelled };
}
