import { join } from 'node:path';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { controlClient } from '@flotilla/simulator/control-client.ts';
import { PLATFORM_LIMITS } from '@flotilla/simulator/faults/flood-limits.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { DEMO_SETTINGS, MAY_BE_EMPTY, type SandboxSettings } from './config.ts';
import { type EchoProgram, startEchoProgram } from './demo-bot/echo-program.ts';
import { ADA, BEN, type DemoBot, registerDemoBot } from './demo-bot/register-demo-bot.ts';
import { registerDesks } from './demo-bot/register-desks.ts';
import { registerTopics } from './demo-bot/register-topics.ts';
import { type Phone, servePhone } from './phone/serve-phone.ts';
import { type Addresses, welcome } from './welcome.ts';

type Wanted = {
  env: Record<string, string | undefined>;
  apiUrl: string;
  port: number;
  dataDir: string;
  /** No demo bot is made, so that the console leads to the first bot, as after an installation. */
  isEmpty: boolean;
  log: Logger;
  /** Registers what is stopped at the end, the last first. */
  onStop(stop: () => Promise<unknown>): void;
};

export type Demo = {
  /** Settings of the api and the worker. */
  env: Record<string, string>;
  /** Once the api serves: makes the bots, and returns what a person may try. */
  open(addresses: Pick<Addresses, 'signIn' | 'metricsUrl' | 'logFile' | 'hasConsole'>): Promise<string>;
};

/** A simulated platform with a bot, its program, and a phone to write to it. All of it listens on loopback. */
export async function startDemo(wanted: Wanted): Promise<Demo> {
  const { apiUrl, port, isEmpty, onStop } = wanted;
  const settings = readSettings(DEMO_SETTINGS, wanted.env, MAY_BE_EMPTY);
  const simulatorUrl = settings.TELEGRAM_API_URL ? null : await simulate(wanted, settings);
  const echo = simulatorUrl === null || isEmpty ? null : await startEcho(settings, apiUrl);
  if (echo !== null) onStop(echo.stop);
  const phonePort = simulatorUrl === null ? null : await freePort(port + 2);
  // From another machine the link would lead nowhere, because the page is on loopback.
  const isLocal = phonePort !== null && isLoopback(settings.HOST);
  const env = {
    TELEGRAM_API_URL: settings.TELEGRAM_API_URL ?? simulatorUrl!,
    // The simulator needs no way out.
    TELEGRAM_PROXY: settings.TELEGRAM_API_URL ? (wanted.env.TELEGRAM_PROXY ?? '') : '',
    BACKEND_ALLOWED_CIDRS: settings.BACKEND_ALLOWED_CIDRS,
    ...(isLocal ? { SANDBOX_URL: `http://127.0.0.1:${phonePort}` } : {}),
  };
  const open: Demo['open'] = async (addresses) => {
    const bot = echo && (await registerBots(settings, { simulatorUrl: simulatorUrl!, apiUrl, backend_url: echo.url }));
    const phone =
      phonePort === null ? null : await openPhone({ port: phonePort, simulatorUrl: simulatorUrl!, apiUrl }, bot);
    if (phone !== null) onStop(phone.stop);
    const all = { ...addresses, apiUrl, simulatorUrl, phoneUrl: phone?.url ?? null };
    return welcome({ settings, demoBot: bot, dataDir: wanted.dataDir, ...all });
  };
  return { env, open };
}

async function simulate({ port, dataDir, log, onStop }: Wanted, settings: SandboxSettings): Promise<string> {
  const simulator = await startSimulator({
    // The port beside the api's, if it is free, so that a noted address still works after the next start.
    port: await freePort(port + 1),
    dataDir: join(dataDir, 'simulator'),
    settings: { floodLimits: settings.SIMULATOR_LIMITS === 'platform' ? PLATFORM_LIMITS : null },
    log: log.child({ part: 'simulator' }),
  });
  onStop(simulator.stop);
  return simulator.url;
}

function startEcho(settings: SandboxSettings, apiUrl: string): Promise<EchoProgram> {
  const { DEMO_BOT_TOKEN: token, DEMO_BOT_SECRET: secret, PROXY_PREFIX: prefix } = settings;
  return startEchoProgram({ apiRoot: `${apiUrl}${prefix}`, token, secret });
}

async function registerBots(
  settings: SandboxSettings,
  urls: { simulatorUrl: string; apiUrl: string; backend_url: string },
): Promise<DemoBot> {
  const { ADMIN_API_KEY: apiKey, DEMO_BOT_TOKEN: token, DEMO_BOT_SECRET: secret } = settings;
  const options = { ...urls, apiKey, token, secret };
  const demoBot = await registerDemoBot(options);
  await registerDesks(options, demoBot);
  await registerTopics(options, demoBot);
  return demoBot;
}

async function openPhone(
  { port, simulatorUrl, apiUrl }: { port: number; simulatorUrl: string; apiUrl: string },
  bot: DemoBot | null,
): Promise<Phone> {
  const consoleUrl = `${apiUrl}/console/${bot === null ? '' : `bots/${bot.id}`}`;
  const control = controlClient(simulatorUrl);
  for (const person of [ADA, BEN]) await control.createPerson(person);
  return servePhone({ port, simulatorUrl, consoleUrl, person: ADA, bot: bot?.telegramId ?? null });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
