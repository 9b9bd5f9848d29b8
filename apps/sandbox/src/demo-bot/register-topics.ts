import { controlClient } from '@flotilla/simulator/control-client.ts';
import { callApi, refused } from './call-api.ts';
import { ADA, type DemoBot, type DemoBotOptions } from './register-demo-bot.ts';

const TOPICS = [
  { name: 'Deliveries', text: 'The van of 9 o’clock is late.' },
  { name: 'Repairs', text: 'Who has the key of the crane?' },
  { name: 'Summer party', text: 'Boats or barbecue?' },
];
const CABIN = { name: 'Cabin', username: 'flotilla_cabin_bot', topics: true };

/**
 * At the first start: a forum of Ada with the demo bot and three topics, and a bot whose private chats have
 * topics.
 */
export async function registerTopics(options: DemoBotOptions, demoBot: DemoBot): Promise<void> {
  if (!demoBot.isNew) return;
  const platform = controlClient(options.simulatorUrl);
  const person = ADA.id;
  const admins = [{ bot: demoBot.telegramId }];
  const forum = { type: 'supergroup', title: 'Harbour office', forum: true, creator: person, admins } as const;
  const { id: chat } = await platform.createChat(forum);
  await platform.sendMessage({ person, chat, text: 'Welcome! There is a topic for everything.' });
  for (const { name, text } of TOPICS) {
    const { topic } = await platform.createTopic({ person, chat, name });
    await platform.sendMessage({ person, chat, topic, text });
  }
  const { id: bot, token } = await platform.createBot(CABIN);
  const added = await callApi(options, 'POST', '/api/bots/add', { token });
  if (added.status !== 200) throw refused(added);
  for (const name of ['My order', 'A question']) {
    const { topic } = await platform.createTopic({ person, bot, name });
    await platform.sendMessage({ person, bot, topic, text: `This is about: ${name.toLowerCase()}` });
  }
}
