import type { RedisHandles } from './connect.ts';
import type { Subscription } from './subscription.ts';

/** Somebody who is told what a channel announces. */
export type AnnouncementListener<News> = {
  onNews(news: News): void;
  /** Announcements may have been missed. */
  onGap(): void;
};

/** The messages of a pub/sub channel, of any replica. The process is subscribed only while somebody here holds this. */
export type Announcements<News> = {
  /** Resolves when nothing is missed any more; rejects when `signal` aborts. Release it in any case. */
  hold(signal: AbortSignal): { ready: Promise<void>; release(): void };
  listen(listener: AnnouncementListener<News>): { stop(): void };
  close(): void;
};

export function announcements<News>(
  { redis }: { redis: RedisHandles },
  channel: string,
  decode: (payload: string) => News,
): Announcements<News> {
  let holds = 0;
  const listeners = new Set<AnnouncementListener<News>>();
  let subscribed: { subscription: Subscription; ready: Promise<void> } | null = null;

  const subscribe = () => {
    const ready = Promise.withResolvers<void>();
    let isFirst = true;
    const subscription = redis.subscribe(channel, {
      message: (payload) => {
        const news = decode(String(payload));
        for (const listener of listeners) listener.onNews(news);
      },
      listening: () => {
        // Messages from while the connection was away are not repeated.
        if (!isFirst) for (const listener of listeners) listener.onGap();
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
      listeners.add(listener);
      return { stop: () => listeners.delete(listener) };
    },
    close,
  };
}

function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
