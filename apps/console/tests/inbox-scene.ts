import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import type { TestDatabase } from '@flotilla/testing/postgres.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

export const ADA = 777;
export const MAX = 888;
/** The messages of a long chat, which end two days ago. */
export const MANY = 50_000;
export const APART_S = 600;
/** Ids begin after these: those of the scene itself are small. */
export const FIRST_ID = 1_000_000;
const AT_ONCE = 5_000;
const DAY_S = 86_400;

/** An attempt to run a script, which must stay text. */
export const ATTACK = '<img src=x onerror="document.title=1"> <b>not bold</b>';

const PIXELS =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGNkYPjPwMDAxMDAwMDAAAAMHgEBNd0TdwAAAABJRU5ErkJggg==';

export type InboxScene = { desk: FleetBot; shop: FleetBot; team: number };

/** Two bots with private chats, and a group with an album, files and replies. */
export async function playInboxScene(fleet: Fleet): Promise<InboxScene> {
  const { control } = fleet;
  const desk = await fleet.addBot({}, { name: 'Help desk', username: 'helpdesk_bot' });
  const shop = await fleet.addBot({}, { name: 'Shop EU', username: 'shop_eu_bot' });
  await control.createPerson({ id: ADA, firstName: 'Ada', lastName: 'Lovelace', username: 'ada' });
  await control.createPerson({ id: MAX, firstName: 'Max' });
  const toDesk = { person: ADA, bot: desk.platformId };
  await control.startBot(toDesk);
  await control.sendMessage({
    ...toDesk,
    text: 'Where is my order <b>1188</b>? See <a href="https://shop.example/1188">the page</a> or ask @shop_eu_bot, code <code>A-17</code>, <tg-spoiler>a secret</tg-spoiler>',
    parseMode: 'HTML',
  });
  const attack = await control.sendMessage({ ...toDesk, text: ATTACK });
  await control.sendMessage({ ...toDesk, text: 'And this one?', replyTo: attack.messageId });
  const picture = { kind: 'photo', name: 'box.png', mime: 'image/png', base64: PIXELS } as const;
  await control.sendMessage({ ...toDesk, file: picture, caption: 'The box came like this' });
  await control.sendMessage({ ...toDesk, content: { location: { latitude: 52.5, longitude: 13.4 } } });

  const team = (
    await control.createChat({
      type: 'supergroup',
      title: 'Team chat',
      members: [ADA, MAX],
      admins: [{ bot: shop.platformId }],
    })
  ).id;
  const inTeam = { person: MAX, chat: team };
  await control.sendMessage({ ...inTeam, text: 'مرحبا بالجميع' });
  await control.sendMessage({ ...inTeam, file: picture, mediaGroupId: '91', caption: 'Two of them' });
  await control.sendMessage({ ...inTeam, file: picture, mediaGroupId: '91' });
  const list = { kind: 'document', name: 'prices.csv', mime: 'text/csv', base64: btoa('a,b') } as const;
  await control.sendMessage({ ...inTeam, file: list });
  await control.sendMessage({ person: ADA, chat: team, text: 'Thanks, I will look at it.' });
  await control.sendMessage({ person: MAX, bot: shop.platformId, text: 'Hello, is anybody there?' });
  await waitFor(async () => (await fleet.rest<unknown[]>('/api/chats?order=recent')).length === 3, {
    timeoutMs: 60_000,
  });
  return { desk, shop, team };
}

/** Makes the chat of Max with a bot a long one; tells the date of the last of these messages. */
export async function storeLongChat({ db }: TestDatabase, { id: botId }: FleetBot): Promise<number> {
  const end = Math.floor(Date.now() / 1000) - 2 * DAY_S;
  for (let from = 0; from < MANY; from += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, at) => {
      const n = from + at + 1;
      return {
        chat_id: MAX,
        id: FIRST_ID + n,
        date: end - (MANY - n) * APART_S,
        user_id: MAX,
        username: null,
        first_name: 'Max',
        text: textOf(n),
      };
    });
    await storeMessages(db, botId, rows);
  }
  return end;
}

/** Lines of different length, as people write. */
function textOf(n: number): string {
  return `Message ${n}${n % 7 === 0 ? `, which is a longer one. ${'It says something more. '.repeat(n % 5)}` : ''}`.trim();
}
