import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { doOnce } from '@flotilla/redis/allow-once.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { BotApiAnswer } from '../answer.ts';
import { auditedActor, type MethodCall, type RunningProxy } from '../call.ts';

/** These would make a bot leave the server that we use for it. They are answered for any token, never passed on. */
export const LEAVING: ReadonlySet<string> = new Set(['logout', 'close']);
export const LEFT: BotApiAnswer = { ok: true, result: 'true' };

const RECORDED_ONCE_PER_MS = 3_600_000;

/**
 * Writes into the audit log that a bot of ours wanted to leave, at most once an hour. The call changes nothing, so it is
 * answered whether this succeeds or not. Never rejects.
 */
export async function recordLeaving(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const { context } = proxy;
  const { directory, redis, log } = context;
  try {
    const bot = directory.byToken(call.path.token);
    if (bot === undefined) return;
    const by = { ...auditedActor(proxy, call) };
    await doOnce(redis, botKeys(bot.id).recentLogOut, RECORDED_ONCE_PER_MS, () =>
      recordAction(context, by, { action: 'bot_log_out', bot_id: bot.id, details: call.method }),
    );
  } catch (error) {
    log.warn({ err: error, method: call.method }, 'a logOut or close could not be written to the audit log');
  }
}
