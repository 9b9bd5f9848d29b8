import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunningApi } from './start.ts';

type Pod = RunningApi & { url: string };

let api: TestApi;
let token: string;
let botId: number;

beforeAll(async () => {
  api = await startTestApi();
  token = (await api.platform.createBot({})).token;
  const body = { token, long_poll_enabled: true };
  const added = await restClient(api.url, ADMIN_KEY)('POST', '/api/bots/add', { body });
  botId = (added.json as { id: number }).id;
}, 60_000);

afterAll(async () => {
  await api?.stop();
});

const ready = async (port: number) => {
  const { status, json } = await restClient(`http://127.0.0.1:${port}`)('GET', '/readyz');
  return [status, (json as { reasons: string[] }).reasons];
};
const refuses = (port: number) =>
  waitFor(() =>
    rawConnection(port).then(
      ({ end }) => void end(),
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    ),
  );
async function asks(pod: Pod, request: string): Promise<RawConnection> {
  const connection = await rawConnection(pod.port);
  connection.send(request.replaceAll('\n', '\r\n'));
  return connection;
}
const LIVEZ = 'GET /livez HTTP/1.1\nHost: h\n\n';
const pollOf = (path: string) => `GET ${path} HTTP/1.1\nHost: h\nAuthorization: Bearer ${ADMIN_KEY}\n\n`;
const polling = (pod: Pod, polls: number) =>
  waitFor(async () => (await readMetric(pod, 'flotilla_waiting_polls')) === polls, {
    message: `${polls} polls that wait`,
  });

describe('an api that was told to stop', () => {
  test('is unready at once and serves on, so that load balancers notice before anybody is refused', async () => {
    const pod = await api.startPod({ BALANCER_NOTICE_SECONDS: '2' });
    const known = await asks(pod, LIVEZ);
    await known.waitFor(/live/);
    const stopped = pod.stop();
    for (const port of [pod.port, pod.metricsPort]) {
      expect(await ready(port)).toEqual([503, ['the process is stopping']]);
    }
    const fresh = await asks(pod, LIVEZ);
    expect(await fresh.waitFor(/live/)).not.toMatch(/connection: close/is);
    await refuses(pod.port);
    // Open connections get one more response.
    for (const connection of [known, fresh]) {
      connection.clear();
      connection.send(LIVEZ.replaceAll('\n', '\r\n'));
      expect(await connection.waitForClose()).toMatch(/200 OK.*connection: close.*live/is);
    }
    await stopped;
  });

  test('answers those that wait for updates with none, and only when nobody new can ask', async () => {
    const pod = await api.startPod({ BALANCER_NOTICE_SECONDS: '1' });
    const polls = [
      await asks(pod, pollOf(`/tgapi/bot${token}/getUpdates?timeout=50`)),
      await asks(pod, pollOf(`/api/updates/poll?bot_id=${botId}&timeout=50`)),
    ];
    await polling(pod, 2);
    const stopped = pod.stop();
    expect((await ready(pod.port))[0]).toBe(503);
    expect(polls.map((poll) => poll.received())).toEqual(['', '']);
    for (const poll of polls) {
      expect(await poll.waitForClose()).toMatch(/^HTTP\/1.1 200 OK.*connection: close.*"ok":true,"result":\[\]/is);
    }
    await refuses(pod.port);
    await stopped;
  });

  test('lets an upload through the proxy come to its end', async () => {
    const pod = await api.startPod();
    const person = await api.platform.createPerson({ firstName: 'Ann' });
    await api.platform.sendMessage({ person: person.id, bot: Number(token.split(':')[0]), text: 'hello' });
    const part = (named: string, value: string) => `--b\nContent-Disposition: form-data; name=${named}\n\n${value}\n`;
    const file = part('"document"; filename="a.txt"', 'half and half');
    const form = `${part('"chat_id"', String(person.id))}${file}--b--\n`.replaceAll('\n', '\r\n');
    const type = 'multipart/form-data; boundary=b';
    const upload = await asks(
      pod,
      `POST /tgapi/bot${token}/sendDocument HTTP/1.1\nHost: h\nExpect: 100-continue\nContent-Type: ${type}\nContent-Length: ${form.length}\n\n`,
    );
    await upload.waitFor(/100 Continue/);
    upload.clear();
    upload.send(form.slice(0, 100));
    const stopped = pod.stop();
    await refuses(pod.port);
    upload.send(form.slice(100));
    expect(await upload.waitForClose()).toMatch(/^HTTP\/1.1 200 OK.*connection: close.*"file_name":"a.txt"/is);
    await stopped;
  });
});
