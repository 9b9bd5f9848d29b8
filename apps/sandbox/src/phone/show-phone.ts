import { createHash } from 'node:crypto';
import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { type Asked, chatOf, type Deps } from './asked.ts';
import { MAX_FILE_MB } from './receive-file.ts';
import { lineOf, showMessage } from './show-message.ts';

type ReadChat = Awaited<ReturnType<ControlClient['readChat']>>;

/** The newest messages that are read, and of these the newest of the topic that are shown. */
const READ = 1_000;
const SHOWN = 200;
const MOST_PEOPLE = 500;
/** The platform shows an action for five seconds. */
const ACTION_MS = 5_000;

/** All that the page shows, as JSON, with a tag that changes with it. */
export async function showPhone({ control, options }: Deps, asked: Asked): Promise<{ tag: string; text: string }> {
  const { bot, person, chat: shared } = asked;
  const inPrivate = { person, bot: bot.id };
  // Commands first: to ask for them opens the private chat, as a person does who looks at it.
  await control.listCommands(inPrivate);
  const [commands, people, listed, privately, read] = await Promise.all([
    control.listCommands({ ...inPrivate, ...(shared !== null && { chat: shared }) }),
    control.listPeople({ limit: MOST_PEOPLE }),
    control.listChats({ bot: bot.id }),
    control.readChat({ ...inPrivate, limit: 1 }),
    control.readChat({ ...(shared === null ? chatOf(asked) : { chat: shared }), limit: READ }),
  ]);
  const privateChat = { id: null, title: bot.name, isForum: false, status: 'member', last: privately.messages[0] };
  const shown = {
    person: { id: person, name: people.find(({ id }) => id === person)?.first_name ?? '' },
    people: people.map(({ id, first_name, last_name }) => ({ id, name: [first_name, last_name].join(' ').trim() })),
    bot: { id: bot.id, name: bot.name, username: bot.username, privacy: bot.privacy },
    consoleUrl: options.consoleUrl,
    maxFileMb: MAX_FILE_MB,
    chats: [privateChat, ...listed].map(({ last, ...chat }) => ({ ...chat, last: last ? lineOf(last) : null })),
    commands,
    chat: showChat(read, asked),
  };
  const text = JSON.stringify(shown);
  return { tag: `"${createHash('sha256').update(text).digest('base64url')}"`, text };
}

function showChat(chat: ReadChat, { bot, person, chat: shared, topic }: Asked) {
  const isIn = ({ status }: { status: string }) => !['left', 'kicked'].includes(status);
  const { title, type, isForum, topics, members, started, blocked } = chat;
  const hasTopics = isForum || topics.length > 0;
  const messages = hasTopics ? chat.messages.filter((message) => topicOf(message, topics) === topic) : chat.messages;
  const hasBot = shared === null || members.some((member) => member.id === bot.id && isIn(member));
  const members_ = members.filter(isIn);
  return {
    ...{
      id: shared,
      title: shared === null ? bot.name : title,
      type,
      isForum,
      topics,
      topic,
      started,
      blocked,
      hasBot,
    },
    isIn: shared === null || members_.some(({ id }) => id === person),
    isBanned: members.some(({ id, status }) => id === person && status === 'kicked'),
    members: members_,
    messages: messages.slice(-SHOWN).map((message) => showMessage(message, chat, person)),
    action: actionOf(chat, bot.id),
    draft: Object.values(chat.drafts).map(draftText).join('\n'),
    keyboard: hasBot && chat.keyboard?.botId === bot.id ? chat.keyboard : null,
  };
}

/** The topic of a message; 0 for General and for a message outside of topics. */
function topicOf(message: ReadChat['messages'][number], topics: ReadChat['topics']): number {
  const { message_thread_id: thread } = message as { message_thread_id?: number };
  return topics.some(({ topic }) => topic === thread) ? thread! : 0;
}

/** The present act of the bot; null once it has written, or has said nothing more. */
function actionOf({ actions, messages, nowMs }: ReadChat, bot: number): string | null {
  const last = actions.findLast(({ userId }) => userId === bot);
  if (last === undefined || nowMs - last.atMs > ACTION_MS) return null;
  const wroteS = messages.findLast(({ from }) => (from as { id?: number } | undefined)?.id === bot)?.date ?? 0;
  return wroteS * 1_000 + 999 > last.atMs ? null : last.action;
}

function draftText(draft: unknown): string {
  const { text, rich_message } = draft as { text?: string; rich_message?: { blocks: { text?: unknown }[] } };
  return text ?? (rich_message?.blocks ?? []).map((block) => String(block.text ?? '')).join('\n');
}
