import { describe, expect, test } from '@jest/globals';
import { createMetrics } from './metrics.ts';
import { type Readiness, startProbeServer } from './probe-server.ts';

async function withProbes(
  state: { live?: boolean; ready?: () => Promise<Readiness>; token?: string },
  check: (url: string) => Promise<void>,
): Promise<void> {
  const metrics = createMetrics();
  metrics.counter({ name: 'flotilla_tests_total', help: 'Tests', labelNames: ['kind'] }).inc({ kind: 'probe' }, 3);
  const server = await startProbeServer({
    port: 0,
    host: '127.0.0.1',
    token: state.token ?? null,
    metrics,
    live: () => state.live ?? true,
    ready: state.ready ?? (async () => ({ ready: true, reasons: [] })),
  });
  try {
    await check(`http://127.0.0.1:${server.port}`);
  } finally {
    await server.stop();
  }
}

describe('The probe server', () => {
  test('serves liveness, readiness and the metrics of its own process only', async () => {
    await withProbes({}, async (url) => {
      expect((await fetch(`${url}/livez`)).status).toBe(200);
      expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ready: true, reasons: [] });
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('flotilla_tests_total{kind="probe"} 3');
      expect((await fetch(`${url}/other`)).status).toBe(404);
      expect((await fetch(`${url}/livez`, { method: 'POST' })).status).toBe(405);
    });
  });

  test('answers 503 with the reasons while not ready, and when the check itself fails', async () => {
    const ready = async () => ({ ready: false, reasons: ['Redis cannot be reached'] });
    await withProbes({ live: false, ready }, async (url) => {
      expect((await fetch(`${url}/livez`)).status).toBe(503);
      const response = await fetch(`${url}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual(await ready());
    });
    await withProbes({ ready: () => Promise.reject(new Error('password=x')) }, async (url) => {
      const response = await fetch(`${url}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.text()).not.toContain('password');
    });
  });

  test('shows the metrics only to who sends the token, and the probes to everybody', async () => {
    const token = 'a-token-of-the-scraper-0123';
    await withProbes({ token }, async (url) => {
      for (const authorization of [undefined, '', token, 'Bearer', `Bearer ${token}x`, `Basic ${token}`]) {
        const answer = await fetch(`${url}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
        expect([authorization, answer.status]).toEqual([authorization, 401]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(await answer.text()).not.toContain('flotilla_');
      }
      for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) {
        expect((await fetch(`${url}/metrics`, { headers: { authorization } })).status).toBe(200);
      }
      for (const probe of ['livez', 'readyz']) expect((await fetch(`${url}/${probe}`)).status).toBe(200);
    });
  });

  test('fails to start on a port that is taken', async () => {
    await withProbes({}, async (url) => {
      const port = Number(new URL(url).port);
      const second = { port, host: '127.0.0.1', token: null, metrics: createMetrics(), live: () => true };
      await expect(
        startProbeServer({ ...second, ready: async () => ({ ready: true, reasons: [] }) }),
      ).rejects.toMatchObject({ code: 'EADDRINUSE' });
    });
  });
});
