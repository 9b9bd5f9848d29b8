import { describe, expect, test } from '@jest/globals';
import {
  botWithQueue,
  type ConformanceTarget,
  callApi,
  idsOf,
  request,
  type ShownUpdate,
} from './conformance-target.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Tests of how the platform parses requests and words its errors. */
export function botApiHttpConformance(target: () => ConformanceTarget): void {
  const fresh = async (count: number) => {
    const bot = await botWithQueue(target(), 101, count);
    return { bot, root: `${target().baseUrl}/bot${bot.token}` };
  };
  const ids = (answer: { body: { result?: unknown } }) => idsOf(answer.body.result as ShownUpdate[]);
  const json = (body: string): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

  describe('Bot API requests as the platform reads them', () => {
    test('method names are read in any case', async () => {
      const { root } = await fresh(1);
      expect(ids(await request(`${root}/GETUPDATES`))).toEqual([101]);
    });

    test('GET, urlencoded, multipart and JSON mean the same', async () => {
      const form = new FormData();
      form.set('offset', '102');
      form.set('limit', '2');
      const ways: [string, RequestInit][] = [
        ['?offset=102&limit=2', {}],
        ['', { method: 'POST', headers: { 'content-type': FORM }, body: 'offset=102&limit=2' }],
        ['', { method: 'POST', body: form }],
        ['', json('{"offset":102,"limit":2}')],
      ];
      for (const [query, init] of ways) {
        const { root } = await fresh(4);
        expect(ids(await request(`${root}/getUpdates${query}`, init))).toEqual([102, 103]);
      }
    });

    test('the query wins over the body', async () => {
      const { root } = await fresh(4);
      expect(ids(await request(`${root}/getUpdates?limit=1`, json('{"limit":5}')))).toEqual([101]);
    });

    test('numbers may be strings', async () => {
      for (const body of ['{"limit":"2"}', '{"limit":2}']) {
        const { root } = await fresh(4);
        expect(ids(await request(`${root}/getUpdates`, json(body)))).toEqual([101, 102]);
      }
    });

    test('broken JSON leaves the defaults', async () => {
      for (const body of ['{"limit"', 'null', '{', '"text"', '[1]', '{"offset":tru']) {
        const { root } = await fresh(2);
        expect(ids(await request(`${root}/getUpdates`, json(body)))).toEqual([101, 102]);
      }
    });

    test('PUT is answered 501 without a body', async () => {
      const { root } = await fresh(0);
      expect(await request(`${root}/getMe`, { method: 'PUT' })).toMatchObject({ status: 501, text: '' });
    });

    test('a path that ends with the token is not found', async () => {
      const { root } = await fresh(0);
      const { status, body } = await request(root);
      expect({ status, body }).toEqual({ status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } });
    });

    test('an unknown method is named so', async () => {
      const { root } = await fresh(0);
      expect((await request(`${root}/makeCoffee`)).body.description).toBe('Not Found: method not found');
    });

    test('a token without a colon is invalid', async () => {
      const answer = await request(`${target().baseUrl}/bot12345/makeCoffee`);
      expect(answer).toMatchObject({
        status: 401,
        body: { ok: false, error_code: 401, description: 'Unauthorized: invalid token specified' },
      });
    });

    test('the HTTP status is the error code, and 429 names its wait twice', async () => {
      const { bot, root } = await fresh(0);
      await callApi(target(), bot, 'setWebhook', { url: 'http://127.0.0.1:9/a' });
      const refusals = await Promise.all([
        callApi(target(), bot, 'setWebhook', { url: 'http://127.0.0.1:9/b' }),
        callApi(target(), bot, 'getUpdates'),
        callApi(target(), bot, 'sendMessage', { chat_id: 1, text: 'x' }),
        request(`${root}x/getMe`),
      ]);
      expect(refusals.map(({ status }) => status)).toEqual([429, 409, 400, 401]);
      expect(refusals.map(({ body }) => body.error_code)).toEqual([429, 409, 400, 401]);
      expect(refusals[0]!.body.parameters?.retry_after).toBe(Number(refusals[0]!.headers.get('retry-after')));
    });

    test('more than 1 MiB of parameters is too much', async () => {
      const { root } = await fresh(0);
      const { status } = await request(`${root}/sendMessage`, json(`{"text":"${'x'.repeat(1024 * 1024)}"}`));
      expect(status).toBe(413);
    });
  });
}
