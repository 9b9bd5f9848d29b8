/** A program that answers in the topic in which it was asked. Run with its settings as JSON: { apiRoot, token }. */
const { apiRoot, token } = JSON.parse(process.argv[2] ?? '{}') as { apiRoot: string; token: string };

type Message = { message_id: number; chat: { id: number }; text?: string; message_thread_id?: number };
type Update = { update_id: number; message?: Message };
type Answer<Result> = { ok: boolean; result: Result; description?: string };

const RETRY_MS = 200;

async function call<Result>(method: string, params: object): Promise<Answer<Result> | null> {
  try {
    const response = await fetch(`${apiRoot}/bot${token}/${method}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(params),
    });
    return (await response.json()) as Answer<Result>;
  } catch {
    return null;
  }
}

async function answer({ message_id, chat, text, message_thread_id }: Message): Promise<void> {
  const there = { chat_id: chat.id, message_thread_id };
  const sent = await call<Message>('sendMessage', {
    ...{ ...there, text: `… ${text}`, reply_parameters: { message_id } },
  });
  if (!sent?.ok) return;
  // The answer grows, as from a model.
  await call('editMessageText', { chat_id: chat.id, message_id: sent.result.message_id, text: `re: ${text}` });
}

process.stdout.write('ready\n');
for (let offset = 0; ; ) {
  const updates = await call<Update[]>('getUpdates', { offset, timeout: 20, limit: 1 });
  if (!updates?.ok) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  for (const { update_id, message } of updates?.ok ? updates.result : []) {
    if (message?.text !== undefined) await answer(message);
    offset = update_id + 1;
  }
}
