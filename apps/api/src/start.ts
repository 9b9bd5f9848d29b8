import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pendingMigrations } from '@flotilla/database/migrate.ts';
import { createFirstAdmin } from '@flotilla/domain/accounts/create-first-admin.ts';
import { installAdminKey } from '@flotilla/domain/accounts/install-admin-key.ts';
import { keyUsernames } from '@flotilla/domain/accounts/key-usernames.ts';
import { reconcileBots } from '@flotilla/domain/bots/reconcile-bots.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { startProbeServer } from '@flotilla/runtime/probe-server.ts';
import { stopInOrder } from '@flotilla/runtime/stop-in-order.ts';
import { createApp } from './app.ts';
import { type BotApiProxy, botApiProxy } from './bot-api-proxy/bot-api-proxy.ts';
import { isBotApiPath } from './bot-api-proxy/parse-bot-path.ts';
import type { ApiConfig } from './config.ts';
import { type Context, createContext } from './context.ts';
import { createHttpServer } from './http/create-http-server.ts';
import { type Drain, drainable } from './http/drain-server.ts';
import { trustedProxies } from './http/trusted-proxies.ts';
import { readReadiness } from './probes/readiness.ts';

/** From the beginning of the stop; what is left of the 25 s that a process has is for closing. */
const DRAINED_WITHIN_MS = 18_000;

export interface RunningApi {
  /** Where the API answers; differs from the setting when that is 0. */
  port: number;
  metricsPort: number;
  /** Becomes unready, serves on until load balancers know, ends long polls, drains what is under way, closes everything. */
  stop(): Promise<void>;
}

/** Starts one api process; rejects when a migration is pending, Postgres or Redis is away, or a port is taken. */
export async function startApi(config: ApiConfig, log?: Logger): Promise<RunningApi> {
  const context = await createContext(config, log);
  const proxy = botApiProxy(context);
  try {
    await prepare(context);
    const probes = await startProbeServer({
      port: config.http.metricsPort,
      host: config.http.host,
      metrics: context.metrics,
      live: () => true,
      ready: () => readReadiness(context),
    });
    const server = createHttpServer(requestListener(context, proxy), {
      maxConnections: config.http.maxConnections,
      maxPerAddress: config.http.maxConnectionsPerAddress,
      isTrusted: trustedProxies(config.http.trustedProxies),
      refused: context.apiMetrics.connectionsRefused,
      log: context.log,
    });
    const drain = drainable(server);
    await listen(config, server).catch(async (error: unknown) => {
      await probes.stop();
      throw error;
    });
    const { address, port } = server.address() as AddressInfo;
    await context.endpoints.announce(address, [port, probes.port]);
    context.log.info({ port, metricsPort: probes.port }, 'the api is ready');
    return { port, metricsPort: probes.port, stop: () => stop(context, drain, proxy, probes) };
  } catch (error) {
    await proxy.stop();
    await context.close();
    throw error;
  }
}

async function prepare(context: Context): Promise<void> {
  const pending = await pendingMigrations(context.db);
  if (pending.length > 0) {
    throw new Error(`The database lacks migrations (${pending.join(', ')}); run: npm run migrate`);
  }
  await prepareAdmin(context);
  if (!context.directory.ready()) await reconcileBots(context);
}

async function prepareAdmin(context: Context): Promise<void> {
  await keyUsernames(context.db);
  const { username, password, apiKey } = context.config.admin;
  const admin = await createFirstAdmin(context, { username, password });
  if (admin.outcome === 'created' && admin.generatedPassword !== null) {
    // Not through the logger, which would redact it; it is never shown again.
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

/** Polls end only when new connections are refused: their clients ask again at once, and must reach another pod. */
async function stop(
  context: Context,
  drain: Drain,
  proxy: BotApiProxy,
  probes: { stop(): Promise<void> },
): Promise<void> {
  const { balancerNoticeMs } = context.config.http;
  const allMs = DRAINED_WITHIN_MS - balancerNoticeMs;
  context.beginLeaving();
  await delay(balancerNoticeMs);
  await drain.refuse();
  context.beginStop();
  await stopInOrder(context.log, [
    { name: 'the server', withinMs: allMs + 1000, stop: () => drain.finish({ idleMs: balancerNoticeMs, allMs }) },
    { name: 'the proxy', withinMs: 5500, stop: () => proxy.stop() },
    { name: 'the probes', withinMs: 500, stop: () => probes.stop() },
    { name: 'Postgres and Redis', withinMs: 1500, stop: () => context.close() },
  ]);
}
