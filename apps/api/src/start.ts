import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { requireSchema } from '@flotilla/database/require-schema.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { createFirstAdmin } from '@flotilla/domain/people/accounts/create-first-admin.ts';
import { installAdminKey } from '@flotilla/domain/people/accounts/install-admin-key.ts';
import { NAMES_NO_PROXY, namesNoProxy } from '@flotilla/domain/startup/api-settings.ts';
import { type Part, type RunningParts, startParts } from '@flotilla/domain/startup/start-parts.ts';
import type { StartingService } from '@flotilla/domain/startup/start-service.ts';
import type { StopStep } from '@flotilla/runtime/lifecycle.ts';
import { createLogger, type Logger } from '@flotilla/runtime/logger.ts';
import type { Readiness } from '@flotilla/runtime/probe-server.ts';
import { createApp } from './app.ts';
import { type BotApiProxy, botApiProxy } from './bot-api-proxy/bot-api-proxy.ts';
import { isBotApiPath } from './bot-api-proxy/path.ts';
import type { ApiConfig } from './config.ts';
import { API, apiContext, type Context } from './context.ts';
import { trustedProxies } from './http/client-address.ts';
import { createHttpServer } from './http/create-http-server.ts';
import { type Drain, drainable } from './http/drain-server.ts';
import { readReadiness } from './probes/probes.ts';
import { answerWhileWaiting } from './while-starting.ts';

const ANY_ADDRESS = '0.0.0.0';
/** Counted from the start of the stop. A process has 25 s in all, and needs the rest to close everything. */
const DRAINED_WITHIN_MS = 18_000;

export interface RunningApi extends RunningParts {
  /** The port of the API. It differs from the setting if that is 0. */
  port: number;
}

/**
 * Starts one api process. While Redis is away it is unready and waits. While Postgres is away it serves the calls that do
 * not need it. Rejects if a migration is pending, a port is taken, a store refuses us or `stopping` aborts.
 */
export async function startApi(
  config: ApiConfig,
  log: Logger = createLogger({ name: 'api', level: config.logLevel }),
  stopping?: AbortSignal,
): Promise<RunningApi> {
  const part = apiPart(config, log);
  const running = await startParts([part], { config, log, stopping });
  return { ...running, port: part.port() };
}

/** An api that has not started. It becomes unready, serves on until load balancers know, ends long polls, drains and closes. */
export function apiPart(config: ApiConfig, log: Logger): Part & { port(): number; madeAdmin(): boolean } {
  let parts: Parts | null = null;
  let serving = false;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const portServer = openPort(config, log);
  return {
    kind: API,
    storesCloseWithinMs: 1_500,
    failed: late.promise,
    port: () => addressOf(portServer.server).port,
    madeAdmin: () => parts?.context.startup.madeAdmin === true,
    // A load balancer might choose an open port and get only refusals, so it opens only if it has to wait.
    whileWaiting: portServer.listen,
    ready: async () => {
      if (parts === null) return NOT_YET;
      const known = await readReadiness(parts.context);
      return serving ? known : { ...known, ready: false, reasons: [...known.reasons, 'the service is starting'] };
    },
    start: async (service, starting) => {
      const context = apiContext(config, service);
      const proxy = botApiProxy(context);
      parts = { context, proxy, drain: portServer.drain };
      const prepared = prepareSoon(context, starting);
      prepared.failed.catch(late.reject);
      await prepared.tried;
      portServer.serve(requestListener(context, proxy));
      await portServer.listen();
      const { address, port } = addressOf(portServer.server);
      const { probes } = starting;
      // One announcement names one address; where the two differ, both ports count as ours on every address of the machine.
      await context.endpoints.announce(address === probes.address ? address : ANY_ADDRESS, [port, probes.port]);
      serving = true;
      if (namesNoProxy(config.publicUrl, config.http.trustedProxies)) log.warn(NAMES_NO_PROXY);
      log.info({ port, metricsPort: probes.port }, 'the api is ready');
    },
    stopSteps: () => (serving && parts !== null ? drainSteps(parts) : closeSteps(portServer.server, parts)),
  };
}

function addressOf(server: Server): AddressInfo {
  return server.address() as AddressInfo;
}

const NOT_YET: Readiness = { ready: false, reasons: ['Redis has not answered since the start'] };

/** The server of the api's port. Until `serve` is called, it answers that the service is starting. */
function openPort(config: ApiConfig, log: Logger) {
  let handle = answerWhileWaiting(config.proxy.prefix);
  const { server, connections } = createHttpServer((request, response) => handle(request, response), {
    maxConnections: config.http.maxConnections,
    maxPerAddress: config.http.maxConnectionsPerAddress,
    isTrusted: trustedProxies(config.http.trustedProxies),
    log,
  });
  const drain = drainable(server, connections);
  return {
    server,
    drain,
    listen: async () => {
      if (!server.listening) await listen(config, server);
    },
    serve: (listener: RequestListener) => {
      handle = listener;
    },
  };
}

/** Prepares Postgres. `tried` settles after the first try; if Postgres is away, it resolves and the waiting goes on. */
function prepareSoon(context: Context, service: StartingService): { tried: Promise<void>; failed: Promise<never> } {
  const { log, startup } = context;
  let waits: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    waits = resolve;
  });
  const retry = service.retryWhileAway('Postgres', () => {
    startup.waitsForPostgres = true;
    waits();
  });
  const prepared = retry(() => prepare(context)).then(() => {
    if (startup.waitsForPostgres) log.info('Postgres is there: REST is served');
    startup.waitsForPostgres = false;
  });
  const failed = prepared.then(() => new Promise<never>(() => {}));
  failed.catch(() => undefined);
  return { tried: Promise.race([prepared, waiting]), failed };
}

async function prepare(context: Context): Promise<void> {
  await requireSchema(context.db);
  await context.installation.begin();
  await context.readOnly.look();
  await prepareAdmin(context);
  const ofOthers = context.installation.quarantine()?.redisOfOthers === true;
  if (!context.directory.ready() && !ofOthers) await reconcileBots(context);
}

async function prepareAdmin(context: Context): Promise<void> {
  const { username, password, apiKey } = context.config.admin;
  const admin = await createFirstAdmin(context, { username, password });
  context.startup.madeAdmin = admin.outcome === 'created';
  if (admin.outcome === 'created' && admin.generatedPassword !== null) {
    // The logger would redact it, and it is never shown again.
    process.stdout.write(`The first admin is "${username}" with the password ${admin.generatedPassword}\n`);
  }
  const key = await installAdminKey(context, { username, key: apiKey });
  if (key === 'no-account') context.log.warn({ username }, 'ADMIN_API_KEY is not in use: no admin has this username');
}

function requestListener(context: Context, proxy: BotApiProxy): RequestListener {
  const app = createApp(context);
  return (request, response) => {
    if (isBotApiPath(request.url ?? '/', context.proxy.prefix)) proxy.handle(request, response);
    else app(request, response);
  };
}

function listen({ http }: ApiConfig, server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(http.port, http.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

type Parts = { context: Context; drain: Drain; proxy: BotApiProxy };

/** Refuses connections before it ends polls, because their clients ask again at once and must reach another process. */
function drainSteps({ context, drain, proxy }: Parts): StopStep[] {
  const { balancerNoticeMs } = context.config.http;
  const allMs = DRAINED_WITHIN_MS - balancerNoticeMs;
  const leave = async () => {
    context.beginLeaving();
    await delay(balancerNoticeMs);
    await drain.refuse();
    context.beginStop();
  };
  return [
    { name: 'the port', withinMs: balancerNoticeMs + 1000, stop: leave },
    { name: 'the server', withinMs: allMs + 1000, stop: () => drain.finish({ idleMs: balancerNoticeMs, allMs }) },
    stopProxy(proxy),
  ];
}

/** For a start that failed. */
function closeSteps(server: Server, parts: Parts | null): StopStep[] {
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return [{ name: 'the server', withinMs: 500, stop: close }, ...(parts === null ? [] : [stopProxy(parts.proxy)])];
}

function stopProxy(proxy: BotApiProxy): StopStep {
  return { name: 'the proxy', withinMs: 5500, stop: () => proxy.stop() };
}
