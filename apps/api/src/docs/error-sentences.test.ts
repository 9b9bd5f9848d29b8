import type { ErrorCode } from '@flotilla/contract/errors.ts';
import { resultOf } from '@flotilla/domain/fleet/bots/validate-token.ts';
import { quarantined } from '@flotilla/domain/fleet/installation/quarantine.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { expect, test } from '@jest/globals';
import { classifyError } from '../http/classify-error.ts';
import { ERROR_NOTES } from './describe-responses.ts';

const api = testApi();
const NO_SUCH_CHAT = -1_009_999_999_999;

/** Provokes each documented error, so that its example is a sentence that the api really sends. */
const PROVOKED: Record<ErrorCode, () => Promise<string>> = {
  bad_request: () => sentence(api.admin('GET', '/api/messages', { query: { chat_id: 1 } })),
  unauthorized: () => sentence(restClient(api.url)('GET', '/api/bots')),
  second_factor_needed: async () => {
    const { id, username, password } = await insertAccount(api.database.db, { username: 'with-an-app' });
    const factor = { account_id: id, totp_sealed: 'sealed', confirmed_at: new Date() };
    await api.database.db.insertInto('second_factors').values(factor).execute();
    return sentence(restClient(api.url)('POST', '/api/auth/login', { body: { username, password } }));
  },
  forbidden: async () => {
    const { key } = await insertAccount(api.database.db, { username: 'somebody' });
    return sentence(restClient(api.url, key)('GET', '/api/chats', { query: { bot_id: 1 } }));
  },
  not_found: () => sentence(api.admin('GET', '/api/chats', { query: { bot_id: 999 } })),
  method_not_allowed: () => sentence(api.admin('PUT', '/api/bots')),
  conflict: async () => {
    const { id, token } = await api.addBot();
    const said = await sentence(api.admin('POST', '/api/bots/add', { body: { token } }));
    return said.replace(String(id), '7');
  },
  ambiguous_conversation: async () => {
    const { id } = await api.addBot();
    const message = { chat_id: 777, user_id: 777, date: 1_000, text: 'Hi' };
    await storeMessages(api.database.db, id, [
      { ...message, id: 1 },
      { ...message, id: 2, business_connection_id: 'connection-1' },
    ]);
    return sentence(api.admin('POST', '/api/messages/send', { body: { bot_id: id, chat_id: 777, text: 'Hello' } }));
  },
  idempotency_mismatch: async () => {
    const { id } = await api.addBot();
    const send = (text: string) =>
      api.admin('POST', '/api/messages/send', {
        body: { bot_id: id, chat_id: NO_SUCH_CHAT, text },
        headers: { 'idempotency-key': 'a' },
      });
    await send('hello');
    return sentence(send('goodbye'));
  },
  precondition_failed: async () => {
    const { id } = await api.addBot();
    const headers = { 'if-match': '"an-older.answer"' };
    return sentence(api.admin('POST', '/api/bots/update', { body: { id, name: 'x' }, headers }));
  },
  payload_too_large: () => sentence(api.admin('POST', '/api/bots/delete', { body: { id: 'x'.repeat(2 ** 20) } })),
  unsupported_media_type: () =>
    sentence(api.admin('POST', '/api/bots/delete', { body: 'x', headers: { 'content-type': 'text/plain' } })),
  too_many_requests: () =>
    sentence(
      refusedSend({ kind: 'status', status: 429, retryAfterS: 5, description: 'Too Many Requests: retry after 5' }),
    ),
  token_refused: () => sentence(refusedSend({ kind: 'status', status: 401, description: 'Unauthorized' })),
  platform_refused: () => sentence(refusedSend(null)),
  platform_failed: () =>
    thrown(() => resultOf({ outcome: 'unreachable', reason: 'ECONNREFUSED', timedOut: false, neverSent: true })),
  platform_timeout: () => thrown(() => resultOf({ outcome: 'unreachable', reason: 'ETIMEDOUT', timedOut: true })),
  unavailable: async () => classifyError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })).message,
  quarantined: async () => quarantined().message,
  internal: async () => classifyError(new Error('anything')).message,
};

async function sentence(answering: Promise<RestAnswer>): Promise<string> {
  return ((await answering).json as { error: string }).error;
}

async function thrown(act: () => unknown): Promise<string> {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('Nothing was thrown');
}

async function refusedSend(effect: Parameters<typeof api.platform.setFault>[0]['effect'] | null): Promise<RestAnswer> {
  const bot = await api.addBot();
  if (effect !== null) await api.platform.setFault({ bot: Number(bot.token.split(':')[0]), count: 1, effect });
  return api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: NO_SUCH_CHAT, text: 'hello' } });
}

test.each(Object.entries(PROVOKED))(
  'the example of %s in the document is what the service says',
  async (code, provoke) => {
    expect(await provoke()).toBe(ERROR_NOTES[code as ErrorCode].sentence);
  },
);
