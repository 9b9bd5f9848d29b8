import type { EventKind } from '@flotilla/contract/events.ts';
import type { Signing } from '../../fleet/bots/signing.ts';

/** Where events are sent: a URL, or a chat of one of the bots. Never log the whole object, because it contains secrets. */
export type EventSink = {
  id: number;
  name: string;
  target: { kind: 'url'; url: string; signing: Signing } | { kind: 'chat'; botId: number; chatId: number };
  /** null: all. */
  kinds: EventKind[] | null;
  botIds: number[] | null;
  /** After how many minutes without an answer it is told of a chat. */
  awaitsMinutes: number;
  enabled: boolean;
  /** It gets the entries of the audit log, too. */
  audit: boolean;
  deliveredAt: Date | null;
  failingSince: Date | null;
  /** '' while it works. */
  lastError: string;
  createdAt: Date;
};

export type SinkContent = Pick<EventSink, 'name' | 'kinds' | 'botIds' | 'awaitsMinutes' | 'enabled' | 'audit'> & {
  target: { kind: 'url'; url: string } | { kind: 'chat'; botId: number; chatId: number };
};
