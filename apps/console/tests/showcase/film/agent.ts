/**
 * An agent of the film: it answers each message once, also if it is killed between its answer and the next poll, because the
 * key of the call is that of the update. Run with its settings as JSON: { apiRoot, token }.
 */
const { apiRoot, token } = JSON.parse(process.argv[2] ?? '{}') as { apiRoot: string; token: string };

type Message = { message_id: number; chat: { id: number }; text?: string; message_thread_id?: number };
type Update = { update_id: number; message?: Message };

const THOUGHT_MS = 150;

async function call<Result>(method: string, params: object, key?: string): Promise<Result> {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const answer = await fetch(`${apiRoot}/bot${token}/${method}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(params),
  });
  const { ok, result, description } = (await answer.json()) as { ok: boolean; result: Result; description?: string };
  if (!ok) throw new Error(`${method}: ${description}`);
  return result;
}

for (let offset = 0; ; ) {
  const updates = await call<Update[]>('getUpdates', { offset, timeout: 20, limit: 1 });
  for (const { update_id, message } of updates) {
    if (message?.text !== undefined) {
      await new Promise((done) => setTimeout(done, THOUGHT_MS));
      const there = { chat_id: message.chat.id, message_thread_id: message.message_thread_id };
      await call('sendMessage', { ...there, text: `re: ${message.text}` }, `update-${update_id}`);
    }
    offset = update_id + 1;
  }
}
