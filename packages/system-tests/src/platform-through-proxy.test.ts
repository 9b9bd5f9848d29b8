import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { HOST_BEHIND_PROXY, type ProxyServer, startProxyServer } from '@flotilla/testing/proxy-server.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

/** The parts of a URL; no process may write them. */
const SECRETS = ['pass%3Aw', 'pass:w', 'an%20operator', 'an operator', 'hunter2'];

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ apis: 0, workers: 0 });
}, 60_000);
afterAll(async () => {
  await fleet.stop();
}, 60_000);

/** One api and one worker, from which the platform is reached through the proxy alone. */
async function startPair(telegramProxy: string, caFile: string | null) {
  const settings = {
    TELEGRAM_API_URL: `http://${HOST_BEHIND_PROXY}:${new URL(fleet.simulator.url).port}`,
    TELEGRAM_PROXY: telegramProxy,
    LOG_LEVEL: 'debug',
    ...(caFile === null ? {} : { NODE_EXTRA_CA_CERTS: caFile }),
  };
  return Promise.all([fleet.start('api', settings), fleet.start('worker', settings)]);
}

async function stopAll(): Promise<void> {
  await Promise.all([...fleet.apis.splice(0), ...fleet.workers.splice(0)].map((process) => process.stop()));
}

const document = (person: number) => {
  const form = new FormData();
  form.set('chat_id', String(person));
  form.set('document', new Blob(['the bytes of a file']), 'a.txt');
  return form;
};

describe.each(['http', 'https', 'socks5'] as const)('a closed network with a proxy of the kind %s', (kind) => {
  let proxy: ProxyServer;
  beforeAll(async () => {
    proxy = await startProxyServer(kind);
  });
  afterEach(stopAll, 60_000);
  afterAll(() => proxy.stop());

  test('bots are registered and polled, calls and files pass, and nobody reads the password', async () => {
    const started = await startPair(proxy.url(), proxy.caFile);
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const { id: person } = await fleet.control.createPerson({});
    await fleet.control.startBot({ person, bot: bot.platformId });
    const call = async (method: string, init: RequestInit = {}) =>
      (await fetch(`${fleet.url}/tgapi/bot${bot.token}/${method}`, init)).json() as Promise<{ result: never }>;
    await waitFor(async () => JSON.stringify(await call('getUpdates?timeout=1')).includes('/start'), {
      timeoutMs: 30_000,
      message: 'the update',
    });
    const sent: { document: { file_id: string } } = (
      await call('sendDocument', { method: 'POST', body: document(person) })
    ).result;
    const file: { file_path: string } = (await call(`getFile?file_id=${sent.document.file_id}`)).result;
    const content = await fetch(`${fleet.url}/tgapi/file/bot${bot.token}/${file.file_path}`);
    expect(await content.text()).toBe('the bytes of a file');
    await fleet.rest('/api/messages/send', { bot_id: bot.id, chat_id: person, text: 'from REST' });
    const system = await fleet.rest<{ settings: object[] }>('/api/system');
    const { protocol, port } = new URL(proxy.url());
    expect(system.settings).toContainEqual({ name: 'TELEGRAM_PROXY', value: `${protocol}//localhost:${port}` });
    expect(proxy.tunnels()).toBeGreaterThan(2);
    const shown = [...started.map((process) => process.output()), JSON.stringify(system)].join('\n');
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
  }, 90_000);

  test('a wrong password is told to who adds a bot, to the callers of the proxy without detail, and in the log', async () => {
    const [api] = await startPair(proxy.url('an%20operator:hunter2@'), proxy.caFile);
    await expect(fleet.addBot()).rejects.toThrow(
      /The platform could not be reached: the proxy refuses the user or the password \(TELEGRAM_PROXY\)/,
    );
    const answer = await fetch(`${fleet.url}/tgapi/bot4242:AAstranger/getMe`);
    expect(await answer.json()).toEqual({
      ok: false,
      error_code: 502,
      description: 'Bad Gateway: the platform could not be reached through its proxy',
    });
    await waitFor(() => api.output().includes('the proxy refuses the user or the password'));
    for (const secret of SECRETS) expect(api.output()).not.toContain(secret);
  }, 90_000);
});
