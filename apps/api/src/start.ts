import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pendingMigrations } from '@flotilla/database/migrate.ts';
import { createFirstAdmin } from '@flotilla/domain/accounts/create-first-admin.ts';
import { installAdminKey } from '@flotilla/domain/accounts/install-admin-key.ts';
import { reconcileBots } from '@flotilla/domain/bots/reconcile-bots.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { startProbeServer } from '@flotilla/runtime/probe-server.ts';
import { createApp } from './app.ts';
import { type BotApiProxy, botApiProxy } from './bot-api-proxy/bot-api-proxy.ts';
import { isBotApiPath } from './bot-api-proxy/parse-bot-path.ts';
import type { ApiConfig } from './config.ts';
import { type Context, createContext } from './context.ts';
import { drainServer } from './http/drain-server.ts';
import { readReadiness } from './probes/readiness.ts';

/** Longer than clients and load balancers keep idle connections, so that they and not we close first. */
const KEEP_ALIVE_MS = 75_000;
/** Clients put long queries and cookies into the head. */
const MAX_HEADER_BYTES = 131_072;
const HEADERS_DEADLINE_MS = 8000;
const CONNECTION_CHECK_MS = 1000;

export interface RunningApi {
  /** Where the API answers; differs from the setting when that is 0. */
  port: number;
  metricsPort: number;
  /** Becomes unready, ends long polls, drains what is under way within 10 s, closes everything. */
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
    const server = await listen(config, requestListener(context, proxy)).catch(async (error: unknown) => {
      await probes.stop();
      throw error;
    });
    const { port } = server.address() as AddressInfo;
    context.log.info({ port, metricsPort: probes.port }, 'the api is ready');
    return { port, metricsPort: probes.port, stop: () => stop(context, server, proxy, probes) };
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
    if (context.stopping.aborted) response.setHeader('Connection', 'close');
    if (isBotApiPath(request.url ?? '/', context.proxy.prefix)) proxy.handle(request, response);
    else app(request, response);
  };
}

function listen({ http }: ApiConfig, handle: RequestListener): Promise<Server> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_DEADLINE_MS,
      // Uploads through the proxy may take as long as they need; REST bodies have a deadline of their own.
      requestTimeout: 0,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
    },
    handle,
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(http.port, http.host, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

async function stop(
  context: Context,
  server: Server,
  proxy: BotApiProxy,
  probes: { stop(): Promise<void> },
): Promise<void> {
  context.beginStop();
  await drainServer(server);
  await proxy.stop();
  await probes.stop();
  await context.close();
}
