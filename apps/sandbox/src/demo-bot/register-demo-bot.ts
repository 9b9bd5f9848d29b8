import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';

/** The person who writes to the demo bot; the same one at every start. */
export const ADA = { id: 424_242, firstName: 'Ada', username: 'ada' };

const EPOCH_2024_S = 1_704_067_200;

export type DemoBot = { id: number; telegramId: number; token: string };

export type DemoBotOptions = {
  simulatorUrl: string;
  apiUrl: string;
  apiKey: string;
  token: string;
  secret: string;
  backendUrl: string;
};

/** Makes the demo bot at the simulator, and registers it at Flotilla unless an earlier start has done so. */
export async function registerDemoBot(options: DemoBotOptions): Promise<DemoBot> {
  const platform = controlClient(options.simulatorUrl);
  const telegramId = await findOrCreateBot(platform, options.token);
  await platform.createPerson(ADA);
  await platform.startBot({ person: ADA.id, bot: telegramId, quietly: true });
  const wiring = { backend_url: options.backendUrl, secret_token: options.secret, proxy_enabled: true };
  const added = await call(options, 'POST', '/api/bots/add', {
    token: options.token,
    ...wiring,
    long_poll_enabled: true,
  });
  if (added.status === 200) return { id: added.body.id, telegramId, token: options.token };
  if (added.status !== 409) throw refused(added);

  const { body: bots } = await call(options, 'GET', '/api/bots');
  const known = (bots as unknown as { id: number; token: string }[]).find(({ token }) => token === options.token);
  if (!known) throw refused(added);
  const updated = await call(options, 'POST', '/api/bots/update', { id: known.id, ...wiring });
  if (updated.status !== 200) throw refused(updated);
  return { id: known.id, telegramId, token: options.token };
}

/** A simulator that lost the bot gets a new one. Its ids begin above the old ones, because Flotilla remembers those. */
async function findOrCreateBot(platform: ControlClient, token: string): Promise<number> {
  const known = (await platform.listBots()).find((bot) => bot.token === token);
  if (known !== undefined) return known.id;
  const first = Math.floor(Date.now() / 1_000) - EPOCH_2024_S;
  const wanted = { token, name: 'Flotilla demo', username: 'flotilla_demo_bot' };
  return (await platform.createBot({ ...wanted, nextUpdateId: first, nextMessageId: first })).id;
}

type Answer = { status: number; body: { id: number; error?: string } };

async function call(options: DemoBotOptions, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${options.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

function refused({ status, body }: Answer): FlotillaError {
  return new FlotillaError('unavailable', `The demo bot could not be registered (${status}): ${body.error}`);
}
