import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';

/** perHour: what comes in at noon. reads: who gets it. */
export type ShownBot = FleetBot & Known;
type Known = { key: string; name: string; perHour: number; reads: 'backend' | 'ill-backend' | 'poller' };

const BOTS: [key: string, name: string, perHour: number, reads?: Known['reads'], description?: string][] = [
  ['north_store', 'North Store', 2_300],
  [
    'north_support',
    'North Store support',
    940,
    'backend',
    'Orders and parcels: where an order is, delivery, broken items',
  ],
  ['north_billing', 'North Store billing', 310, 'backend', 'Payments, invoices, refunds, charges on a card'],
  ['north_couriers', 'Couriers', 1_480, 'ill-backend'],
  ['sever_shop', 'Север: магазин', 1_900],
  ['sever_help', 'Север: поддержка', 720],
  ['sever_dostavka', 'Доставка по городу', 1_250],
  ['sever_otzyvy', 'Отзывы покупателей', 160],
  ['alerts_prod', 'Production alerts', 420, 'poller'],
  ['alerts_db', 'Database alerts', 95, 'poller'],
  ['deploys', 'Deploys', 60, 'poller'],
  ['dezhurstvo', 'Дежурство', 44, 'poller'],
  ['tickets', 'Help desk tickets', 610],
  ['zayavki', 'Заявки в ИТ', 380],
  ['hr_answers', 'HR answers', 130],
  ['onboarding', 'Onboarding', 72],
  ['kadry', 'Кадры', 110],
  ['leave', 'Leave and absence', 48],
  ['bookings', 'Table bookings', 530],
  ['menu', 'Lunch menu', 205],
  ['kafe', 'Кафе «Маяк»', 460],
  ['gym', 'Gym classes', 340],
  ['raspisanie', 'Расписание занятий', 820],
  ['library', 'City library', 270],
  ['weather', 'Harbour weather', 690],
  ['parkovka', 'Парковка', 300],
  ['feedback', 'Feedback', 88],
  ['contest', 'Spring contest', 150],
  ['news_en', 'North news', 240],
  ['news_ru', 'Северные новости', 215],
];

/** The addresses of programs, as people see them; all lead to this machine. */
export type Backends = { well: string; ill: string };

/** Registers all bots; those with a backend set it as their programs do. */
export async function addBots(fleet: Fleet, backends: Backends): Promise<ShownBot[]> {
  const added: ShownBot[] = [];
  for (const [key, name, perHour, reads = 'backend', description = ''] of BOTS) {
    const polls = reads === 'poller';
    const wiring = polls
      ? { long_poll_enabled: true, silent_after_s: key === 'alerts_db' ? 1 : 0 }
      : { proxy_enabled: true, flood: 'shield' };
    const topics = key === 'north_support';
    const bot = await fleet.addBot({ ...wiring, description }, { name, username: `${key}_bot`, topics });
    if (!polls) await setWebhook(fleet, bot, `${reads === 'backend' ? backends.well : backends.ill}/${key}`);
    added.push({ ...bot, key, name, perHour, reads });
  }
  return added;
}

async function setWebhook(fleet: Fleet, bot: FleetBot, url: string): Promise<void> {
  await callAsBot(fleet, bot, 'setWebhook', { url, ip_address: '127.0.0.1' });
}

/** A call as the program of the bot makes it. */
export async function callAsBot(fleet: Fleet, bot: FleetBot, method: string, params: object): Promise<number> {
  const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const text = await response.text();
  if (!response.ok && response.status !== 429) throw new Error(`${method} answered ${response.status}: ${text}`);
  return response.status;
}
