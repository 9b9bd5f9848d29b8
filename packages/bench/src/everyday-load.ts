import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import { Pool } from 'undici';

/** A fleet's ordinary load: half of the bots have a backend, half poll, and each answers every tenth update. */
export type EverydayLoad = {
  /** Platform ids of all bots. */
  bots: number[];
  received(): number;
  /** Milliseconds from the making of each update to its arrival, since the last call. */
  takeLags(): number[];
  sent(): number;
  failures(): string[];
  stop(): Promise<void>;
};

const ANSWERS_EVERY = 10;
const CHAT_AND_MADE_AT = /"chat":\{"id":(-?\d+)[^@]*@(\d{13})"/g;

export async function startEverydayLoad(fleet: Fleet, botCount: number): Promise<EverydayLoad> {
  let received = 0;
  let sent = 0;
  let lags: number[] = [];
  const failures: string[] = [];
  const proxy = new Pool(fleet.url, { connections: 128 });
  const stopping = new AbortController();

  const answer = async (token: string, chatId: number) => {
    sent += 1;
    const body = JSON.stringify({ chat_id: chatId, text: 'noted' });
    const headers = { 'content-type': 'application/json' };
    const response = await proxy.request({ method: 'POST', path: `/tgapi/bot${token}/sendMessage`, headers, body });
    await response.body.dump();
    if (response.statusCode !== 200) failures.push(`sendMessage answered ${response.statusCode}`);
  };
  const take = (text: string, token: string) => {
    for (const [, chatId, madeAt] of text.matchAll(CHAT_AND_MADE_AT)) {
      lags.push(Date.now() - Number(madeAt));
      received += 1;
      if (received % ANSWERS_EVERY > 0) continue;
      answer(token, Number(chatId)).catch((error: Error) => failures.push(error.message));
    }
  };
  const backend = await startBackend(take);
  const bots: number[] = [];
  const polls: Promise<void>[] = [];
  for (let at = 0; at < botCount; at += 1) {
    if (at % 2 === 0) {
      const bot = await fleet.addBot({ proxy_enabled: true });
      await fleet.rest('/api/bots/update', { id: bot.id, backend_url: `${backend.url}/${bot.token}` });
      bots.push(bot.platformId);
    } else {
      const bot = await fleet.addBot({ long_poll_enabled: true });
      polls.push(pollAll(proxy, bot.token, take, stopping.signal));
      bots.push(bot.platformId);
    }
  }
  return {
    bots,
    received: () => received,
    takeLags: () => {
      const taken = lags;
      lags = [];
      return taken;
    },
    sent: () => sent,
    failures: () => failures,
    stop: async () => {
      stopping.abort();
      await Promise.all(polls);
      await proxy.destroy();
      await backend.stop();
    },
  };
}

async function pollAll(pool: Pool, token: string, take: (text: string, token: string) => void, signal: AbortSignal) {
  let offset = 0;
  while (!signal.aborted) {
    try {
      const path = `/tgapi/bot${token}/getUpdates?offset=${offset}&timeout=30`;
      const text = await (await pool.request({ method: 'GET', path, signal })).body.text();
      const ids = [...text.matchAll(/"update_id":(\d+)/g)].map(([, id]) => Number(id));
      offset = Math.max(offset, ...ids.map((id) => id + 1));
      take(text, token);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function startBackend(take: (text: string, token: string) => void) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('latin1');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      response.end();
      take(body, (request.url ?? '/').slice(1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
