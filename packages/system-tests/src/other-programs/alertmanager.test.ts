import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '@flotilla/embedded/find-program.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PATIENCE = { timeoutMs: 60_000 };
const ALERTMANAGER = {
  names: ['prometheus-alertmanager', 'alertmanager'],
  aptPackage: 'prometheus-alertmanager',
  missing:
    'There is no Alertmanager on the PATH: install it (Debian, Ubuntu: apt-get install prometheus-alertmanager).',
};

let fleet: Fleet;
let program: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  program = await findProgram(ALERTMANAGER, (line) => process.stderr.write(`${line}\n`));
  fleet = await startFleet();
}, 180_000);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await fleet.stop();
}, 60_000);

/** An Alertmanager that tells this chat of every alert; returns its address. */
async function startAlertmanager(token: string, chat: number): Promise<string> {
  const [folder, port] = [await throwAwayDir(), await freePort()];
  const config = join(folder, 'alertmanager.yml');
  // JSON is YAML, too.
  const telegram = { api_url: `${fleet.url}/tgapi`, bot_token: token, chat_id: chat, parse_mode: 'HTML' };
  const receivers = [{ name: 'people', telegram_configs: [telegram] }];
  const route = { receiver: 'people', group_wait: '1s', group_interval: '1s', group_by: ['alertname'] };
  await writeFile(config, JSON.stringify({ route, receivers }));
  const flags = [`--config.file=${config}`, `--storage.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`];
  running.push(spawn(program, [...flags, '--cluster.listen-address='], { stdio: 'ignore' }));
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${url}/-/ready`)).ok, PATIENCE);
  return url;
}

async function raise(url: string, alertname: string, extra: object = {}): Promise<void> {
  const alert = { labels: { alertname, severity: 'page' }, annotations: { summary: 'disk <full> & hot' }, ...extra };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify([alert]) };
  expect((await fetch(`${url}/api/v2/alerts`, init)).status).toBe(200);
}

test.each(['bot', 'program'] as const)(
  'an Alertmanager tells a chat what fires and what is resolved, with a token of the %s',
  async (of) => {
    const bot = await fleet.addBot();
    const person = (await fleet.control.createPerson({ firstName: 'Ann' })).id;
    await fleet.control.sendMessage({ person, bot: bot.platformId, text: '/start' });
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'alerts' });
    const limits = { name: 'own', methods: ['send'], chats: [person] };
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id: id, ...limits });
    const url = await startAlertmanager(of === 'bot' ? bot.token : token, person);

    // The platform is away for a moment; Alertmanager tries again by itself.
    const effect = { kind: 'status', status: 502 } as const;
    await fleet.control.setFault({ bot: bot.platformId, method: 'sendMessage', count: 1, effect });
    await raise(url, 'DiskFull');
    const texts = async () => {
      const rows = await fleet.rest<{ text: string; outgoing: boolean; program_id?: number }[]>(
        `/api/messages?bot_id=${bot.id}&chat_id=${person}`,
      );
      return rows.filter(({ outgoing }) => outgoing).reverse();
    };
    await waitFor(async () => (await texts()).length === 1, PATIENCE);
    await raise(url, 'DiskFull', { endsAt: new Date().toISOString() });
    await waitFor(async () => (await texts()).length === 2, PATIENCE);
    const [firing, resolved] = await texts();
    expect(firing!.text).toMatch(/Alerts Firing[\s\S]*alertname = DiskFull[\s\S]*summary = disk <full> & hot/);
    expect(resolved!.text).toMatch(/Alerts Resolved[\s\S]*alertname = DiskFull/);
    expect(firing!.program_id).toBe(of === 'bot' ? undefined : id);
  },
  120_000,
);
