import { controlClient } from '@flotilla/simulator/control-client.ts';
import { callApi, refused } from './call-api.ts';
import { ADA, type DemoBot, type DemoBotOptions } from './register-demo-bot.ts';

/** Bots that the router of the demo bot chooses from. */
const DESKS = [
  {
    name: 'Orders',
    username: 'flotilla_orders_bot',
    description: 'Where is my order or parcel: shipping, delivery, tracking, delays, wrong or broken items.',
  },
  {
    name: 'Billing',
    username: 'flotilla_billing_bot',
    description: 'Payments, invoices, refunds, charges on a card, subscriptions and prices.',
  },
  {
    name: 'Tech support',
    username: 'flotilla_support_bot',
    description: 'Problems with the app or the website: errors, login and password, crashes, updates.',
  },
];

type ListedBot = { id: number; username: string; token: string };

/**
 * Registers three bots with descriptions, and a rule of the demo bot by which the router chooses one of them. Only the first
 * start does so, so that what people delete stays deleted; later ones give a platform that was reset these bots again.
 */
export async function registerDesks(options: DemoBotOptions, demoBot: DemoBot): Promise<void> {
  const platform = controlClient(options.simulatorUrl);
  const isThere = new Set((await platform.listBots()).map(({ token }) => token));
  if (!demoBot.isNew) {
    const { body } = await callApi<ListedBot[]>(options, 'GET', '/api/bots');
    const lost = body.filter(
      ({ username, token }) => DESKS.some((desk) => desk.username === username) && !isThere.has(token),
    );
    for (const { token, username } of lost) {
      const { name } = DESKS.find((desk) => desk.username === username)!;
      const { id } = await platform.createBot({ token, name, username });
      await platform.startBot({ person: ADA.id, bot: id, quietly: true });
    }
    return;
  }
  const candidates: number[] = [];
  for (const { description, ...desk } of DESKS) {
    const { id, token } = await platform.createBot(desk);
    await platform.startBot({ person: ADA.id, bot: id, quietly: true });
    const added = await callApi<{ id: number }>(options, 'POST', '/api/bots/add', { token, description });
    if (added.status !== 200) throw refused(added);
    candidates.push(added.body.id);
  }
  const rule = await callApi(options, 'POST', '/api/routes/add', {
    source_bot_id: demoBot.id,
    condition_type: 'llm',
    target_bot_id: 0,
    candidate_bot_ids: candidates,
    action: 'copy',
    target_chat_id: 0,
    description: 'What the demo bot hears goes to the desk whose description fits',
  });
  if (rule.status !== 200) throw refused(rule);
}
