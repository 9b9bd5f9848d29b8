/** The settings of an echo bot; each program gets them as one JSON argument. */
export type EchoBotSettings = {
  /** Without a trailing slash. */
  apiRoot: string;
  token: string;
  mode: 'pull' | 'webhook';
  /** In webhook mode: the port to listen on, and the secret to register and to check. */
  port: number;
  secret: string;
};

/** Reads the settings of the running program. */
export function readEchoBotSettings(): EchoBotSettings {
  const given = JSON.parse(process.argv[2] ?? '{}') as Partial<EchoBotSettings>;
  const { apiRoot, token } = given;
  if (apiRoot === undefined || token === undefined) throw new Error('apiRoot and token are needed');
  return { mode: 'pull', port: 0, secret: '', ...given, apiRoot, token };
}

export function webhookUrl(settings: EchoBotSettings): string {
  return `http://127.0.0.1:${settings.port}/hook`;
}

/** Tells the parent process that the bot runs. */
export function sayReady(): void {
  process.stdout.write('ready\n');
}

export async function download(settings: EchoBotSettings, filePath: string | undefined): Promise<Buffer> {
  const response = await fetch(`${settings.apiRoot}/file/bot${settings.token}/${filePath}`);
  if (!response.ok) throw new Error(`the download was answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** For libraries that handle updates in parallel: runs the actions of one chat in the order of the calls. */
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

/** The file that a bot sends for /file. */
export const FILE = { name: 'a report.bin', bytes: Buffer.alloc(40_000, 'flotilla') };

export const BUTTON = { inline_keyboard: [[{ text: 'press me', callback_data: 'press' }]] };
