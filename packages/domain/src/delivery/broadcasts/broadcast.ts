import type { BroadcastAudience, BroadcastCounts, BroadcastState } from '@flotilla/contract/broadcasts.ts';
import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** What is sent to many chats, and to which. */
export type BroadcastContent = {
  botId: number;
  name: string;
  audience: BroadcastAudience;
  /** As the Bot API writes it. */
  method: string;
  /** Without the chat. */
  params: Fields;
  /** How many messages the call sends. */
  messages: number;
  perSecond: number | null;
  sendAt: Date | null;
};

export type Broadcast = BroadcastContent & {
  id: number;
  state: BroadcastState;
  counts: BroadcastCounts;
  /** The chat up to which its entries are made, in the order of ids; null: none is. */
  afterChatId: number | null;
  /** Every entry is made. */
  made: boolean;
  /** The time up to which the messages of `perSecond` were released. */
  releasedTo: Date | null;
  /** What those who watch the bot were told last. */
  told: { at: Date | null; progress: number };
  createdBy: CallActor;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};
