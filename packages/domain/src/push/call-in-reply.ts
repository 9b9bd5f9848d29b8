import type { Logger } from '@flotilla/runtime/logger.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../bots/bot.ts';
import { appendCalls } from '../update-log/append-calls.ts';
import type { PushDeps } from './push-step.ts';

export type ReplyDeps = PushDeps & { platform: PlatformClient; log: Logger };

const IGNORED = new Set(['deletewebhook', 'setwebhook', 'close', 'logout']);

/**
 * Executes the Bot API call that a backend put into its answer, as the platform does: one per answer, its result
 * discarded (we keep it in the history). Answers without one (`ok!`, `{}`, nothing) are left alone. Never throws.
 */
export async function callInReply(
  deps: ReplyDeps,
  bot: Bot,
  delivery: { contentType: string; reply: string },
): Promise<void> {
  const call = readCall(delivery);
  if (call === null) return;
  const method = call.method.toLowerCase();
  if (IGNORED.has(method) || method.startsWith('get')) return;
  const answer = await deps.platform.call(bot.token, call.method, call.params);
  if (answer.outcome !== 'ok') {
    deps.log.info({ bot: bot.id, method, outcome: answer.outcome }, 'a call in a reply to a delivery did not succeed');
    return;
  }
  if (!bot.manageEnabled || !capturedMethod(method)) return;
  await appendCalls(deps, bot, [
    {
      method,
      params: textParameters(call.params),
      result: JSON.stringify(answer.result),
    },
  ]).catch((error) => deps.log.warn({ bot: bot.id, method, reason: String(error) }, 'a call was not captured'));
}

function readCall(delivery: { contentType: string; reply: string }) {
  if (!delivery.contentType.includes('application/json') || !delivery.reply.includes('"method"')) return null;
  let value: unknown;
  try {
    value = JSON.parse(delivery.reply);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { method, ...params } = value as Record<string, unknown>;
  return typeof method === 'string' && /^\w+$/.test(method) ? { method, params } : null;
}

function textParameters(params: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
