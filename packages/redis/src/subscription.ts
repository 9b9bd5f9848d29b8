import type { Redis } from 'ioredis';
import { disconnectWhenSilent } from './disconnect-when-silent.ts';

export type Subscription = { close(): void };

export type Subscriber = {
  message(payload: Buffer): void;
  /**
   * Called when messages begin to come. Messages from before, or from while the connection was away, are not repeated.
   */
  listening(): void;
};

const RECONNECT_AFTER_MS = 100;
const RECONNECT_AT_MOST_MS = 1000;

/**
 * Subscribes to a channel over a connection of its own, and again whenever that is lost or silent, until it is closed.
 */
export function subscribeForEver(open: () => Redis, channel: string, subscriber: Subscriber): Subscription {
  let closed = false;
  let failures = 0;
  let current: { disconnect(): void } | null = null;
  const connect = () => {
    if (closed) return;
    const redis = open();
    const watch = disconnectWhenSilent(() => [redis]);
    current = redis;
    redis.on('messageBuffer', (_channel, payload) => subscriber.message(payload));
    redis.once('end', () => {
      watch.stop();
      failures += 1;
      setTimeout(connect, Math.min(RECONNECT_AFTER_MS * failures, RECONNECT_AT_MOST_MS)).unref();
    });
    redis.subscribe(channel).then(
      () => {
        failures = 0;
        subscriber.listening();
      },
      () => redis.disconnect(),
    );
  };
  connect();
  return {
    close: () => {
      closed = true;
      current?.disconnect();
    },
  };
}
