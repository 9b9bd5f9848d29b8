import type { SandboxSettings } from './config.ts';
import { linesToTry } from './demo-bot/lines-to-try.ts';
import { ADA, type DemoBot } from './demo-bot/register-demo-bot.ts';

export type Addresses = {
  apiUrl: string;
  /** A link that signs the admin in once, or the command that prints one; null if somebody has signed in before. */
  signIn: string | null;
  /** null when a real platform was named. */
  simulatorUrl: string | null;
  /** Where a browser writes to the demo bot; null without one. */
  phoneUrl: string | null;
  metricsUrl: string;
  logFile: string;
  /** False if it could not be built. */
  hasConsole: boolean;
};

type Running = Addresses & { settings: SandboxSettings; demoBot: DemoBot | null; dataDir: string };

/** The text after the start, in one block that ends with the word "ready". */
export function welcome(running: Running): string {
  const { settings, apiUrl, dataDir } = running;
  const lines = [
    '',
    `Flotilla runs at    ${apiUrl}   (API document: ${apiUrl}/docs)`,
    ...(running.hasConsole ? [`  console           ${apiUrl}/console/`] : []),
    ...(running.phoneUrl
      ? [`  ${ADA.firstName}'s phone       ${running.phoneUrl}   (write to a bot in a browser)`]
      : []),
    ...(running.signIn === null ? [] : [`  sign in once      ${running.signIn}   (within 15 minutes)`]),
    `  admin             ${settings.ADMIN_USERNAME}`,
    `  password          ${settings.ADMIN_PASSWORD}`,
    `  API key           ${settings.ADMIN_API_KEY}`,
    ...(running.demoBot ? [`  demo bot          ${running.demoBot.token}   (says back what it is told)`] : []),
    ...(running.simulatorUrl
      ? [
          `  platform          ${running.simulatorUrl}   (simulated; what it does: ${running.simulatorUrl}/control/)`,
          `                    ${limitsOf(settings)}`,
        ]
      : []),
    `  kept in           ${dataDir}`,
    `  log               ${running.logFile}`,
    `  metrics           ${running.metricsUrl}`,
    '',
    ...whatToTry(running),
    '',
    ...pointABot(running),
    '',
    'ready',
    '',
  ];
  return lines.join('\n');
}

function limitsOf({ SIMULATOR_LIMITS }: SandboxSettings): string {
  return SIMULATOR_LIMITS === 'off'
    ? 'Bots may send as fast as they like.'
    : 'Bots that send too fast get 429, as at the platform (SIMULATOR_LIMITS=off: they do not).';
}

function tryIt({ apiUrl, settings }: Running, simulatorUrl: string, bot: DemoBot): string[] {
  const reached = { apiUrl, simulatorUrl, proxyPrefix: settings.PROXY_PREFIX, apiKey: settings.ADMIN_API_KEY };
  return [
    `Try it: write to the demo bot as ${ADA.firstName}, read what was said, and speak as the bot through the proxy:`,
    ...linesToTry(reached, bot),
  ];
}

function whatToTry(running: Running): string[] {
  const { simulatorUrl, demoBot } = running;
  if (simulatorUrl === null) return addOne(running);
  return demoBot === null ? makeOne(running, simulatorUrl) : tryIt(running, simulatorUrl, demoBot);
}

function makeOne({ apiUrl }: Running, simulatorUrl: string): string[] {
  const made = JSON.stringify({ name: 'My first bot', username: 'my_first_bot' });
  return [
    'There is no bot yet. Make one at the simulated platform, then open the console, which asks for its token:',
    `  curl -sw '\\n' ${simulatorUrl}/control/createBot -H 'Content-Type: application/json' -d '${made}'`,
    `  ${apiUrl}/console/`,
  ];
}

function addOne({ apiUrl, settings }: Running): string[] {
  const auth = `-H 'Authorization: Bearer ${settings.ADMIN_API_KEY}'`;
  return [
    `The platform is ${settings.TELEGRAM_API_URL}. Try it: register a bot, list the bots, see one's messages:`,
    `  curl -sw '\\n' ${apiUrl}/api/bots/add ${auth} -d token=YOUR_BOT_TOKEN -d long_poll_enabled=1`,
    `  curl -sw '\\n' ${apiUrl}/api/bots ${auth}`,
    `  curl -sw '\\n' '${apiUrl}/api/chats?bot_id=1' ${auth}`,
  ];
}

function pointABot({ apiUrl, settings, simulatorUrl }: Running): string[] {
  const root = `${apiUrl}${settings.PROXY_PREFIX}`;
  const where = simulatorUrl
    ? 'With the token above it talks to the simulated platform; for the real one start again with TELEGRAM_API_URL=https://api.telegram.org and register its token.'
    : 'Its token must be registered first, as above.';
  return [
    `To point a real bot at it, change its API root from https://api.telegram.org to ${root}`,
    `  (Telegraf needs a slash at the end: ${root}/ ; a client that can change only the host takes ${apiUrl})`,
    `  ${where}`,
  ];
}
