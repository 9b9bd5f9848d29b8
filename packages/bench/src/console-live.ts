import type { BrowserContext } from '@flotilla/testing/browser.ts';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

/** An hour of 20 events a second. */
const EVENTS = 72_000;
const WAIT_MS = 300_000;

export type LiveFootprint = { beganBytes: number; endedBytes: number; nodes: number };

/** The memory of the live screen after an hour of events, which the page gets as fast as it takes them. */
export async function liveFootprint(context: BrowserContext, fleet: Fleet): Promise<LiveFootprint> {
  const [bot] = await fleet.rest<{ id: number }[]>('/api/bots?limit=1');
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
  const usedBytes = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return (await devtools.send('Runtime.getHeapUsage')).usedSize;
  };
  await page.addInitScript(`(${anHourOfEvents.toString()})(${bot!.id}, ${EVENTS})`);
  const sent = (count: number) =>
    waitFor(async () => (await page.evaluate<number>('window.sentEvents')) >= count, { timeoutMs: WAIT_MS });
  await page.goto(`${fleet.url}/console/live?bots=${bot!.id}`);
  await sent(EVENTS / 100);
  const beganBytes = await usedBytes();
  await sent(EVENTS);
  await page
    .getByRole('table')
    .getByText(`message ${EVENTS - 1}`)
    .first()
    .waitFor({ timeout: WAIT_MS });
  const endedBytes = await usedBytes();
  const nodes = await page.locator('.table *').count();
  await page.close();
  return { beganBytes, endedBytes, nodes };
}

/** Runs in the page: its live stream brings these events, each about as large as a real one. */
function anHourOfEvents(bot: number, count: number): void {
  const page = globalThis as unknown as { fetch: typeof fetch; sentEvents: number };
  const send = page.fetch;
  const textOf = (id: number) => {
    const person = { id, is_bot: false, first_name: `Person ${id}`, username: `person_${id}`, language_code: 'en' };
    const chat = { id: id % 500, type: 'private', first_name: `Person ${id}` };
    const message = { message_id: id, date: 1767348900, from: person, chat, text: `message ${id} `.repeat(20) };
    const data = { bot_id: bot, update_id: id, kind: 'message', chat_id: chat.id, update: { update_id: id, message } };
    return `event: update\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`;
  };
  page.sentEvents = 0;
  page.fetch = (input, init) => {
    if (!decodeURIComponent(String(input)).includes(`bot:${bot}`)) return send(input, init);
    const body = new ReadableStream<Uint8Array>({
      async pull(stream) {
        const ids = Array.from({ length: Math.min(20, count - page.sentEvents) }, (_, at) => page.sentEvents + at);
        page.sentEvents += ids.length;
        if (ids.length > 0) stream.enqueue(new TextEncoder().encode(ids.map(textOf).join('')));
        await new Promise((resolve) => setTimeout(resolve, 10));
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
}
