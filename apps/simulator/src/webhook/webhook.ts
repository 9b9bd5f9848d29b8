import type { PendingUpdate } from '../updates/update-queue.ts';

/** The parameters of setWebhook; `pinned` is true when ip_address was given. */
export type WebhookSettings = {
  url: string;
  secretToken: string;
  certificate: Buffer | null;
  maxConnections: number;
  ipAddress: string;
  pinned: boolean;
};

/** A webhook as setWebhook left it, with the state that getWebhookInfo shows. */
export type Webhook = WebhookSettings & {
  failure: { dateS: number; message: string } | null;
  lanes: Map<string, Lane>;
  active: number;
  lastSuccessMs: number;
  lastAttemptMs: number;
  /** When the current unbroken series of 410 replies began. */
  goneSinceMs: number | null;
  stop(): void;
  /** Adds a new update to its lane. */
  accept(update: PendingUpdate): void;
};

/** The updates of one queue key: one is in flight at a time, and the others wait for it. */
export type Lane = {
  key: string;
  waiting: PendingUpdate[];
  busy: boolean;
  failures: number;
  cancelRetry: (() => void) | null;
};
