import { connect, type Socket } from 'node:net';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { aMillionKeys, oddUpdates } from '@flotilla/testing/odd-json.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type LagSink, startLagSink } from './lag-sink.ts';
import { latencyAtRate } from './load.ts';
import { percentile } from './percentile.ts';
import { ms, ratio, report } from './report.ts';

const BOTS = 10;
const SECONDS = 15;
const OF_THE_FIRST = 150;
const OF_THE_OTHERS = 135;
const HALF_OPEN = 500;
const CALLS = 200;
/** Webhooks need a public URL. The platform never pushes to this one. */
const SETTINGS = { LOG_LEVEL: 'error', PUBLIC_URL: 'http://127.0.0.1:1' };

/** The effect on others of a backend that hangs, of clients that send half a request, and of hostile JSON. */
export async function benchNeighbours(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, SETTINGS, database);
  const sink = await startLagSink();
  try {
    const bots: number[] = [];
    let token = '';
    for (let at = 0; at < BOTS; at += 1) {
      // Each bot has a host of its own, because a hanging backend counts against all bots of its host.
      const backend_url = `http://127.0.0.${2 + at}:${sink.port}/${at}`;
      const bot = await fleet.addBot({ proxy_enabled: true, backend_url });
      bots.push(bot.platformId);
      token = bot.token;
    }
    await lagsOfOthers(fleet, sink, bots);
    const well = percentile(await lagsOfOthers(fleet, sink, bots), 99);
    sink.hang('/0');
    const beside = percentile(await lagsOfOthers(fleet, sink, bots), 99);
    sink.hang(null);

    const url = `http://127.0.0.1:${fleet.apis[0]!.port}/tgapi/bot${token}/getMe`;
    await latencyAtRate(url, '{}', CALLS);
    const alone = await latencyAtRate(url, '{}', CALLS);
    const sockets = await openHalf(fleet.apis[0]!.port);
    const among = await latencyAtRate(url, '{}', CALLS);
    for (const socket of sockets) socket.destroy();
    const heldMs = await longestHoldByOddJson(fleet);
    report('Neighbours, one api, one worker', [
      { what: '9 backends, p99 of the lag while the tenth, with half of 285/s, is well', figure: ms(well) },
      {
        what: '9 backends, p99 of the lag while it hangs',
        figure: `${ms(beside)}, ${ratio(beside / well)} of that`,
        target: '≤ 100 ms, ≤ 1.5',
      },
      { what: `calls at ${CALLS}/s, p99`, figure: ms(alone.p99) },
      {
        what: `calls at ${CALLS}/s beside ${HALF_OPEN} half-open requests, p99`,
        figure: `${ms(among.p99)}, ${ratio(among.p99 / alone.p99)} of that`,
        target: '≤ 2',
      },
      {
        what: 'JSON made to hold up its reader, longest hold of the api, to 100 ms',
        figure: ms(heldMs),
        target: '≤ 200 ms',
      },
    ]);
  } finally {
    await fleet.stop();
    await sink.stop();
  }
}

async function lagsOfOthers(fleet: Fleet, sink: LagSink, [first, ...others]: number[]): Promise<number[]> {
  sink.reset();
  const count = OF_THE_OTHERS * SECONDS;
  await Promise.all([
    fleet.control.generate({ bots: [first!], chats: 50, count: OF_THE_FIRST * SECONDS, perSecond: OF_THE_FIRST }),
    fleet.control.generate({ bots: others, chats: 5, count, perSecond: OF_THE_OTHERS }),
  ]);
  const arrived = () => others.flatMap((_, at) => sink.lags(`/${at + 1}`));
  await waitFor(() => arrived().length >= count, { timeoutMs: 120_000, message: 'the updates of the others' });
  return arrived();
}

/** The longest time (ms) that one update blocks the api's event loop: a deep, wide or odd one, or a million keys. */
async function longestHoldByOddJson(fleet: Fleet): Promise<number> {
  const api = fleet.apis[0]!;
  const bot = await fleet.addBot({ webhook_mode: true, long_poll_enabled: true });
  const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
  const longestHold = async () => ((await readMetric(api, 'nodejs_eventloop_lag_max_seconds')) ?? 0) * 1000;
  await longestHold();
  for (const [, body] of [...oddUpdates(), ['a million keys', aMillionKeys()] as const]) {
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken };
    await fetch(`http://127.0.0.1:${api.port}/telegram/${bot.id}`, { method: 'POST', headers, body });
  }
  return longestHold();
}

async function openHalf(port: number): Promise<Socket[]> {
  const sockets = Array.from({ length: HALF_OPEN }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.write('POST /api/bots/add HTTP/1.1\r\nHost: half\r\nContent-Le');
  }
  await Promise.all(sockets.map((socket) => socket.connecting && new Promise((done) => socket.once('connect', done))));
  return sockets;
}
