import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { botActor } from './bot-actor.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';

const ONCE_PER_MS = 3_600_000;

/**
 * Has it in the audit log that a bot of ours wanted to leave, at most once an hour. Nothing changes by such a call, so
 * that it is answered whether this succeeds or not. Never rejects.
 */
export async function recordLogOut(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const { deps } = proxy;
  try {
    const bot = deps.directory.byToken(call.path.token);
    if (bot === undefined) return;
    const first = await deps.redis.commands.set(botKeys(bot.id).recentLogOut, '1', 'PX', ONCE_PER_MS, 'NX');
    if (first !== 'OK') return;
    await recordAction(deps, botActor(proxy, call), { action: 'bot_log_out', botId: bot.id, details: call.method });
  } catch (error) {
    deps.log.warn({ err: error, method: call.method }, 'a call to leave is not in the audit log');
  }
}
