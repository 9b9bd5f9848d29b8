import { badRequest } from '../bot-api-error.ts';
import { json, text } from '../http/params.ts';
import type { OpenQuery } from '../messages/queries-and-polls.ts';
import type { Call } from './call.ts';

export function answerCallbackQuery(call: Call): true {
  return answer(call, 'callback', 'callback_query_id');
}

export function answerInlineQuery(call: Call): true {
  const results = json(call.params, 'results');
  if (!Array.isArray(results)) throw badRequest("can't parse inline query results JSON object");
  if (results.length > 50) throw badRequest('RESULTS_TOO_MUCH');
  const ids = results.map((result: { id?: unknown } | null) => String(result?.id ?? ''));
  if (ids.some((id) => id === '' || id.length > 64)) throw badRequest('RESULT_ID_INVALID');
  if (new Set(ids).size !== ids.length) throw badRequest('RESULT_ID_DUPLICATE');
  return answer(call, 'inline', 'inline_query_id');
}

export function answer({ sim, bot, params }: Call, kind: OpenQuery['kind'], field: string): true {
  const id = text(params, field);
  const query = sim.queries.get(id);
  const isOpen = query?.botId === bot.user.id && query.kind === kind && query.answer === null;
  if (!isOpen || (query.untilMs ?? Number.POSITIVE_INFINITY) <= sim.clock.nowMs()) {
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  }
  query.answer = Object.fromEntries(params.values);
  sim.storage.saveQuery(id, query);
  return true;
}
