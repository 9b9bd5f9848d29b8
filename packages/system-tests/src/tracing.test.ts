import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTraceCollector, type TraceCollector } from '@flotilla/testing/trace-collector.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RoutingScene, routingScene } from './routing/routing-scene.ts';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;
/**
 * Prints a line for each OpenTelemetry module that a process loads, except the API, which prom-client loads too. The
 * process runs its sources, because a built file does not import its modules by name.
 */
const TELL_IMPORTS = {
  BUILT_PROGRAMS: '',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (name, context, next) => {
      if (name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api') process.stderr.write('IMPORTED ' + name + '\\n');
      return next(name, context);
    },
  });
`)}`,
};

let fleet: Fleet;
let backend: TestBackend;

const traceOf = (header: unknown) => {
  const [, traceId, spanId] = TRACEPARENT.exec(String(header)) ?? [];
  return { traceId, spanId };
};
const tell = async (bot: FleetBot, text: string) => {
  const { id } = await fleet.control.createPerson({ firstName: 'Ada' });
  await fleet.control.sendMessage({ person: id, bot: bot.platformId, text });
};
const deliveryOf = async (text: string) =>
  (await waitFor(() => backend.requests.find((request) => request.text.includes(text)), {
    timeoutMs: 15_000,
    message: `the delivery of "${text}"`,
  })) as TestBackend['requests'][number];

describe('with a collector', () => {
  let collector: TraceCollector;
  let scene: RoutingScene;
  const tokens: string[] = [];

  beforeAll(async () => {
    collector = await startTraceCollector();
    backend = await startBackend();
    fleet = await startFleet(
      { apis: 1, workers: 1 },
      {
        PUBLIC_URL: 'http://127.0.0.1:1',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
        ...TELL_IMPORTS,
      },
    );
    scene = await routingScene(fleet);
  }, 60_000);
  afterAll(async () => {
    await scene.close();
    await fleet.stop();
    await backend.stop();
    await collector.stop();
  }, 60_000);

  const addBot = async (fields: Record<string, unknown> = {}) => {
    const bot = await fleet.addBot(fields);
    tokens.push(bot.token);
    return bot;
  };
  const pushedBot = (fields: Record<string, unknown> = {}) =>
    // Many programs put their token into the path of their webhook.
    addBot({
      proxy_enabled: true,
      backend_url: `${backend.url}/${'4242:AAsecretsecretsecretsecretsecretsec'}`,
      ...fields,
    });

  test('a polled update is one trace from the platform to the backend', async () => {
    const bot = await pushedBot();
    await tell(bot, 'polled and traced');
    const delivery = await deliveryOf('polled and traced');
    const { traceId, spanId } = traceOf(delivery.headers.traceparent);
    expect(traceId).toBeDefined();
    expect(delivery.text).not.toContain(traceId);
    const ofTrace = (name: string) => collector.span(name, (span) => span.traceId === traceId);
    const poll = await ofTrace('poll platform');
    const accept = await ofTrace('accept updates');
    const deliver = await ofTrace('deliver update');
    expect(poll).toMatchObject({ service: 'flotilla-worker', parentSpanId: '', failed: false });
    expect((await ofTrace('getUpdates')).parentSpanId).toBe(poll.spanId);
    expect(accept.parentSpanId).toBe(poll.spanId);
    expect(deliver).toMatchObject({ parentSpanId: accept.spanId, spanId, failed: false });
    expect(deliver.attributes).toMatchObject({ 'flotilla.outcome': 'delivered', 'http.response.status_code': 200 });
    await collector.span('store history', (span) => span.links.includes(accept.spanId));
  });

  test('a pushed update is one trace from the request, and goes on with the trace of a balancer before us', async () => {
    const bot = await pushedBot({ webhook_mode: true });
    const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
    const before = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
    const response = await fetch(`http://127.0.0.1:${fleet.apis[0]!.port}/telegram/${bot.id}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': secretToken,
        traceparent: `00-${before.traceId}-${before.spanId}-01`,
      },
      body: JSON.stringify({
        update_id: 5,
        message: { date: Math.floor(Date.now() / 1000), chat: { id: 5 }, text: 'pushed in' },
      }),
    });
    expect(response.status).toBe(200);
    const delivered = traceOf((await deliveryOf('pushed in')).headers.traceparent);
    expect(delivered.traceId).toBe(before.traceId);
    const receive = await collector.span('receive update', (span) => span.traceId === before.traceId);
    expect(receive).toMatchObject({ service: 'flotilla-api', parentSpanId: before.spanId });
    const accept = await collector.span('accept updates', (span) => span.traceId === before.traceId);
    expect(accept.parentSpanId).toBe(receive.spanId);
    const deliver = await collector.span('deliver update', (span) => span.traceId === before.traceId);
    expect(deliver).toMatchObject({ parentSpanId: accept.spanId, spanId: delivered.spanId });
  });

  test('a send that is handed over is one trace from the request to the platform', async () => {
    const bot = await addBot();
    const { id } = await fleet.control.createPerson({ firstName: 'Ada' });
    await fleet.control.startBot({ person: id, bot: bot.platformId });
    const before = { traceId: 'ef'.repeat(16), spanId: 'cd'.repeat(8) };
    const response = await fetch(`http://127.0.0.1:${fleet.apis[0]!.port}/api/outbox/add`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ADMIN_KEY}`,
        traceparent: `00-${before.traceId}-${before.spanId}-01`,
      },
      body: JSON.stringify({ bot_id: bot.id, method: 'sendMessage', params: { chat_id: id, text: 'handed over' } }),
    });
    expect(response.status).toBe(200);
    const request = await collector.span('addOutboxEntry', (span) => span.traceId === before.traceId);
    const send = await collector.span('send entry', (span) => span.traceId === before.traceId);
    expect(send).toMatchObject({ service: 'flotilla-worker', parentSpanId: request.spanId, failed: false });
    expect(send.attributes).toMatchObject({
      'flotilla.request_id': response.headers.get('x-request-id'),
      'flotilla.outcome': 'sent',
    });
  });

  test('the end of a question belongs to the trace of the request that asked', async () => {
    const bot = await addBot();
    const person = await scene.person([bot]);
    const before = { traceId: '12'.repeat(16), spanId: 'cd'.repeat(8) };
    const asked = await fetch(`${fleet.url}/api/questions/add`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ADMIN_KEY}`,
        traceparent: `00-${before.traceId}-${before.spanId}-01`,
      },
      body: JSON.stringify({ bot_id: bot.id, chat_id: person, text: 'Ready?', options: ['Yes'], expires_in_s: 5 }),
    });
    const ofRequest = { 'flotilla.request_id': asked.headers.get('x-request-id') };
    const request = await collector.span('addQuestion', (span) => span.traceId === before.traceId);
    expect(request.attributes).toMatchObject(ofRequest);
    const shown = await collector.span('show answer', (span) => span.traceId === before.traceId);
    expect(shown).toMatchObject({ service: 'flotilla-worker', parentSpanId: request.spanId, failed: false });
    expect(shown.attributes).toMatchObject({ ...ofRequest, 'flotilla.outcome': 'expired' });
  });

  test.each(['bot', 'program'] as const)(
    'a call of a %s that leaves an entry has one id in its answer, its span and the audit log',
    async (of) => {
      const bot = await addBot();
      const person = await scene.person([bot]);
      const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'pins' });
      const made = { program_id: id, name: 'own', methods: ['pinChatMessage', 'getChat'], chats: [person] };
      const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', made);
      const { messageId } = await fleet.control.sendMessage({ person, bot: bot.platformId, text: 'to be pinned' });
      const api = `${fleet.url}/tgapi/bot${of === 'bot' ? bot.token : token}`;
      const answer = await fetch(`${api}/pinChatMessage?chat_id=${person}&message_id=${messageId}`);
      expect(answer.status).toBe(200);
      const request_id = answer.headers.get('x-request-id');
      expect(request_id).toBeTruthy();
      await collector.span('bot api pinchatmessage', (span) => span.attributes['flotilla.request_id'] === request_id);
      const audited = () => fleet.rest<object[]>(`/api/adminlog?bot_id=${bot.id}&action=pin`);
      await waitFor(async () => (await audited()).length === 1, { message: 'the audit entry' });
      expect((await audited())[0]).toMatchObject({ request_id, actor_kind: 'bot' });
      expect((await fetch(`${api}/getChat?chat_id=${person}`)).headers.has('x-request-id')).toBe(false);
    },
  );

  test('what rules send belongs to the trace of what they were told', async () => {
    const [source, target] = [await addBot(), await addBot()];
    const person = await scene.person([source, target]);
    await scene.rule(source, target, person);
    await fleet.control.sendMessage({ person, bot: source.platformId, text: 'to be routed' });
    await scene.sent(target, person, 1);
    const route = await collector.span('route update', (span) => span.attributes['flotilla.bot_id'] === source.id);
    expect(route.attributes).toMatchObject({ 'flotilla.outcome': 'delivered' });
    await collector.span('poll platform', (span) => span.traceId === route.traceId);
  });

  test('a delivery that fails is a failed span, and the next try is another one of the same trace', async () => {
    const moody = await startBackend(({ text }, response) => {
      response.statusCode = text.includes('twice') && tries().length === 1 ? 500 : 200;
      response.end();
    });
    const tries = () => moody.requests.filter(({ text }) => text.includes('twice'));
    try {
      const bot = await pushedBot({ backend_url: moody.url });
      await tell(bot, 'twice');
      await waitFor(() => tries().length === 2, { timeoutMs: 15_000, message: 'a second try' });
      const [first, second] = tries().map(({ headers }) => traceOf(headers.traceparent));
      expect(second!.traceId).toBe(first!.traceId);
      expect(second!.spanId).not.toBe(first!.spanId);
      expect(await collector.span('deliver update', ({ spanId }) => spanId === first!.spanId)).toMatchObject({
        failed: true,
      });
      expect(await collector.span('deliver update', ({ spanId }) => spanId === second!.spanId)).toMatchObject({
        failed: false,
      });
    } finally {
      await moody.stop();
    }
  });

  test('a call through the proxy and a REST request are spans of their own', async () => {
    const bot = await addBot();
    await fetch(`${fleet.url}/tgapi/bot${bot.token}/getMe`);
    await fetch(`${fleet.url}/tgapi/bot${bot.token}/${bot.token}`);
    await fetch(`${fleet.url}/tgapi/file/bot${bot.token}/nothing`);
    await collector.span('bot api getme', (span) => span.attributes['flotilla.bot_id'] === bot.id);
    await collector.span('bot api other');
    await collector.span('bot api file');
    expect((await collector.span('addBot')).attributes).toMatchObject({ 'http.response.status_code': 200 });
  });

  test('no token, key or secret is in anything that was exported', async () => {
    const exported = collector.received();
    expect(exported).toContain('"x-collector-key":"a key"');
    expect(tokens.length).toBeGreaterThan(4);
    for (const secret of [...tokens.flatMap((token) => [token, token.split(':')[1]!]), ADMIN_KEY, 'AAsecret']) {
      expect(exported).not.toContain(secret);
    }
  });

  test('a collector that refuses is told of now and then, and holds up nothing', async () => {
    const bot = await pushedBot();
    collector.answerWith(400);
    for (let at = 0; at < 3; at += 1) {
      await tell(bot, `refused ${at}.`);
      expect(traceOf((await deliveryOf(`refused ${at}.`)).headers.traceparent).traceId).toBeDefined();
    }
    const refused = () =>
      collector
        .spans()
        .filter((span) => span.name === 'deliver update' && span.attributes['flotilla.bot_id'] === bot.id);
    const complaints = () => fleet.workers[0]!.output().split('traces could not be exported').length - 1;
    await waitFor(() => complaints() > 0, { timeoutMs: 15_000, message: 'a complaint' });
    await tell(bot, 'refused again');
    await deliveryOf('refused again');
    await waitFor(() => refused().length === 4, { timeoutMs: 15_000, message: 'the fourth span being refused' });
    expect(complaints()).toBe(1);
    collector.answerWith(200);
  });

  test('what is recorded when a process stops is exported before it ends', async () => {
    const bot = await pushedBot();
    const { id } = bot;
    await tell(bot, 'the last one');
    await deliveryOf('the last one');
    const [worker] = fleet.workers.splice(0);
    expect(await worker!.stop()).toBe(0);
    expect(collector.spans()).toContainEqual(
      expect.objectContaining({
        name: 'deliver update',
        attributes: expect.objectContaining({ 'flotilla.bot_id': id }),
      }),
    );
    expect(worker!.output()).toContain('IMPORTED @opentelemetry/sdk-trace');
  });
});

describe('without a collector', () => {
  let redis: RedisHandles;

  beforeAll(async () => {
    backend = await startBackend();
    fleet = await startFleet({ apis: 1, workers: 1 }, TELL_IMPORTS);
    redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  }, 60_000);
  afterAll(async () => {
    await redis.close();
    await fleet.stop();
    await backend.stop();
  }, 60_000);
  afterEach(() => {
    for (const process of [...fleet.apis, ...fleet.workers]) expect(process.output()).not.toContain('IMPORTED');
  });

  test('nothing of OpenTelemetry is loaded, written down or sent along', async () => {
    const bot = await fleet.addBot({ proxy_enabled: true, long_poll_enabled: true, backend_url: backend.url });
    await fetch(`${fleet.url}/tgapi/bot${bot.token}/getMe`);
    await tell(bot, 'untraced');
    expect((await deliveryOf('untraced')).headers).not.toHaveProperty('traceparent');
    const entries = await redis.commands.xrange(botKeys(bot.id).log, '-', '+');
    expect(entries.length).toBeGreaterThan(0);
    for (const [, fields] of entries) expect(fields).not.toContain('tp');
  });
});
