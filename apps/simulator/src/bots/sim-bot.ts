import type { User } from '../chats/user.ts';
import type { FloodState } from '../faults/flood-state.ts';
import type { AllowedUpdates } from '../updates/update-kinds.ts';
import type { UpdateQueue } from '../updates/update-queue.ts';
import type { Webhook } from '../webhook/webhook.ts';
import type { ApiServer } from './api-server.ts';
import type { CallLog } from './call-log.ts';

/** A getUpdates call that found nothing and waits; `answer` ends the wait. */
export type Waiter = {
  offset: number;
  limit: number;
  answer(updates: string[]): void;
  refuse(reason?: 'otherGetUpdates' | 'setWebhook'): void;
  cancelTimer(): void;
};

/** A bot as the platform keeps it: all state that belongs to the bot and not to a chat. */
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
  /** Fails the setWebhook that still resolves its host name; null when none does. */
  refusePendingSet: (() => void) | null;
  lastSetWebhookMs: number;
  /** Settings of the bot (names, menu buttons, …), and its business connections, by a key of each method family. */
  settings: Record<string, unknown>;
  /** The bot that manages this one; 0 if none does. */
  managedBy: number;
  /** It is of the test environment, where only calls with `/test/` know it. */
  isTest: boolean;
  commands: Map<string, { command: string; description: string }[]>;
  /** All private chats of a bot share one sequence of message ids. */
  nextMessageId: number;
  /** When people tapped widgets of the bot (ms), by person. */
  taps: Map<number, number[]>;
  calls: CallLog;
  flood: FloodState;
  /** Where it is logged in; null: nowhere since its logOut. */
  server: ApiServer | null;
  /** Updates that it lost by leaving a server before any getUpdates had answered with them: the newest 1,000. */
  dropped: string[];
  closedUntilMs: number;
  closed: boolean;
};
