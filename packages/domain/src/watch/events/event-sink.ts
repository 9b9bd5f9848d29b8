import type { EventSinkRow, eventSink } from '@flotilla/contract/event-sinks.ts';
import type { Changes } from '@flotilla/contract/resource.ts';
import type { Signing } from '../../fleet/bots/signing.ts';

type Chat = { kind: 'chat'; bot_id: number; chat_id: number };

/** Where events are sent: a URL, or a chat of one of the bots. Never log the whole object, because it contains secrets. */
export type EventSink = Omit<EventSinkRow, 'url_sealed' | 'signing_sealed' | 'bot_id' | 'chat_id'> & {
  target: Chat | { kind: 'url'; url: string; signing: Signing };
};

/** The fields that callers set. */
export type SinkContent = Pick<EventSink, keyof EventSink & keyof Changes<typeof eventSink>> & {
  target: Chat | { kind: 'url'; url: string };
};
