import { startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { latencyAtRate, loadGenerator, requestsPerSecond } from './load.ts';
import { startPlatform, startReverseProxy } from './nginx.ts';
import { ms, perSecond, ratio, report } from './report.ts';
import { startBareProxy } from './start-bare-proxy.ts';

const TOKEN = '700001:bench-token-abcdefghijklmnopqrstuvwxyz';
const BODY = '{"chat_id":5,"text":"hello"}';
const STEADY = 500;

/** The proxy beside nginx and beside the barest proxy of the same parts, before a platform that answers at once. */
export async function benchProxy(database: { url: string }): Promise<void> {
  const platform = await startPlatform();
  const nginx = await startReverseProxy(platform.url);
  const barest = await startBareProxy(platform.url);
  const fleet = await startFleet(
    { apis: 1, workers: 0 },
    { TELEGRAM_API_URL: platform.url, LOG_LEVEL: 'warn' },
    database,
  );
  const api = `http://127.0.0.1:${fleet.apis[0]!.port}/tgapi`;
  try {
    await fleet.rest('/api/bots/add', { token: TOKEN });
    const at = (root: string, method: string) => `${root}/bot${TOKEN}/${method}`;
    const direct = await requestsPerSecond(at(nginx.url, 'sendChatAction'), BODY);
    const bare = await requestsPerSecond(at(barest.url, 'sendChatAction'), BODY);
    // Compiled by then, as the barest one is after its first moments.
    await requestsPerSecond(at(api, 'sendChatAction'), BODY);
    const passed = await requestsPerSecond(at(api, 'sendChatAction'), BODY);
    const captured = await requestsPerSecond(at(api, 'sendMessage'), BODY);
    const slow = await latencyAtRate(at(nginx.url, 'sendChatAction'), BODY, STEADY);
    const added = await latencyAtRate(at(api, 'sendChatAction'), BODY, STEADY);
    report(`Proxy, small JSON POST, 32 connections (${loadGenerator}), one api process`, [
      { what: 'nginx', figure: perSecond(direct) },
      { what: 'bare node:http + undici', figure: `${perSecond(bare)}, ${ratio(bare / direct)} of nginx` },
      { what: 'pass-through', figure: besides(passed, { bare, direct }), target: '≥ 0.6 of the bare one' },
      { what: 'captured sendMessage', figure: besides(captured, { bare, direct }), target: '≥ 0.5 of the bare one' },
      { what: `added at ${STEADY}/s, p50`, figure: ms(added.p50 - slow.p50), target: '≤ 1 ms' },
      { what: `added at ${STEADY}/s, p99`, figure: ms(added.p99 - slow.p99), target: '≤ 5 ms' },
    ]);
  } finally {
    await fleet.stop();
    await barest.stop();
    await nginx.stop();
    await platform.stop();
  }
}

function besides(count: number, { bare, direct }: { bare: number; direct: number }): string {
  return `${perSecond(count)}, ${ratio(count / bare)} of the bare one, ${ratio(count / direct)} of nginx`;
}
