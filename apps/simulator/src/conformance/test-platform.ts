import { rm } from 'node:fs/promises';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { expect } from '@jest/globals';
import { type ControlClient, controlClient } from '../control-client.ts';
import { startSimulator } from '../start.ts';
import { everythingKept } from '../storage/everything-kept.ts';
import { type ApiAnswer, callApi, type TestBot } from './conformance-target.ts';

export type TestPlatform = {
  url: string;
  control: ControlClient;
  /** Calls a method and returns its result; the call must succeed. */
  ok<T = Record<string, unknown>>(bot: TestBot, method: string, params?: object): Promise<T>;
  /** Calls a method and returns the description of its error. */
  refused(bot: TestBot, method: string, params?: object): Promise<string | undefined>;
  /** Removes all pending updates and returns them as `[kind, payload]`. */
  take(bot: TestBot): Promise<[string, Record<string, unknown>][]>;
  stop(): Promise<void>;
};

/** A simulator with shorthands for tests of its methods. `stop` checks that a restart restores every change. */
export async function startTestPlatform(): Promise<TestPlatform> {
  const dataDir = await throwAwayDir();
  const simulator = await startSimulator({ dataDir });
  const control = controlClient(simulator.url);
  const target = { baseUrl: simulator.url, control, botFactory: (options: object) => control.createBot(options) };
  const call = (bot: TestBot, method: string, params: object = {}): Promise<ApiAnswer> =>
    callApi(target, bot, method, { ...params });
  return {
    url: simulator.url,
    control,
    async ok<T>(bot: TestBot, method: string, params?: object) {
      const { body } = await call(bot, method, params);
      if (!body.ok) throw new Error(`${method}: ${body.description}`);
      return body.result as T;
    },
    async refused(bot, method, params) {
      const { status, body } = await call(bot, method, params);
      if (body.error_code !== status) throw new Error(`${method}: status ${status}, error_code ${body.error_code}`);
      return body.description;
    },
    async take(bot) {
      const { updates } = await control.pendingUpdates({ bot: bot.id, limit: 1000 });
      const shown = updates.map((text) => JSON.parse(text) as Record<string, unknown>);
      const last = shown.at(-1)?.update_id;
      if (last !== undefined) await call(bot, 'getUpdates', { offset: Number(last) + 1, timeout: 0 });
      return shown.map((update) => Object.entries(update)[1] as [string, Record<string, unknown>]);
    },
    async stop() {
      await simulator.stop();
      const next = await startSimulator({ dataDir });
      const [before, after] = [everythingKept(simulator.state), everythingKept(next.state)];
      await next.stop();
      await rm(dataDir, { recursive: true });
      expect(after).toEqual(before);
    },
  };
}
