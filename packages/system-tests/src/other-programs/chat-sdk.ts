import { createServer } from 'node:http';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { Actions, type Adapter, Button, Card, Chat } from 'chat';
import { FILE, readEchoBotSettings, sayReady, webhookUrl } from '../echo-bots/echo-bot-settings.ts';

const settings = readEchoBotSettings();
const telegram = createTelegramAdapter({
  botToken: settings.token,
  apiUrl: settings.apiRoot,
  mode: settings.mode === 'pull' ? 'polling' : 'webhook',
  ...(settings.secret === '' ? {} : { secretToken: settings.secret }),
});
const bot = new Chat({
  userName: 'echo',
  adapters: { telegram: telegram as Adapter },
  state: createMemoryState(),
  logger: 'error',
});

const report = (error: unknown) => process.stderr.write(`chat: ${String(error)}\n`);

async function* words(text: string): AsyncIterable<string> {
  for (const word of text.split(/(?<= )/)) yield word;
}

bot.onDirectMessage(async (thread, message) => {
  const [attachment] = message.attachments;
  if (attachment?.fetchData !== undefined) {
    const file = { filename: attachment.name ?? 'file', data: await attachment.fetchData() };
    await thread.post({ markdown: '', files: [file] });
  } else if (message.text.startsWith('stream ')) await thread.post(words(message.text.slice('stream '.length)));
  else await thread.post(message.text);
});
bot.onSlashCommand('/button', async ({ channel }) => {
  await channel.post(Card({ title: 'a button', children: [Actions([Button({ id: 'press', label: 'press me' })])] }));
});
bot.onSlashCommand('/file', async ({ channel }) => {
  await channel.post({ markdown: '', files: [{ filename: FILE.name, data: FILE.bytes }] });
});
bot.onMessageUpdated(async (thread, message) => {
  await thread.post(`edited: ${message.text}`);
});
bot.onAction('press', async ({ adapter, threadId, messageId }) => {
  await adapter.editMessage(threadId, messageId, 'pressed');
});

await bot.initialize();
if (settings.mode === 'pull') sayReady();
else {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      const init = { method: 'POST', headers, body: Buffer.concat(chunks) };
      bot.webhooks.telegram!(new Request(webhookUrl(settings), init), { waitUntil: (task) => void task.catch(report) })
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        .catch((error) => response.writeHead(500).end(String(error)));
    });
  });
  server.listen(settings.port, '127.0.0.1', async () => {
    // Its guide sets the webhook by hand as well.
    const set = new URLSearchParams({ url: webhookUrl(settings), secret_token: settings.secret });
    await fetch(`${settings.apiRoot}/bot${settings.token}/setWebhook?${set}`);
    sayReady();
  });
}
