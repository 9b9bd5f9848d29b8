import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm, truncate } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { residentMb, usageOf } from './process-usage.ts';
import { type Row, report } from './report.ts';

const BYTES = 2 * 1024 ** 3;
const WARM_BYTES = 256 * 1024 ** 2;
const STOPPED = 100;
const SETTLE_MS = 3000;
const INSPECTOR_PORT = 9229;

/** Files of 2 GB of a Bot API server in local mode, through nginx and an api: how fast one comes, and what clients that stop reading cost. */
export async function benchDownload(database: { url: string }): Promise<void> {
  const workingDir = await throwAwayDir();
  const server = await startSimulator({ settings: { workingDir } });
  const web = createServer((request, response) => {
    response.setHeader('content-length', BYTES);
    const file = createReadStream(join(workingDir, decodeURIComponent(request.url!)));
    pipeline(file, response).catch(() => {});
  });
  await once(web.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const rows: Row[] = [];
  try {
    for (const [from, files] of [
      ['a folder', workingDir],
      ['an address', address],
    ] as const) {
      const settings = { TELEGRAM_UPSTREAMS: `local=${server.url};proxy=direct;files=${files}` };
      const fleet = await startFleet({ apis: 1, workers: 0 }, settings, database);
      try {
        rows.push(...(await measureDownloads(fleet, controlClient(server.url), workingDir, `from ${from}`)));
      } finally {
        await fleet.stop();
      }
    }
    report('Downloads of 2 GB', rows);
  } finally {
    web.closeAllConnections();
    web.close();
    await server.stop();
    await rm(workingDir, { recursive: true });
  }
}

async function measureDownloads(fleet: Fleet, local: ControlClient, workingDir: string, from: string): Promise<Row[]> {
  const nginx = await startNginx({ apiPorts: [fleet.apis[0]!.port] });
  const { pid } = fleet.apis[0]!;
  const cpuSeconds = () => usageOf({ name: 'api', pids: () => [pid] }).cpuSeconds;
  try {
    const link = `${nginx.url}/tgapi/file/bot${await largeFile(fleet, local, workingDir)}`;
    // Code is compiled, and the heap has its size.
    await download(link, WARM_BYTES);
    const [beganAtMs, usedBefore] = [performance.now(), cpuSeconds()];
    const peakMb = await peakWhile(pid, download(link, BYTES));
    const seconds = (performance.now() - beganAtMs) / 1000;
    const cpu = cpuSeconds() - usedBefore;
    const before = await heldBytes(pid);
    const stopped = await Promise.all(Array.from({ length: STOPPED }, () => stoppedAt(link)));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const eachKb = ((await heldBytes(pid)) - before) / STOPPED / 1024;
    for (const download of stopped) download.destroy();
    return [
      {
        what: `${from}, by one client`,
        figure: `${Math.round(BYTES / 2 ** 20 / seconds)} MB/s, processor time of the api ${cpu.toFixed(1)} s, memory at most ${Math.round(peakMb)} MB`,
      },
      {
        what: `${from}, ${STOPPED} clients that stop reading: memory of each`,
        figure: `${eachKb.toFixed(0)} KB`,
        target: '≤ 64 KB',
      },
    ];
  } finally {
    await nginx.stop();
  }
}

/** The token of a new bot and the path of its file, which has only holes, so that no disk is measured. */
async function largeFile(fleet: Fleet, local: ControlClient, workingDir: string): Promise<string> {
  const { token, id: bot } = await local.createBot({});
  await fleet.rest('/api/bots/add', { token, upstream: 'local' });
  const { id: person } = await local.createPerson({});
  await local.startBot({ person, bot, quietly: true });
  const file = { kind: 'document', name: 'a.bin', base64: 'AAAA' } as const;
  const { fileId } = await local.sendMessage({ person, bot, file });
  const answer = await fetch(`${fleet.url}/tgapi/bot${token}/getFile?file_id=${fileId}`);
  const { result } = (await answer.json()) as { result: { file_path: string } };
  const path = `${token}/${result.file_path}`;
  await truncate(join(workingDir, path), BYTES);
  return path;
}

async function opened(link: string): Promise<IncomingMessage> {
  const [answer] = (await once(get(link, { agent: false }), 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`the file answered ${answer.statusCode}`);
  return answer;
}

/** What a process holds, without garbage: the pieces that were sent are collected at some time. Its inspector tells it, which SIGUSR1 opens. */
async function heldBytes(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR1');
  const [target] = await waitFor(
    async () =>
      (await (await fetch(`http://127.0.0.1:${INSPECTOR_PORT}/json`)).json()) as [{ webSocketDebuggerUrl: string }],
    { message: 'the inspector of the api' },
  );
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  const ask = async (method: string, params = {}): Promise<{ result: { value: number } }> => {
    socket.send(JSON.stringify({ id: 1, method, params }));
    const [event] = (await once(socket, 'message')) as [MessageEvent];
    return JSON.parse(event.data).result;
  };
  await ask('HeapProfiler.collectGarbage');
  const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
  const { result } = await ask('Runtime.evaluate', { expression });
  socket.close();
  return result.value;
}

/** Leaves after so many bytes. */
async function download(link: string, bytes: number): Promise<void> {
  let left = bytes;
  for await (const piece of await opened(link)) {
    left -= (piece as Buffer).length;
    if (left <= 0) return;
  }
  throw new Error(`${left} bytes did not come`);
}

/** A download whose client has read its head, and reads no more. */
async function stoppedAt(link: string): Promise<IncomingMessage> {
  const answer = await opened(link);
  return answer.on('error', () => {});
}

async function peakWhile(pid: number, work: Promise<void>): Promise<number> {
  let peakMb = 0;
  const looking = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, 250);
  await work.finally(() => clearInterval(looking));
  return peakMb;
}
