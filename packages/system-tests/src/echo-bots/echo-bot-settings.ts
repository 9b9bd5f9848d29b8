/** How an echo bot is run; the one argument of each program, as JSON. */
export type EchoBotSettings = {
  /** Without a trailing slash. */
  apiRoot: string;
  token: string;
  mode: 'pull' | 'webhook';
  /** Webhook mode: the port to listen on, and the secret to ask for and insist on. */
  port: number;
  secret: string;
};

/** The settings of the program that runs. */
export function readEchoBotSettings(): EchoBotSettings {
  const given = JSON.parse(process.argv[2] ?? '{}') as Partial<EchoBotSettings>;
  const { apiRoot, token } = given;
  if (apiRoot === undefined || token === undefined) throw new Error('apiRoot and token are needed');
  return { mode: 'pull', port: 0, secret: '', ...given, apiRoot, token };
}

export function webhookUrl(settings: EchoBotSettings): string {
  return `http://127.0.0.1:${settings.port}/hook`;
}

/** Tells whoever started the bot that it runs. */
export function sayReady(): void {
  process.stdout.write('ready\n');
}

export async function download(settings: EchoBotSettings, filePath: string | undefined): Promise<Buffer> {
  const response = await fetch(`${settings.apiRoot}/file/bot${settings.token}/${filePath}`);
  if (!response.ok) throw new Error(`the download was answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** For libraries that handle updates side by side: runs what belongs to one chat in the order it came. */
export function chatOrder(): (chatId: unknown, action: () => Promise<unknown>) => Promise<unknown> {
  const last = new Map<unknown, Promise<unknown>>();
  return (chatId, action) => {
    const run = (last.get(chatId) ?? Promise.resolve()).then(action).catch((error: unknown) => {
      process.stderr.write(`echo bot: ${String(error)}\n`);
    });
    last.set(chatId, run);
    return run;
  };
}

export const BUTTON = { inline_keyboard: [[{ text: 'press me', callback_data: 'press' }]] };
