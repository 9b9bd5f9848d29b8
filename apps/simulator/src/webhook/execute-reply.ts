import { recordCall } from '../bots/call-log.ts';
import { newParams, text } from '../http/params.ts';
import { parseBody } from '../http/read-params.ts';
import type { Call } from '../methods/call.ts';

const IGNORED = new Set(['deletewebhook', 'setwebhook', 'close', 'logout']);

/** Runs the call in a webhook's reply and discards its result and errors (WebhookActor.cpp:620-633). */
export function executeReply(
  { sim, bot }: Pick<Call, 'sim' | 'bot'>,
  run: (call: Call, method: string) => Promise<unknown>,
  contentType: string,
  body: Buffer,
): void {
  if (body.length === 0) return;
  const params = newParams();
  if (parseBody(params, contentType, body) !== null) return;
  const method = text(params, 'method').toLowerCase();
  if (method === '' || method.startsWith('get') || IGNORED.has(method)) return;
  const sent = Object.fromEntries(params.values);
  recordCall(bot.calls, { method, params: sent, files: [], atMs: Date.now(), status: null, server: sim.server.name });
  void run({ sim, bot, params }, method).catch(() => undefined);
}
