import { z } from 'zod';
import { type Asked, chatOf, type Deps, topicOf } from './asked.ts';

type Act<Input extends z.ZodObject = z.ZodObject> = {
  input: Input;
  run(deps: Deps, asked: Asked, input: z.output<Input>): Promise<unknown>;
};

function act<Input extends z.ZodObject>(input: Input, run: Act<Input>['run']): Act {
  return { input, run } as unknown as Act;
}

const TEXT = z.string().trim().min(1).max(4096);
const NAME = z.string().trim().min(1).max(128);
const MESSAGE = z.int();
const NOTHING = z.strictObject({});
const WHO = { person: z.int().optional(), bot: z.literal(true).optional() };
const STATUS = z.enum(['member', 'administrator', 'left']);

/** The number and the location that people share when a bot asks: the same for all. */
const PHONE_NUMBER = '+15550100';
const HARBOUR = { latitude: 54.3233, longitude: 10.1228 };

/** The acts of people on the page, by the path that it posts to. */
export const ACTS: Record<string, Act> = {
  say: act(z.strictObject({ text: TEXT, reply: MESSAGE.optional() }), async ({ control }, asked, { text, reply }) => {
    const answered = reply === undefined ? {} : { replyTo: reply };
    await control.sendMessage({ ...chatOf(asked), ...topicOf(asked), text, ...answered });
  }),
  start: act(NOTHING, ({ control }, { person, bot }) => control.startBot({ person, bot: bot.id })),
  block: act(z.strictObject({ blocked: z.boolean() }), ({ control }, { person, bot }, { blocked }) =>
    control.blockBot({ person, bot: bot.id, blocked }),
  ),
  edit: act(
    z.strictObject({ message: MESSAGE, text: TEXT, isCaption: z.boolean() }),
    ({ control }, asked, { message, text, isCaption }) =>
      control.editMessage({ ...chatOf(asked), messageId: message, ...(isCaption ? { caption: text } : { text }) }),
  ),
  delete: act(z.strictObject({ messages: z.array(MESSAGE).max(10) }), ({ control }, asked, { messages }) =>
    control.deleteMessages({ ...chatOf(asked), messageIds: messages }),
  ),
  react: act(
    z.strictObject({ message: MESSAGE, emoji: z.array(z.string().max(16)).max(3) }),
    ({ control }, asked, { message, emoji }) => control.react({ ...chatOf(asked), messageId: message, emoji }),
  ),
  vote: act(
    z.strictObject({ poll: z.string().max(64), options: z.array(z.int().min(0)).max(12) }),
    ({ control }, { person }, { poll, options }) => control.vote({ person, pollId: poll, options }),
  ),
  share: act(z.strictObject({ what: z.enum(['contact', 'location']) }), async ({ control }, asked, { what }) => {
    const { first_name = '' } = (await control.listPeople()).find(({ id }) => id === asked.person) ?? {};
    const contact = { phone_number: PHONE_NUMBER, first_name, user_id: asked.person };
    const content = what === 'contact' ? { contact } : { location: HARBOUR };
    await control.sendMessage({ ...chatOf(asked), ...topicOf(asked), content });
  }),
  press: act(
    z.strictObject({ message: MESSAGE, data: z.string().max(64), text: z.string().max(4096) }),
    async ({ control }, asked, { message, data, text }) => {
      const { queryId } = await control.pressButton({ ...chatOf(asked), messageId: message, data, text });
      return { query: queryId };
    },
  ),
  tap: act(z.strictObject({ message: MESSAGE }), async ({ control }, asked, { message }) => {
    return { query: (await control.tapWidget({ ...chatOf(asked), messageId: message })).queryId };
  }),
  pay: act(z.strictObject({ message: MESSAGE }), async ({ control }, { person, bot, chat }, { message }) => {
    const place = chat === null ? {} : { chat };
    return { query: (await control.payInvoice({ person, bot: bot.id, ...place, messageId: message })).queryId };
  }),
  answer: act(z.strictObject({ query: z.string().max(64) }), async ({ control }, _, { query }) => {
    const { answered, answer } = await control.readQuery({ queryId: query });
    const { text = answer?.error_message ?? answer?.data ?? '', show_alert, url = '' } = answer ?? {};
    return { answered, text, isAlert: show_alert === 'true', url };
  }),
  person: act(z.strictObject({ name: NAME }), async ({ control }, _, { name }) => {
    return { id: (await control.createPerson({ firstName: name })).id };
  }),
  /** The group is made first, so that the bot is told that it was added, as by a person at the platform. */
  group: act(
    z.strictObject({
      title: NAME,
      hasTopics: z.boolean(),
      isAdmin: z.boolean(),
      people: z.array(z.int()).max(100),
    }),
    async ({ control }, { person, bot }, { title, hasTopics, isAdmin, people }) => {
      const members = people.filter((id) => id !== person);
      const group = { type: 'supergroup', title, forum: hasTopics, creator: person, members } as const;
      const { id: chat } = await control.createChat(group);
      await control.setMember({ chat, bot: bot.id, status: isAdmin ? 'administrator' : 'member', by: person });
      return { chat };
    },
  ),
  topic: act(z.strictObject({ name: NAME }), ({ control }, asked, { name }) =>
    control.createTopic({ ...chatOf(asked), name }),
  ),
  member: act(z.strictObject({ ...WHO, status: STATUS }), async ({ control }, { chat, person: by, bot }, asked) => {
    const who = asked.bot ? { bot: bot.id } : { person: asked.person ?? by };
    await control.setMember({ chat: chat!, ...who, status: asked.status, by });
  }),
  privacy: act(z.strictObject({ privacy: z.boolean() }), ({ control }, { bot }, { privacy }) =>
    control.setPrivacy({ bot: bot.id, privacy }),
  ),
};
