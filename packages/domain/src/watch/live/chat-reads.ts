import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { Subscription } from '@flotilla/redis/subscription.ts';
import type { Conversation } from '../../records/chats/conversation.ts';

/** An account has read a conversation up to a message. */
export type ChatRead = Conversation & { accountId: number; message_id: number };

/** Somebody who is told what one account has read. */
export type ReadListener = {
  accountId: number;
  onRead(read: ChatRead): void;
  /** Messages about reads may have been missed. */
  onGap(): void;
};

/** Tells what accounts have read, by any replica. The process is subscribed only while somebody here holds this. */
export type ChatReads = {
  /** Resolves when nothing is missed any more; rejects when `signal` aborts. Release it in any case. */
  hold(signal: AbortSignal): { ready: Promise<void>; release(): void };
  listen(listener: ReadListener): { stop(): void };
  close(): void;
};

type Deps = { redis: RedisHandles };

export async function announceChatRead({ redis }: Deps, read: ChatRead): Promise<void> {
  const { accountId, bot_id, chat_id, message_id, business_connection_id } = read;
  await redis.commands.publish(
    channels.read,
    [accountId, bot_id, chat_id, message_id, business_connection_id].join(' '),
  );
}

export function chatReads({ redis }: Deps): ChatReads {
  let holds = 0;
  const listenersOf = new Map<number, Set<ReadListener>>();
  let subscribed: { subscription: Subscription; ready: Promise<void> } | null = null;

  const tell = (payload: Buffer): void => {
    const parts = String(payload).split(' ');
    const [accountId = 0, bot_id = 0, chat_id = 0, message_id = 0] = parts.slice(0, 4).map(Number);
    const read = { accountId, bot_id, chat_id, message_id, business_connection_id: parts[4] ?? '' };
    for (const listener of listenersOf.get(accountId) ?? []) listener.onRead(read);
  };
  const subscribe = () => {
    const ready = Promise.withResolvers<void>();
    let isFirst = true;
    const subscription = redis.subscribe(channels.read, {
      message: tell,
      listening: () => {
        // Messages from while the connection was away are not repeated.
        if (!isFirst) for (const those of listenersOf.values()) for (const listener of those) listener.onGap();
        isFirst = false;
        ready.resolve();
      },
    });
    return { subscription, ready: ready.promise };
  };
  const close = () => {
    subscribed?.subscription.close();
    subscribed = null;
  };

  return {
    hold: (signal) => {
      holds += 1;
      subscribed ??= subscribe();
      return {
        ready: Promise.race([subscribed.ready, rejectedOn(signal)]),
        release: () => {
          holds -= 1;
          if (holds === 0) close();
        },
      };
    },
    listen: (listener) => {
      const { accountId } = listener;
      const those = listenersOf.get(accountId) ?? new Set();
      listenersOf.set(accountId, those.add(listener));
      return {
        stop: () => {
          if (those.delete(listener) && those.size === 0) listenersOf.delete(accountId);
        },
      };
    },
    close,
  };
}

function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
