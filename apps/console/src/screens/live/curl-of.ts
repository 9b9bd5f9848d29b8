import type { BotResource } from '@flotilla/contract/bots.ts';
import type { LiveRow } from './live-rows.ts';

/** A command that does or shows the same again; secrets are variables of the shell. Null where there is none. */
export function curlOf(row: LiveRow, value: unknown, bot: BotResource | undefined): string | null {
  switch (row.kind) {
    case 'update':
      // The facts of an earlier update are not the update.
      return row.pastId === undefined ? post(backendOf(bot), value) : null;
    case 'call':
      return post(`"${location.origin}/bot$BOT_TOKEN/${row.what}"`, inputsOf(row, value));
    case 'attempt':
      return `curl -H "Authorization: Bearer $FLOTILLA_KEY" ${quoted(`${location.origin}/api/deliveries/attempts?bot_id=${row.bot_id}`)}`;
    default:
      return null;
  }
}

/** A masked URL would reach nobody. */
function backendOf(bot: BotResource | undefined): string {
  const url = bot?.backend_url ?? '';
  return url === '' || url.includes('*') ? '"$BACKEND_URL"' : quoted(url);
}

/** Inputs of the call that its result tells. */
function inputsOf({ chat_id }: LiveRow, result: unknown): object {
  const { text, caption } = Object(result) as { text?: string; caption?: string };
  return {
    ...(chat_id === null ? {} : { chat_id }),
    ...(text ? { text } : {}),
    ...(caption ? { caption } : {}),
  };
}

function post(to: string, body: unknown): string {
  return `curl -X POST ${to} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
