import type { PendingUpdate } from '../updates/update-queue.ts';

/** What setWebhook was called with; `pinned` says that it named the address. */
export type WebhookSettings = {
  url: string;
  secretToken: string;
  certificate: Buffer | null;
  maxConnections: number;
  ipAddress: string;
  pinned: boolean;
};

/** A webhook as setWebhook left it, with what getWebhookInfo tells of it. */
export type Webhook = WebhookSettings & {
  lastError: { dateS: number; message: string } | null;
  lanes: Map<string, Lane>;
  active: number;
  lastSuccessMs: number;
  lastAttemptMs: number;
  /** When the present run of nothing but 410 answers began. */
  goneSinceMs: number | null;
  stop(): void;
  /** Takes a new update into its lane. */
  accept(update: PendingUpdate): void;
};

/** Updates of one queue key: one is in flight at a time, the others wait for it. */
export type Lane = {
  key: string;
  waiting: PendingUpdate[];
  busy: boolean;
  failures: number;
  cancelRetry: (() => void) | null;
};
