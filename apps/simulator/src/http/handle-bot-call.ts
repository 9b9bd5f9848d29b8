import type { IncomingMessage, ServerResponse } from 'node:http';
import { BotApiError } from '../bot-api-error.ts';
import { type RecordedCall, recordCall } from '../bots/call-log.ts';
import { findBot } from '../bots/find-bot.ts';
import { applyFault, type FaultVerdict } from '../faults/apply-fault.ts';
import { type Answer, refusalAnswer, runCall } from '../methods/run-call.ts';
import type { Simulator } from '../simulator.ts';
import { type Params, text } from './params.ts';
import { readParams } from './read-params.ts';
import { isRefusal } from './refusal.ts';
import { writeAnswer, writeRefusal } from './write-answer.ts';

export type BotCallTarget = { token: string; method: string; isTest: boolean; query: string };

/** Handles one Bot API request, from its parameters to its response. */
export async function handleBotCall(
  sim: Simulator,
  req: IncomingMessage,
  res: ServerResponse,
  target: BotCallTarget,
): Promise<void> {
  const params = await readParams(req, target.query, sim.settings.maxBodyBytes);
  if (isRefusal(params)) return writeRefusal(res, params.refusedStatus);
  let bot: ReturnType<typeof findBot>;
  try {
    bot = findBot(sim, target.token, target.isTest);
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    return writeAnswer(res, refusalAnswer(error));
  }
  const method = (target.method || text(params, 'method')).toLowerCase();
  const record = newRecord(sim, method, params);
  recordCall(bot.calls, record);
  const verdict = await applyFault(sim, bot.user.id, method, res);
  if (verdict === 'handled') return;
  const answer = await runCall({ sim, bot, params }, method);
  record.status = answer.status;
  sim.storage.commit();
  finish(res, answer, verdict);
}

function finish(res: ServerResponse, answer: Answer, verdict: FaultVerdict): void {
  if (verdict === 'lose-answer') res.destroy();
  else writeAnswer(res, answer);
}

function newRecord({ server }: Simulator, method: string, params: Params): RecordedCall {
  const files = [...params.files.values()].map(({ field, name, bytes }) => ({ field, name, size: bytes.length }));
  const given = { params: Object.fromEntries(params.values), files };
  return { method, ...given, atMs: Date.now(), status: null, server: server.name };
}
