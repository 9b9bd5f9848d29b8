import { join } from 'node:path';
import type { SandboxSettings } from './config.ts';
import type { Credentials } from './credentials.ts';
import { ADA, type DemoBot } from './demo-bot/register-demo-bot.ts';

export type Running = {
  settings: SandboxSettings;
  credentials: Credentials;
  apiUrl: string;
  /** null when a real platform was named. */
  simulatorUrl: string | null;
  demoBot: DemoBot | null;
  dataDir: string;
};

/** What a person needs to know after the start, in one block that ends with the word "ready". */
export function welcome(running: Running): string {
  const { settings, credentials, apiUrl, dataDir } = running;
  const lines = [
    '',
    `Flotilla runs at    ${apiUrl}   (API document: ${apiUrl}/docs)`,
    `  admin             ${settings.ADMIN_USERNAME}`,
    `  password          ${credentials.adminPassword}`,
    `  API key           ${credentials.adminApiKey}`,
    ...(running.demoBot ? [`  demo bot          ${running.demoBot.token}   (says back what it is told)`] : []),
    `  kept in           ${dataDir} (logs in ${join(dataDir, 'logs')})`,
    '',
    ...(running.demoBot && running.simulatorUrl ? tryIt(running, running.demoBot) : addOne(running)),
    '',
    ...pointABot(running),
    '',
    'ready',
    '',
  ];
  return lines.join('\n');
}

function tryIt({ apiUrl, simulatorUrl, settings, credentials }: Running, bot: DemoBot): string[] {
  const said = JSON.stringify({ person: ADA.id, bot: bot.telegramId, text: 'Hello' });
  return [
    `Try it: write to the demo bot as ${ADA.firstName}, read what was said, and speak as the bot through the proxy:`,
    `  curl -s ${simulatorUrl}/control/sendMessage -H 'Content-Type: application/json' -d '${said}'`,
    `  curl -s '${apiUrl}/api/messages?bot_id=${bot.id}&chat_id=${ADA.id}' -H 'Authorization: Bearer ${credentials.adminApiKey}'`,
    `  curl -s ${apiUrl}${settings.PROXY_PREFIX}/bot${bot.token}/sendMessage -d chat_id=${ADA.id} -d text=Hi`,
  ];
}

function addOne({ apiUrl, credentials, settings }: Running): string[] {
  const auth = `-H 'Authorization: Bearer ${credentials.adminApiKey}'`;
  return [
    `The platform is ${settings.TELEGRAM_API_URL}. Try it: register a bot, list the bots, see one's messages:`,
    `  curl -s ${apiUrl}/api/bots/add ${auth} -d token=YOUR_BOT_TOKEN -d long_poll_enabled=1`,
    `  curl -s ${apiUrl}/api/bots ${auth}`,
    `  curl -s '${apiUrl}/api/chats?bot_id=1' ${auth}`,
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
