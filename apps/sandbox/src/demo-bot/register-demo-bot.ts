import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { callApi, refused } from './call-api.ts';

/** The person who writes to the demo bot; the same one at every start. */
export const ADA = { id: 424_242, firstName: 'Ada', username: 'ada' };
/** Somebody else, for groups. */
export const BEN = { id: 424_243, firstName: 'Ben', username: 'ben' };

const EPOCH_2024_S = 1_704_067_200;

/** isNew: no earlier start has registered it. */
export type DemoBot = { id: number; telegramId: number; token: string; isNew: boolean };

export type DemoBotOptions = {
  simulatorUrl: string;
  apiUrl: string;
  apiKey: string;
  token: string;
  secret: string;
  backend_url: string;
};

/** Makes the demo bot at the simulator, and registers it at Flotilla unless an earlier start has done so. */
export async function registerDemoBot(options: DemoBotOptions): Promise<DemoBot> {
  const platform = controlClient(options.simulatorUrl);
  const telegramId = await findOrCreateBot(platform, options.token);
  await platform.createPerson(ADA);
  await platform.startBot({ person: ADA.id, bot: telegramId, quietly: true });
  const wiring = { backend_url: options.backend_url, secret_token: options.secret, proxy_enabled: true };
  const added = await callApi<{ id: number }>(options, 'POST', '/api/bots/add', {
    token: options.token,
    ...wiring,
    long_poll_enabled: true,
  });
  if (added.status === 200) return { id: added.body.id, telegramId, token: options.token, isNew: true };
  if (added.status !== 409) throw refused(added);

  const { body: bots } = await callApi<{ id: number; token: string }[]>(options, 'GET', '/api/bots');
  const known = bots.find(({ token }) => token === options.token);
  if (!known) throw refused(added);
  const updated = await callApi(options, 'POST', '/api/bots/update', { id: known.id, ...wiring });
  if (updated.status !== 200) throw refused(updated);
  return { id: known.id, telegramId, token: options.token, isNew: false };
}

/** A simulator that lost the bot gets a new one. Its ids begin above the old ones, because Flotilla remembers those. */
async function findOrCreateBot(platform: ControlClient, token: string): Promise<number> {
  const known = (await platform.listBots()).find((bot) => bot.token === token);
  if (known !== undefined) return known.id;
  const first = Math.floor(Date.now() / 1_000) - EPOCH_2024_S;
  const wanted = { token, name: 'Flotilla demo', username: 'flotilla_demo_bot' };
  return (await platform.createBot({ ...wanted, nextUpdateId: first, nextMessageId: first })).id;
}
