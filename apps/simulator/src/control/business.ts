import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keepSetting } from '../bots/keep-setting.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { type BusinessConnection, connectionKey, openBusinessChat } from '../chats/business-chat.ts';
import { newMessage } from '../messages/post-message.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { BOT, PERSON, RIGHTS } from './fields.ts';
import { botOf, personOf } from './lookups.ts';
import { operation } from './operation.ts';
import { type ShownChat, showWhole } from './read-chat.ts';

const CONNECTION_ID = z.string().describe('id of a business connection, as connectBusiness answered it');

export const connectBusiness = operation(
  'A person connects their business account to a bot, or changes or ends the connection; answers its id',
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT,
      connectionId: CONNECTION_ID.optional().describe('of a connection that changes'),
      enabled: z.boolean().optional().describe('false: ends the connection'),
      rights: RIGHTS.optional().describe('by the names of the Bot API; can_reply and can_read_messages when not given'),
    }),
    example: { person: 424_242, bot: 1_000_000_001 },
  },
  (sim, input): { connectionId: string } => {
    const bot = botOf(sim, input.bot);
    const user = personOf(sim, input.person);
    const id = input.connectionId ?? randomBytes(15).toString('base64url');
    const connection: BusinessConnection = {
      ...{ id, user, user_chat_id: user.id, date: sim.clock.nowS() },
      rights: input.rights ?? { can_reply: true, can_read_messages: true },
      is_enabled: input.enabled ?? true,
    };
    keepSetting(sim, bot, connectionKey(id), connection);
    publishUpdate(sim, bot, 'business_connection', connection);
    return { connectionId: id };
  },
);

export const writeToBusiness = operation(
  'A customer writes to a business account, or its owner to the customer; told to the connected bot',
  {
    input: z.strictObject({
      person: PERSON.describe('id of the customer'),
      bot: BOT.describe('id of the connected bot'),
      connectionId: CONNECTION_ID,
      text: z.string().describe('what is written'),
      byOwner: z.boolean().optional().describe('true: the owner of the account writes it to the customer'),
    }),
    example: { person: 424_243, bot: 1_000_000_001, connectionId: 'AbCdEfGhIjKlMnOpQrSt', text: 'Hello' },
  },
  (sim, input): { messageId: number } => {
    const { bot, connection, customer } = connected(sim, input);
    const chat = openBusinessChat(sim, connection, customer);
    const author = input.byOwner ? connection.user : customer;
    const content = { business_connection_id: connection.id, text: input.text };
    const message = newMessage(sim, chat, { user: author }, content);
    publishUpdate(sim, bot, 'business_message', message);
    return { messageId: message.message_id };
  },
);

export const readBusinessChat = operation(
  'Shows what the chat of a business account with a customer holds',
  {
    input: z.strictObject({ person: PERSON.describe('id of the customer'), bot: BOT, connectionId: CONNECTION_ID }),
    example: { person: 424_243, bot: 1_000_000_001, connectionId: 'AbCdEfGhIjKlMnOpQrSt' },
  },
  (sim, input): ShownChat => {
    const { connection, customer } = connected(sim, input);
    return showWhole(sim, openBusinessChat(sim, connection, customer));
  },
);

type Named = { person: number; bot: number; connectionId: string };

function connected(sim: Parameters<typeof botOf>[0], { person, bot: botId, connectionId }: Named) {
  const customer = personOf(sim, person);
  const bot: SimBot = botOf(sim, botId);
  const connection = bot.settings[connectionKey(connectionId)] as BusinessConnection | undefined;
  if (connection === undefined)
    throw new ControlError(`there is no business connection ${connectionId} of bot ${botId}`);
  return { bot, connection, customer };
}
