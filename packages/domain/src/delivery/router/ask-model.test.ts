import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { choose, type ModelServer, sendCompletion, startModelServer } from '@flotilla/testing/model-server.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Model, type ModelConfig, openModel } from './ask-model.ts';
import type { Candidate } from './candidate.ts';

const SHOP: Candidate = { id: 7, name: 'Shop', description: 'Orders and parcels' };
const DESK: Candidate = { id: 9, name: 'Desk', description: 'Invoices' };
const KEY = 'sk-a-key-that-no-log-shows';

let server: ModelServer;
const models: Model[] = [];

beforeAll(async () => {
  server = await startModelServer((question) => choose(question, 'Shop'));
});
beforeEach(() => {
  server.questions.length = 0;
  server.answer = (question) => choose(question, 'Shop');
});
afterAll(async () => {
  await Promise.all(models.map((model) => model.close()));
  await server.stop();
});

function model(changes: Partial<ModelConfig> = {}): Model {
  const config = {
    url: server.url,
    key: KEY,
    name: 'small',
    timeoutMs: 5_000,
    allowedCidrs: ['127.0.0.0/8'],
    ...changes,
  };
  const opened = openModel(config, allowOnly([]), 10);
  models.push(opened);
  return opened;
}

const ask = (text = 'Where is my parcel?', changes: Partial<ModelConfig> = {}, instruction = '') =>
  model(changes).ask({ text, instruction }, [SHOP, DESK], new AbortController().signal);
const failure = async (changes: Partial<ModelConfig> = {}) => {
  const verdict = await ask(undefined, changes);
  expect(verdict).toMatchObject({ outcome: 'failed', by: 'model' });
  return (verdict as { reason: string }).reason;
};

test('gets the names and descriptions, the instruction, and the masked text', async () => {
  const verdict = await ask('My card 4111 1111 1111 1111, mail ada@example.com', {}, 'Prefer the shop.');
  expect(verdict).toEqual({ outcome: 'chosen', by: 'model', targetBotId: 7, reason: 'it fits', tokens: 120 });
  const [question] = server.questions;
  expect(question?.message).toBe('My card [number], mail [address]');
  expect(question?.task).toContain('Prefer the shop.');
  expect(question?.bots).toEqual([
    { key: 'bot1', name: 'Shop', description: 'Orders and parcels' },
    { key: 'bot2', name: 'Desk', description: 'Invoices' },
  ]);
  expect(question?.asked).toMatchObject({ model: 'small', response_format: { type: 'json_schema' } });
  expect(server.requests.at(-1)).toMatchObject({
    url: '/v1/chat/completions',
    headers: { authorization: `Bearer ${KEY}` },
  });
  expect(JSON.stringify(question)).not.toMatch(/4111|example\.com|"7"|:7\b/);
});

test('may find that none fits', async () => {
  server.answer = () => JSON.stringify({ bot: 'none', reason: 'a greeting' });
  expect(await ask()).toEqual({ outcome: 'none', by: 'model', reason: 'a greeting', tokens: 120 });
});

test('has a reason of one line, and of at most 500 characters', async () => {
  server.answer = (question) => choose(question, 'Desk', `line\n${'long '.repeat(2_000)}`);
  const verdict = await ask();
  expect(verdict).toMatchObject({ outcome: 'chosen', targetBotId: 9 });
  const { reason } = verdict as { reason: string };
  expect(reason).toMatch(/^line long long .*…$/);
  expect(reason.length).toBeLessThanOrEqual(500);
});

test.each([
  ['a bot that is not on the list', () => JSON.stringify({ bot: 'bot3', reason: 'x' }), 'names no bot of the list'],
  ['a bot by its id', () => JSON.stringify({ bot: 7, reason: 'x' }), 'not the form'],
  ['no JSON', () => 'I choose Shop!', 'not the form'],
  ['JSON of another form', () => '{"choice":"bot1"}', 'not the form'],
  ['more than was asked for', () => '{"bot":"bot1","reason":"x","send":"tokens"}', 'not the form'],
  ['an answer of 100 KB', () => JSON.stringify({ bot: 'bot1', reason: 'x'.repeat(100_000) }), 'longer than 64 KB'],
])('chooses none with %s', async (_what, answer, reason) => {
  server.answer = answer;
  expect(await failure()).toContain(reason);
});

test('chooses none when the model refuses', async () => {
  server.answer = (_question, response) => {
    sendCompletion(response, { content: null, refusal: 'I cannot' });
    return null;
  };
  expect(await failure()).toBe('the model refused: I cannot');
});

test.each([429, 500, 401, 400])('chooses none after %i, asks once, and shows nothing of the answer', async (status) => {
  server.answer = (_question, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify({ error: { message: `wrong key ${KEY}` } }));
    return null;
  };
  expect(await failure()).toBe(`the model answered ${status}`);
  expect(server.questions).toHaveLength(1);
});

test('chooses none when the answer is cut, is no completion, or leads elsewhere', async () => {
  server.answer = (_question, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"choices":[');
    response.destroy();
    return null;
  };
  expect(await failure()).toMatch(/no answer/);
  server.answer = (_question, response) => {
    response.end('<html>not me</html>');
    return null;
  };
  expect(await failure()).toBe('the answer is not that of a chat completion');
  server.answer = (_question, response) => {
    response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end();
    return null;
  };
  expect(await failure()).toBe('the model answered 307');
  expect(server.questions).toHaveLength(3);
});

test('chooses none when the answer takes too long, and ends when it is aborted', async () => {
  server.answer = () => new Promise(() => {});
  expect(await failure({ timeoutMs: 100 })).toBe('the model did not answer within 100 ms');
  const abort = new AbortController();
  const asked = model().ask({ text: 'hi there', instruction: '' }, [SHOP], abort.signal);
  while (server.questions.length < 2) await new Promise(setImmediate);
  abort.abort();
  expect(await asked).toEqual({ outcome: 'aborted' });
});

test('chooses none when the answer trickles, and is told nothing of this machine', async () => {
  server.answer = (_question, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 10);
    response.once('close', () => clearInterval(timer));
    return null;
  };
  expect(await failure({ timeoutMs: 300 })).toBe('the model did not answer within 300 ms');
  expect(JSON.stringify(server.requests.at(-1))).toContain(KEY);
  expect(JSON.stringify(server.requests.at(-1))).not.toMatch(/x-stainless|linux|node/i);
});

test('reaches no address that is not allowed', async () => {
  expect(await failure({ allowedCidrs: [] })).toContain('LLM_ALLOWED_CIDRS can allow its range');
  expect(await failure({ url: 'http://169.254.169.254/v1' })).toContain('never allowed');
  expect(server.questions).toHaveLength(0);
});
