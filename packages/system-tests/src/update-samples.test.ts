import { UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { scanObject, skipValue } from '@flotilla/telegram/json-text.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { loadUpdateSamples } from '@flotilla/testing/update-samples/load-update-samples.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';

const { UPDATE_CORPUS } = readSettings(z.object({ UPDATE_CORPUS: z.string().optional() }));
const samples = await loadUpdateSamples(UPDATE_CORPUS);

let fleet: Fleet;
let backend: TestBackend;
const bots = new Map<string, FleetBot>();

beforeAll(async () => {
  fleet = await startFleet();
  backend = await startBackend();
  for (const sample of samples) {
    // allowed_updates cannot name an unknown kind, but the default set includes it.
    const known = (UPDATE_KINDS as readonly string[]).includes(sample.kind);
    const bot = await fleet.addBot({
      proxy_enabled: true,
      long_poll_enabled: true,
      backend_url: `${backend.url}/${encodeURIComponent(sample.name)}`,
      ...(known ? { allowed_updates: UPDATE_KINDS } : {}),
    });
    bots.set(sample.name, bot);
  }
}, 120_000);
afterAll(async () => {
  await backend.stop();
  await fleet.stop();
}, 60_000);

describe('an update of every kind goes from the platform to all its readers', () => {
  test.each(samples)('$name', async ({ name, kind, text }) => {
    const bot = bots.get(name)!;
    const raw = payloadOf(text, kind);
    await fleet.control.injectUpdate({ bot: bot.platformId, kind, raw, neverExpires: true, force: true });
    const pushed = await waitFor(() => backend.requests.find(({ url }) => url === `/${encodeURIComponent(name)}`), {
      timeoutMs: 20_000,
      message: `${name} at the backend`,
    });
    expect(pushed?.text).toMatch(/^\{"update_id":\d+,\n/);
    expect(pushed?.text.endsWith(`"${kind}":${raw}}`)).toBe(true);
    const pulled = await (await fetch(`${fleet.url}/tgapi/bot${bot.token}/getUpdates?timeout=10`)).text();
    expect(pulled).toBe(`{"ok":true,"result":[${pushed?.text}]}`);
    await expectHistory(bot, kind, JSON.parse(raw) as Payload);
  });
});

type Payload = {
  message_id?: number;
  chat?: { id: number };
  text?: string;
  caption?: string;
  data?: string;
  message?: Payload;
};
type Row = { id: number; text?: string; media_type?: string; reply_to_message_id?: number };

const MESSAGES = new Set([
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_message',
  'edited_business_message',
]);

/** The minimum that the history must show: the message with its text, or the pressed button with its data. */
async function expectHistory(bot: FleetBot, kind: string, payload: Payload): Promise<void> {
  const button = kind === 'callback_query' && payload.message?.chat !== undefined;
  const chat = button ? payload.message?.chat : payload.chat;
  if (!button && !(MESSAGES.has(kind) && chat !== undefined && payload.message_id !== undefined)) return;
  const wanted = (row: Row) =>
    button
      ? row.media_type === 'callback' && row.id < 0 && row.reply_to_message_id === payload.message?.message_id
      : row.id === payload.message_id;
  const row = await waitFor(
    async () => {
      const rows = await fleet.rest<Row[]>(`/api/messages?bot_id=${bot.id}&chat_id=${chat?.id}`);
      return rows.find(wanted);
    },
    { timeoutMs: 10_000, message: `a row for a ${kind}` },
  );
  const words = button ? payload.data : (payload.text ?? payload.caption);
  // Postgres cannot store NUL or an unpaired surrogate.
  if (words?.isWellFormed() && !words.includes('\0')) expect(row?.text).toBe(words);
}

/** The raw text of the payload within an update. */
function payloadOf(update: string, kind: string): string {
  let found = '';
  scanObject(update, 0, (key, start) => {
    const end = skipValue(update, start);
    if (key === kind) found = update.slice(start, end);
    return end;
  });
  return found;
}
