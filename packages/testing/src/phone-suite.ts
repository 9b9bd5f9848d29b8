import { freePort } from '@flotilla/embedded/free-port.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { BROWSER_START_MS, type Browser, type BrowserContextOptions, startBrowser } from './browser.ts';
import { ADA, type OpenPhone, openPhone, TEST_MS } from './open-phone.ts';

type Served = { url: string; stop(): Promise<void> };
type Serve = (options: {
  port: number;
  simulatorUrl: string;
  consoleUrl: string;
  person: typeof ADA;
  bot: number;
}) => Promise<Served>;

type Sent = { message_id: number };
type Update = {
  callback_query?: { id: string; data: string };
  widget_query?: { id: string };
  pre_checkout_query?: { id: string };
  message?: { text?: string; contact?: object; audio?: { duration: number }; media_group_id?: string };
};

type PhoneSuite = {
  readonly control: ControlClient;
  readonly phone: Served;
  readonly bot: { id: number; token: string };
  /** Opens the page in a browser context of its own, closed after the test. */
  open(query?: string, options?: BrowserContextOptions): Promise<OpenPhone>;
  /** Calls a method as the bot. */
  asBot(method: string, params: object | FormData): Promise<Sent>;
  updatesOfBot(): Promise<Update[]>;
};

/** One browser, a simulated platform with a bot that Ada has started, and her phone, for all tests of a file. */
export function phoneSuite(servePhone: Serve): PhoneSuite {
  const opened: OpenPhone[] = [];
  const started = {} as {
    browser: Browser;
    simulator: RunningSimulator;
    control: ControlClient;
    bot: { id: number; token: string };
    phone: Served;
  };

  beforeAll(async () => {
    started.browser = await startBrowser();
  }, BROWSER_START_MS);
  beforeAll(async () => {
    started.simulator = await startSimulator();
    const { url: simulatorUrl } = started.simulator;
    started.control = controlClient(simulatorUrl);
    started.bot = await started.control.createBot({ name: 'Demo', username: 'demo_bot' });
    await started.control.createPerson(ADA);
    await started.control.startBot({ person: ADA.id, bot: started.bot.id, quietly: true });
    const where = { port: await freePort(), simulatorUrl, consoleUrl: 'http://127.0.0.1:1/console/' };
    started.phone = await servePhone({ ...where, person: ADA, bot: started.bot.id });
  }, TEST_MS);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ context }) => context.close()));
  });
  afterAll(async () => {
    await started.browser?.close();
    await started.phone?.stop();
    await started.simulator?.stop();
  });

  return {
    get control() {
      return started.control;
    },
    get phone() {
      return started.phone;
    },
    get bot() {
      return started.bot;
    },
    async open(query, options) {
      const one = await openPhone(started.browser, started.phone.url, query, options);
      opened.push(one);
      return one;
    },
    async asBot(method, params) {
      const isForm = params instanceof FormData;
      const headers: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' };
      const body = isForm ? params : JSON.stringify(params);
      const address = `${started.simulator.url}/bot${started.bot.token}/${method}`;
      const answer = await fetch(address, { method: 'POST', headers, body });
      const { ok, result, description } = (await answer.json()) as { ok: boolean; result: Sent; description: string };
      if (!ok) throw new Error(`${method}: ${description}`);
      return result;
    },
    async updatesOfBot() {
      const { updates } = await started.control.pendingUpdates({ bot: started.bot.id, limit: 1_000 });
      return updates.map((update) => JSON.parse(update));
    },
  };
}
