import type { User } from '../chats/user.ts';
import type { AllowedUpdates } from '../updates/update-kinds.ts';
import type { UpdateQueue } from '../updates/update-queue.ts';
import type { Webhook } from '../webhook/webhook.ts';
import type { CallLog } from './call-log.ts';

/** A getUpdates call that found nothing and waits; `answer` ends it. */
export type Waiter = {
  offset: number;
  limit: number;
  answer(updates: string[]): void;
  refuse(reason?: 'otherGetUpdates' | 'setWebhook'): void;
  cancelTimer(): void;
};

/** A bot as the platform keeps it, with everything that is per bot and not per chat. */
export type SimBot = {
  user: User & { is_bot: true; username: string };
  token: string;
  queue: UpdateQueue;
  allowedUpdates: AllowedUpdates;
  waiter: Waiter | null;
  wakeTimers: { last: NodeJS.Timeout | undefined; firstAtMs: number | undefined };
  lastGetUpdates: { offset: number; startedMs: number } | null;
  nextConflictMs: number;
  webhook: Webhook | null;
  /** Refuses the setWebhook that is still looking its address up, when there is one. */
  refusePendingSet: (() => void) | null;
  lastSetWebhookMs: number;
  commands: Map<string, { command: string; description: string }[]>;
  /** Ids in private chats rise over all of a bot's private chats. */
  nextMessageId: number;
  calls: CallLog;
  loggedOutUntilMs: number;
  closedUntilMs: number;
  closed: boolean;
};
