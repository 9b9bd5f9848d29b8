import { startBackend } from '@flotilla/testing/backend.ts';
import { earlierRelease, releaseBefore } from '@flotilla/testing/fleet/earlier-release.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess, ProcessCode } from '@flotilla/testing/fleet/fleet-process.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, expect, test } from '@jest/globals';
import { startPuller } from '../puller.ts';
import { type Books, books, FILTERED, OTHERS, OWN, type Reader, TAKEN } from './books.ts';
import { startPoller } from './poller.ts';
import { startTraffic, type Traffic } from './traffic.ts';

const WITHIN_MS = 60_000;
/** Before the first release, and in a shallow clone, there is nothing to run. */
const RELEASE_BEFORE = await releaseBefore();
const withRelease = RELEASE_BEFORE === null ? test.skip : test;

type Scene = { bot: FleetBot; books: Books };

let fleet: Fleet;
const stops: (() => Promise<unknown>)[] = [];
/** The api of this release, while one runs. */
let newApi: string | null = null;
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  await fleet?.stop();
}, 60_000);

/** An api and a worker, both of one release. */
async function join(code?: ProcessCode): Promise<FleetProcess[]> {
  const settings = { PUBLIC_URL: fleet.url };
  const joined = await Promise.all([
    fleet.start('api', settings, undefined, code),
    fleet.start('worker', settings, undefined, code),
  ]);
  if (code === undefined) newApi = `http://127.0.0.1:${joined[0].port}`;
  return joined;
}

/** Does what an orchestrator does: the balancer forgets the api, then both get SIGTERM. */
async function leave(processes: FleetProcess[]): Promise<void> {
  for (const running of [fleet.apis, fleet.workers]) {
    for (const process of processes) if (running.includes(process)) running.splice(running.indexOf(process), 1);
  }
  if (!fleet.apis.some(({ port }) => newApi === `http://127.0.0.1:${port}`)) newApi = null;
  expect(await Promise.all(processes.map((process) => process.stop()))).toEqual(processes.map(() => 0));
}

async function call<T>({ port }: FleetProcess, path: string, body: object): Promise<T> {
  const answer = await restClient(`http://127.0.0.1:${port}`, ADMIN_KEY)('POST', path, { body });
  expect([path, answer.status, answer.text]).toEqual([path, 200, expect.anything()]);
  return answer.json as T;
}

async function addBot(backendUrl: string, fields: object): Promise<Scene> {
  const bot = await fleet.addBot({ ...fields, proxy_enabled: true, long_poll_enabled: true });
  const scene = { bot, books: books() };
  await fleet.rest('/api/bots/update', { id: bot.id, backend_url: `${backendUrl}/${bot.id}/backend` });
  const { stop } = startPuller(
    () => fleet.url,
    bot.token,
    (update) => scene.books.record('getUpdates', update),
  );
  stops.push(
    stop,
    startPoller(
      () => fleet.url,
      `bot_id=${bot.id}&consumer=named`,
      (update) => scene.books.record('named', update),
    ),
  );
  return scene;
}

async function addPrograms(api: FleetProcess, backendUrl: string, { bot, books: own }: Scene): Promise<void> {
  const add = (name: Reader, fields: object) =>
    call<{ id: number }>(api, '/api/programs/add', { bot_id: bot.id, name, ...fields });
  const push = (name: Reader) => ({ mode: 'push', backend_url: `${backendUrl}/${bot.id}/${name}` });
  const pulling: Reader[] = ['pulls', 'filters'];
  const { id: pulls } = await add('pulls', {});
  const { id: filters } = await add('filters', { filter: { text: FILTERED.source } });
  await add('pushes', push('pushes'));
  await add('takes', { ...push('takes'), exclusive: true, filter: { text: TAKEN.source } });
  for (const [at, id] of [pulls, filters].entries()) {
    const reader = pulling[at]!;
    stops.push(
      startPoller(
        () => newApi,
        `bot_id=${bot.id}&program_id=${id}`,
        (update) => own.record(reader, update),
      ),
    );
  }
}

/** Waits until these readers have, or the exclusive program has, every update of these phases. */
async function allArrive(scenes: Scene[], traffic: Traffic, readers: readonly Reader[], phases: string): Promise<void> {
  const arrived = () => scenes.map(({ books: own }) => readers.map((reader) => own.arrived(reader, phases)));
  const made = scenes.map(() => readers.map(() => traffic.made(...phases)));
  await waitFor(() => JSON.stringify(arrived()) === JSON.stringify(made), { timeoutMs: WITHIN_MS }).catch(() => {});
  expect([phases, arrived()]).toEqual([phases, made]);
}

/** While only this release accepts updates, each goes to exactly whom the filters name. */
async function exactlyArrive(scenes: Scene[], traffic: Traffic, phase: string): Promise<void> {
  const made = traffic.made(phase);
  const share = (count: number) => (made * count) / 10;
  const others = Object.fromEntries([...OWN, ...OTHERS].map((reader) => [reader, share(8)]));
  const wanted = scenes.map(() => ({ ...others, filters: share(2), takes: share(2) }));
  const counts = () => scenes.map(({ books: own }) => own.counts(phase));
  const complete = () =>
    counts().every((got, at) => Object.entries(wanted[at]!).every(([name, count]) => got[name]! >= count));
  await waitFor(complete, { timeoutMs: WITHIN_MS }).catch(() => {});
  expect(scenes.flatMap(({ books: own }) => own.strays(phase))).toEqual([]);
  expect(counts()).toEqual(wanted);
}

withRelease(
  'between the release before and this one, forth, back and forth again, nothing is lost and every chat keeps its order',
  async () => {
    const code = await earlierRelease(RELEASE_BEFORE!);
    fleet = await startFleet({ apis: 0, workers: 0 });
    const scenes: Scene[] = [];
    const backend = await startBackend((request, response) => {
      const [, id, reader] = request.url.split('/');
      scenes.find(({ bot }) => bot.id === Number(id))?.books.record(reader as Reader, request.text);
      response.end();
    });
    stops.push(() => backend.stop());

    let before = await join(code);
    scenes.push(await addBot(backend.url, {}), await addBot(backend.url, { webhook_mode: true }));
    const traffic = startTraffic(
      fleet,
      scenes.map(({ bot }) => bot),
      'a',
    );
    stops.push(() => traffic.end());

    let after = await join();
    for (const scene of scenes) await addPrograms(after[0]!, backend.url, scene);
    await traffic.enter('b');
    await leave(before);
    await traffic.enter('c');
    await traffic.enter('d');
    await allArrive(scenes, traffic, OWN, 'ab');
    await allArrive(scenes, traffic, OTHERS, 'b');
    await exactlyArrive(scenes, traffic, 'c');

    before = await join(code);
    await leave(after);
    await traffic.enter('e');
    for (const { bot } of scenes) await call(before[0]!, '/api/bots/update', { id: bot.id, max_connections: 7 });
    await traffic.enter('f');
    // What was taken last waits for its program.
    await allArrive(scenes, traffic, OWN, 'e');

    after = await join();
    await allArrive(scenes, traffic, OWN, 'de');
    await allArrive(scenes, traffic, OTHERS, 'bde');
    await leave(before);
    await traffic.enter('g');
    await traffic.end();
    await allArrive(scenes, traffic, [...OWN, ...OTHERS], 'bcdefg');
    await allArrive(scenes, traffic, OWN, 'a');
    await exactlyArrive(scenes, traffic, 'g');
    expect(scenes.flatMap(({ books: own }) => own.disorder())).toEqual([]);
  },
  240_000,
);
