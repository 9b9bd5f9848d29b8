import type { Database } from '@flotilla/database/connect.ts';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { callAsBot, type ShownBot } from './bots.ts';
import type { Drawings } from './drawings.ts';

/** Ada writes to the support; what she says is the chat of the pictures. */
export const ADA = 9_101;
const IVAN = 9_102;

/** Who wrote to which bot, how many minutes ago, and what. */
const LINES: [bot: string, firstName: string, lastName: string, minutesAgo: number, text: string][] = [
  ['north_billing', 'Tom', 'Okafor', 3, 'I was charged twice for order 4417, could you check?'],
  ['sever_help', 'Марина', 'Белова', 6, 'Здравствуйте! Можно поменять размер, если заказ уже в пути?'],
  ['sever_dostavka', 'Олег', 'Тихонов', 9, 'Курьер звонит, а домофон не работает. Код 47К'],
  ['bookings', 'Sofia', 'Marin', 14, 'A table for six on Friday at 19:30, please, by the window if you can'],
  ['tickets', 'Priya', 'Nair', 21, 'VPN asks for a new certificate since this morning'],
  ['zayavki', 'Дмитрий', 'Орлов', 27, 'Не печатает принтер на третьем этаже'],
  ['gym', 'Lena', 'Fischer', 34, 'Is the yoga class on Thursday full?'],
  ['north_store', 'James', 'Whitfield', 48, 'Do you have the blue ones in 43?'],
  ['sever_shop', 'Анна', 'Крылова', 62, 'Спасибо, всё пришло целым!'],
  ['library', 'Noor', 'Haddad', 85, 'Can I keep the two books a week longer?'],
  ['raspisanie', 'Павел', 'Зимин', 118, 'Группа 204: пару перенесли на завтра?'],
  ['hr_answers', 'Grace', 'Lindqvist', 150, 'How many days of leave do I have left?'],
  ['kafe', 'Ольга', 'Смирнова', 205, 'Есть столик на веранде в субботу?'],
  ['weather', 'Mateo', 'Ruiz', 260, 'Wind at the harbour tomorrow morning?'],
];
/** Bots in whose chats nothing can be seen get updates too. */
const OTHERS_SAY = 'Thanks!';

type Scene = { fleet: Fleet; bots: readonly ShownBot[]; drawings: Drawings };
const botOf = (bots: readonly ShownBot[], key: string) => bots.find((bot) => bot.key === key)!;

/** People write to every bot; the messages of the list are spread over the last hours. */
export async function playChats({ fleet, bots, drawings }: Scene): Promise<void> {
  const { control } = fleet;
  const nowS = Math.floor(Date.now() / 1000);
  for (const [at, [key, firstName, lastName, minutesAgo, text]] of LINES.entries()) {
    const bot = botOf(bots, key);
    const { id } = await control.createPerson({ id: 9_200 + at, firstName, lastName });
    await control.startBot({ person: id, bot: bot.platformId, quietly: true });
    if (at % 3 !== 2) {
      await control.setPhoto({ person: id, bot: bot.platformId, base64: drawings.faceOf(at), name: 'face.jpg' });
    }
    await inject(fleet, bot, { id, first_name: firstName, last_name: lastName }, nowS - minutesAgo * 60, text);
  }
  const silent = bots.filter(({ key }) => LINES.every(([known]) => known !== key));
  for (const [at, bot] of silent.entries()) {
    const { id } = await control.createPerson({ id: 9_300 + at, firstName: 'Kim', lastName: `Larsen` });
    await inject(fleet, bot, { id, first_name: 'Kim', last_name: 'Larsen' }, nowS - 4_000 * (at + 4), OTHERS_SAY);
  }
}

const COURIERS = ['Nils Berg', 'Aida Rahim', 'Luca Conti', 'Денис Чернов', 'Hanna Koch', 'Yusuf Demir'];
const PARCELS = ['delivered', 'nobody opens', 'left with the neighbour', 'address is wrong'];
const ALERTS = ['disk of db-3 is 91 % full', 'replica db-2 is 40 s behind', 'connections of db-1 near their limit'];

/** The updates that nobody takes: of a backend that is down, and of a program that does not poll. */
export async function playQueues({ fleet, bots }: Scene): Promise<void> {
  const nowS = Math.floor(Date.now() / 1000);
  for (let at = 0; at < 84; at += 1) {
    const [first_name = '', last_name = ''] = COURIERS[at % COURIERS.length]!.split(' ');
    const from = { id: 9_400 + (at % COURIERS.length), first_name, last_name };
    const text = `Parcel ${8_800 + at} ${PARCELS[at % PARCELS.length]}`;
    await inject(fleet, botOf(bots, 'north_couriers'), from, nowS - (84 - at) * 15 - 5 * 3_600, text);
  }
  const from = { id: 9_420, first_name: 'Monitoring' };
  for (const [at, text] of ALERTS.entries()) {
    await inject(fleet, botOf(bots, 'alerts_db'), from, nowS - (320 - at * 6) * 60, text);
  }
}

type Person = { id: number; first_name: string; last_name?: string };

let messages = 500;

async function inject(fleet: Fleet, bot: ShownBot, from: Person, date: number, text: string): Promise<void> {
  messages += 1;
  const chat = { ...from, type: 'private' };
  const raw = JSON.stringify({ message_id: messages, from: { ...from, is_bot: false }, chat, date, text });
  await fleet.control.injectUpdate({ bot: bot.platformId, kind: 'message', raw, neverExpires: true });
}

/** A parcel came broken: the bot answers, then a person takes the chat over. */
export async function playSupport({ fleet, bots, drawings }: Scene): Promise<void> {
  const { control } = fleet;
  const bot = botOf(bots, 'north_support');
  const ada = { person: ADA, bot: bot.platformId };
  await control.createPerson({ id: ADA, firstName: 'Ada', lastName: 'Brennan', username: 'ada_brennan' });
  await control.startBot({ ...ada, quietly: true });
  await control.setPhoto({ ...ada, base64: drawings.faceOf(4), name: 'ada.jpg' });
  const says = (text: string) => control.sendMessage({ ...ada, text });
  const answers = (text: string, more: object = {}) =>
    callAsBot(fleet, bot, 'sendMessage', { chat_id: ADA, text, ...more });
  await says('Hello, my order 4402 came today');
  await answers('Hello Ada! Order 4402: 1 × Fjord running shoes, blue, 39. What can I do for you?', {
    reply_markup: {
      inline_keyboard: [
        [
          { text: 'It is damaged', callback_data: 'damaged' },
          { text: 'Wrong size', callback_data: 'size' },
        ],
      ],
    },
  });
  const photo = { kind: 'photo', name: 'parcel.jpg', mime: 'image/jpeg', base64: drawings.parcel } as const;
  await control.sendMessage({ ...ada, file: photo, caption: 'The box was open at one side' });
  await answers('I am sorry. Is the item itself damaged?');
  await isStored(fleet, bot, 5);
  await fleet.rest('/api/chats/takeover', { bot_id: bot.id, chat_id: ADA, minutes: 30 });
  await fleet.rest('/api/messages/send', {
    ...{ bot_id: bot.id, chat_id: ADA },
    text: 'Hi Ada, this is Anna from the store. I have a new pair ready for you, it leaves today. You can keep this one.',
  });
  await says('Oh, that is kind, thank you!');
  await says('Will it be the same courier?');
  for (const [tag, color] of [
    ['regular', '#2F6F8F'],
    ['replacement', '#C0653B'],
  ]) {
    await fleet.rest('/api/tags/add', {
      ...{ bot_id: bot.id, chat_id: ADA, user_id: ADA, username: 'ada_brennan' },
      tag,
      color,
    });
  }
  await isStored(fleet, bot, 8);
}

/** How many minutes ago the messages of the chat were written, oldest first; the newest are of now. */
const WRITTEN = [26, 26, 22, 21, 9];

/** The chat took a while. */
export async function spreadSupport(db: Database, { id }: ShownBot): Promise<void> {
  const stored = await db
    .selectFrom('messages')
    .select(['id', 'date'])
    .where('bot_id', '=', id)
    .where('chat_id', '=', ADA)
    .orderBy('id')
    .limit(WRITTEN.length)
    .execute();
  for (const [at, message] of stored.entries()) {
    await db
      .updateTable('messages')
      .set({ date: message.date - WRITTEN[at]! * 60 })
      .where('bot_id', '=', id)
      .where('chat_id', '=', ADA)
      .where('id', '=', message.id)
      .execute();
  }
}

const isStored = (fleet: Fleet, bot: ShownBot, count: number) =>
  waitFor(
    async () => (await fleet.rest<unknown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ADA}`)).length >= count - 1,
    { timeoutMs: 120_000, message: 'the chat of the pictures' },
  );

/** A forum of the store with its topics. */
export async function playForum({ fleet, bots, drawings }: Scene): Promise<void> {
  const { control } = fleet;
  const bot = botOf(bots, 'north_support');
  await control.createPerson({ id: IVAN, firstName: 'Иван', lastName: 'Морозов' });
  const admins = [{ bot: bot.platformId }];
  const wanted = { type: 'supergroup', title: 'North Store team', forum: true, creator: IVAN, admins };
  const { id: chat } = await control.createChat(wanted as Parameters<typeof control.createChat>[0]);
  await control.setPhoto({ person: IVAN, chat, base64: drawings.forum, name: 'forum.jpg' });
  for (const [name, text] of [
    ['Deliveries', 'Two vans are late because of the bridge'],
    ['Возвраты', 'Вернули три пары, все 41 размера'],
    ['Shop floor', 'New lights on Monday'],
  ] as const) {
    const { topic } = await control.createTopic({ person: IVAN, chat, name });
    await control.sendMessage({ person: IVAN, chat, topic, text });
  }
}
