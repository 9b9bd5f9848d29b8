import { join, resolve } from 'node:path';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { ownData } from '@flotilla/embedded/own-data.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { startRedis } from '@flotilla/embedded/start-redis.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { controlClient } from '@flotilla/simulator/control-client.ts';
import type { SandboxSettings } from './config.ts';
import { type Credentials, keepCredentials } from './credentials.ts';
import { type EchoProgram, startEchoProgram } from './demo-bot/echo-program.ts';
import { ADA, BEN, type DemoBot, type DemoBotOptions, registerDemoBot } from './demo-bot/register-demo-bot.ts';
import { registerDesks } from './demo-bot/register-desks.ts';
import { registerTopics } from './demo-bot/register-topics.ts';
import { type Phone, servePhone } from './phone/serve-phone.ts';
import { requireFreePort } from './require-free-port.ts';
import { type Stack, stack } from './stack.ts';
import { ended, type Program, startProgram } from './start-program.ts';
import { welcome } from './welcome.ts';

/** isEmpty: no demo bot is made, so that the console leads to the first bot, as after an installation. */
type Wanted = { isEmpty: boolean };

type Parts = { stack: Stack; settings: SandboxSettings; dataDir: string } & Wanted;

/**
 * Starts everything on this machine and prints the addresses. Rejects with a FlotillaError whose message is for the
 * person at the terminal, after stopping what was started. A part that ends by itself ends the process.
 */
export async function startSandbox(
  settings: SandboxSettings,
  { isEmpty }: Wanted = { isEmpty: false },
): Promise<{ stop(): Promise<void> }> {
  const parts = { stack: stack(), settings, dataDir: resolve(settings.DATA_DIR), isEmpty };
  try {
    await startParts(parts);
  } catch (error) {
    await parts.stack.stop();
    throw error;
  }
  return { stop: parts.stack.stop };
}

async function startParts(parts: Parts): Promise<void> {
  const { settings, dataDir, stack } = parts;
  stack.add(await ownData(dataDir));
  await requireFreePort(settings.HOST, settings.PORT);
  const credentials = await keepCredentials(dataDir, settings);
  const port = settings.PORT === 0 ? await freePort() : settings.PORT;
  const apiUrl = `http://${reachable(settings.HOST)}:${port}`;

  const { databaseUrl, redisUrl } = await startStores(parts);
  const simulatorUrl = settings.TELEGRAM_API_URL ? null : await startSimulator(parts, settings.PORT);
  const echo = simulatorUrl && !parts.isEmpty ? await startEcho(parts, credentials, apiUrl) : null;
  const phonePort = simulatorUrl === null ? null : await freePort(settings.PORT === 0 ? undefined : settings.PORT + 2);
  const shared = {
    HOST: settings.HOST,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    TELEGRAM_API_URL: settings.TELEGRAM_API_URL ?? simulatorUrl!,
    ...(settings.TELEGRAM_API_URL && settings.TELEGRAM_PROXY ? { TELEGRAM_PROXY: settings.TELEGRAM_PROXY } : {}),
    ENCRYPTION_KEY: credentials.encryptionKey,
    BACKEND_ALLOWED_CIDRS: settings.BACKEND_ALLOWED_CIDRS,
  };
  const metrics = await startServices(parts, { shared, credentials, port, apiUrl, phonePort });
  const demoBot = echo && (await registerBots(demoBotOptions(simulatorUrl!, apiUrl, credentials, echo)));
  const phone =
    simulatorUrl === null ? null : await startPhone(parts, { port: phonePort!, simulatorUrl, apiUrl }, demoBot);
  const hasConsole = (await fetch(`${apiUrl}/console/`)).ok;
  const addresses = { apiUrl, simulatorUrl, phoneUrl: phone?.url ?? null, metrics };
  process.stdout.write(welcome({ settings, credentials, ...addresses, demoBot, dataDir, hasConsole }));
}

async function startStores(parts: Parts): Promise<{ databaseUrl: string; redisUrl: string }> {
  const { settings, dataDir, stack } = parts;
  const startedPostgres = async () => {
    if (settings.DATABASE_URL) return settings.DATABASE_URL;
    const postgres = await startPostgres({ dataDir, report: stack.report });
    stack.watch('embedded Postgres', postgres);
    return postgres.url;
  };
  const startedRedis = async () => {
    if (settings.REDIS_URL) return settings.REDIS_URL;
    const redis = await startRedis({ dataDir, report: stack.report });
    stack.watch('embedded Redis', redis);
    return redis.url;
  };
  const both = Promise.all([startedPostgres(), startedRedis()]);
  const [databaseUrl, redisUrl] = await stack.step('starting Postgres and Redis', both);
  await stack.step('migrating the database', migrate(databaseUrl));
  return { databaseUrl, redisUrl };
}

async function migrate(url: string): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
  try {
    await migrateToLatest(db);
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new FlotillaError('unavailable', `The database ${where(url)} could not be migrated: ${reason}.`, {
      cause: error,
    });
  } finally {
    await db.destroy();
  }
}

async function startSimulator(parts: Parts, apiPort: number): Promise<string> {
  // The port beside the api's, if it is free, so that a noted address still works after the next start.
  const port = await freePort(apiPort === 0 ? undefined : apiPort + 1);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    SIMULATOR_DATA_DIR: join(parts.dataDir, 'simulator'),
    SIMULATOR_LIMITS: parts.settings.SIMULATOR_LIMITS,
  };
  await startWatched(parts, { name: 'simulator', env, readyUrl: `${url}/control/` });
  return url;
}

async function startEcho(parts: Parts, credentials: Credentials, apiUrl: string): Promise<EchoProgram> {
  const apiRoot = `${apiUrl}${parts.settings.PROXY_PREFIX}`;
  const echo = await startEchoProgram({ apiRoot, token: credentials.demoBotToken, secret: credentials.demoBotSecret });
  parts.stack.add(echo.stop);
  return echo;
}

async function startServices(
  parts: Parts,
  wiring: {
    shared: Record<string, string>;
    credentials: Credentials;
    port: number;
    apiUrl: string;
    phonePort: number | null;
  },
): Promise<{ api: string; worker: string }> {
  const { shared, credentials, port, apiUrl, phonePort } = wiring;
  const [apiMetrics, workerMetrics] = [await freePort(), await freePort()];
  const admin = {
    ADMIN_USERNAME: parts.settings.ADMIN_USERNAME,
    ADMIN_PASSWORD: credentials.adminPassword,
    ADMIN_API_KEY: credentials.adminApiKey,
  };
  const ports = { PORT: String(port), METRICS_PORT: String(apiMetrics) };
  // From another machine the link would lead nowhere, because the page is on loopback.
  const isLocal = phonePort !== null && isLoopback(parts.settings.HOST);
  const phone: Record<string, string> = isLocal ? { SANDBOX_URL: `http://127.0.0.1:${phonePort}` } : {};
  // There is no load balancer that has to notice a stop.
  const api = { ...shared, ...admin, ...ports, ...phone, BALANCER_NOTICE_SECONDS: '0' };
  const worker = { ...shared, METRICS_PORT: String(workerMetrics) };
  await Promise.all([
    startWatched(parts, { name: 'api', env: api, readyUrl: `${apiUrl}/readyz` }),
    startWatched(parts, { name: 'worker', env: worker, readyUrl: `http://127.0.0.1:${workerMetrics}/readyz` }),
  ]);
  return { api: `http://127.0.0.1:${apiMetrics}/metrics`, worker: `http://127.0.0.1:${workerMetrics}/metrics` };
}

async function startWatched(parts: Parts, program: Omit<Program, 'dataDir'>): Promise<void> {
  const starting = startProgram({ ...program, dataDir: parts.dataDir });
  const running = await parts.stack.step(`starting the ${program.name}`, starting);
  parts.stack.watch(program.name, running.process, () => ended(running).message);
}

async function startPhone(
  parts: Parts,
  { port, simulatorUrl, apiUrl }: { port: number; simulatorUrl: string; apiUrl: string },
  bot: DemoBot | null,
): Promise<Phone> {
  const consoleUrl = `${apiUrl}/console/${bot === null ? '' : `bots/${bot.id}`}`;
  const control = controlClient(simulatorUrl);
  for (const person of [ADA, BEN]) await control.createPerson(person);
  const phone = await servePhone({ port, simulatorUrl, consoleUrl, person: ADA, bot: bot?.telegramId ?? null });
  parts.stack.add(phone.stop);
  return phone;
}

async function registerBots(options: DemoBotOptions): Promise<DemoBot> {
  const demoBot = await registerDemoBot(options);
  await registerDesks(options, demoBot);
  await registerTopics(options, demoBot);
  return demoBot;
}

function demoBotOptions(simulatorUrl: string, apiUrl: string, credentials: Credentials, echo: EchoProgram) {
  const { adminApiKey: apiKey, demoBotToken: token, demoBotSecret: secret } = credentials;
  return { simulatorUrl, apiUrl, apiKey, token, secret, backendUrl: echo.url };
}

function where(url: string): string {
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1)} at ${host}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Clients cannot use a wildcard address, so it is replaced by loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
