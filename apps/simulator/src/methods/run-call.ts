import { BotApiError } from '../bot-api-error.ts';
import { pollEnded, pollStarted } from '../bots/call-log.ts';
import { enforceFloodLimits } from '../faults/enforce-flood-limits.ts';
import { text } from '../http/params.ts';
import { platformJson } from '../platform-json.ts';
import { getUpdates } from '../updates/get-updates.ts';
import type { OnReply } from '../webhook/deliver.ts';
import { executeReply } from '../webhook/execute-reply.ts';
import { deleteWebhook, setWebhook } from '../webhook/set-webhook.ts';
import type { Call } from './call.ts';
import { closeBot, logOutBot, refuseWhileAway } from './close-bot.ts';
import { findMethod } from './methods.ts';

/** The response to a call: its HTTP status and body. */
export type Answer = { status: number; body: string; retryAfterS?: number };

/** Runs one method; turns refusals into responses and never throws because of the caller's input. */
export async function runCall(call: Call, name: string): Promise<Answer> {
  try {
    return await carryOut(call, name.toLowerCase());
  } catch (error) {
    if (error instanceof BotApiError) return refusalAnswer(error);
    throw error;
  }
}

async function carryOut(call: Call, name: string): Promise<Answer> {
  refuseWhileAway(call, name);
  switch (name) {
    case 'getupdates':
      return okAnswer(`[${(await pollCounted(call)).join(',\n')}]`);
    case 'setwebhook':
      return described(await setWebhook(call, onReplyOf(call)));
    case 'deletewebhook':
      return described(deleteWebhook(call));
    case 'close':
      return okAnswer(platformJson(closeBot(call)));
    case 'logout':
      return okAnswer(platformJson(logOutBot(call)));
  }
  const wanted = name === '' ? text(call.params, 'method').toLowerCase() : name;
  const method = findMethod(wanted);
  if (method === undefined) throw new BotApiError(404, 'Not Found: method not found');
  enforceFloodLimits(call, wanted);
  return okAnswer(platformJson(await method(call)));
}

/** Handles the replies of a bot's webhook, which may contain a call. */
export function onReplyOf(call: Pick<Call, 'sim' | 'bot'>): OnReply {
  return (contentType, body) => executeReply(call, runCall, contentType, body);
}

async function pollCounted({ sim, bot, params }: Call): Promise<string[]> {
  pollStarted(bot.calls);
  try {
    return await getUpdates(sim, bot, params);
  } finally {
    pollEnded(bot.calls);
  }
}

function okAnswer(result: string): Answer {
  return { status: 200, body: `{"ok":true,"result":${result}}` };
}

function described(description: string): Answer {
  return { status: 200, body: `{"ok":true,"result":true,"description":${platformJson(description)}}` };
}

export function refusalAnswer(error: BotApiError): Answer {
  const { code, message, parameters } = error;
  const body = { ok: false, error_code: code, description: message, ...(parameters && { parameters }) };
  const retryAfterS = parameters?.retry_after;
  return { status: code, body: JSON.stringify(body), ...(retryAfterS !== undefined && { retryAfterS }) };
}
