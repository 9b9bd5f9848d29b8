import { readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { type DemoBotSettings, SETTINGS } from './config.ts';
import { startEchoProgram } from './echo-program.ts';
import { linesToTry } from './lines-to-try.ts';
import { ADA, type DemoBot, registerDemoBot } from './register-demo-bot.ts';
import { registerDesks } from './register-desks.ts';

runMain('demo bot', async () => startDemoBot(readSettings(SETTINGS)), { plain: true });

/** Starts the demo bot and its program beside a Flotilla and a simulator that already run, and prints what to try. */
async function startDemoBot(settings: DemoBotSettings): Promise<{ stop(): Promise<void> }> {
  const bot = { token: settings.DEMO_BOT_TOKEN, secret: settings.DEMO_BOT_SECRET };
  const apiRoot = `${settings.API_URL}${settings.PROXY_PREFIX}`;
  const echo = await startEchoProgram({ ...bot, apiRoot }, { host: settings.HOST, port: settings.PORT });
  try {
    const options = {
      ...bot,
      simulatorUrl: settings.SIMULATOR_URL,
      apiUrl: settings.API_URL,
      apiKey: settings.ADMIN_API_KEY,
      backend_url: settings.BACKEND_URL,
    };
    const registered = await registerDemoBot(options);
    await registerDesks(options, registered);
    process.stdout.write(whatToTry(settings, registered));
  } catch (error) {
    await echo.stop();
    throw error;
  }
  return { stop: echo.stop };
}

function whatToTry(settings: DemoBotSettings, bot: DemoBot): string {
  const { SHOWN_API_URL: apiUrl, SHOWN_SIMULATOR_URL: simulatorUrl } = settings;
  const { PROXY_PREFIX: proxyPrefix, ADMIN_API_KEY: apiKey } = settings;
  const reached = { apiUrl, simulatorUrl, proxyPrefix, apiKey };
  const explanation = `Write to it as ${ADA.firstName}, read what was said, and speak as the bot through the proxy:`;
  return [`The demo bot runs. ${explanation}`, ...linesToTry(reached, bot), ''].join('\n');
}
