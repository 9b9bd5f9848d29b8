import { BotApiError } from '../bot-api-error.ts';
import type { SimBot } from '../bots/sim-bot.ts';

const WINDOW_MS = 3_000;

export const CONFLICTS = {
  otherGetUpdates: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  setWebhook: 'Conflict: terminated by setWebhook request',
  webhookActive:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  otherSetWebhook: 'Conflict: terminated by other setWebhook',
} as const;

/** Refuses with 409: at once, or 3 s late within the window that an earlier 409 opened (Client.cpp:16238-16251). */
export function refuseConflict(
  bot: SimBot,
  reason: keyof typeof CONFLICTS,
  refuse: (error: BotApiError) => void,
): void {
  const error = new BotApiError(409, CONFLICTS[reason]);
  const nowMs = performance.now();
  if (nowMs < bot.nextConflictMs) {
    setTimeout(() => refuse(error), WINDOW_MS);
    return;
  }
  bot.nextConflictMs = nowMs + WINDOW_MS;
  refuse(error);
}
