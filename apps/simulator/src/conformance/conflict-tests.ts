import { expect } from '@jest/globals';
import { CONFLICTS } from '../updates/refuse-conflict.ts';
import { type Check, type ConformanceTarget, callApi, inject, message, untilWaiting } from './conformance-target.ts';

const PROMPT_MS = 2_000;

/** Tests of the platform's 409 responses. */
export function conflictTests(target: () => ConformanceTarget, check: Check): void {
  const start = async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const call = (params: object) => callApi(target(), bot, 'getUpdates', { ...params });
    return { bot, call };
  };

  check('a poll that must wait ends the one that waits', async () => {
    const { bot, call } = await start();
    const older = call({ timeout: 30 });
    await untilWaiting();
    const newer = call({ timeout: 30 });
    const { status, body, tookMs } = await older;
    expect({ status, body }).toEqual({
      status: 409,
      body: { ok: false, error_code: 409, description: CONFLICTS.otherGetUpdates },
    });
    expect(tookMs).toBeLessThan(PROMPT_MS);
    await inject(target(), bot, [message('for the newer')]);
    expect((await newer).body.result).toMatchObject([{ update_id: 101 }]);
  });

  check('a poll that need not wait leaves the waiting one alone', async () => {
    const { bot, call } = await start();
    const waiting = call({ offset: 0, timeout: 20 });
    await untilWaiting();
    expect((await call({ offset: 1, timeout: 0 })).body).toEqual({ ok: true, result: [] });
    await inject(target(), bot, [message('still there')]);
    expect((await waiting).body.result).toMatchObject([{ update_id: 101 }]);
  });

  check('a second 409 within 3 s comes 3 s late', async () => {
    const { bot, call } = await start();
    const first = call({ timeout: 30 });
    await untilWaiting();
    const second = call({ timeout: 30 });
    expect((await first).status).toBe(409);
    const third = call({ timeout: 30 });
    const secondAnswer = await second;
    expect(secondAnswer.status).toBe(409);
    expect(secondAnswer.tookMs).toBeGreaterThan(2_900);
    await inject(target(), bot, [message('end')]);
    expect((await third).status).toBe(200);
  });

  check('while a webhook is set getUpdates is refused', async () => {
    const { bot, call } = await start();
    const set = await callApi(target(), bot, 'setWebhook', { url: 'http://127.0.0.1:9/none' });
    expect(set.body.ok).toBe(true);
    const { status, body } = await call({});
    expect({ status, description: body.description }).toEqual({ status: 409, description: CONFLICTS.webhookActive });
  });
}
