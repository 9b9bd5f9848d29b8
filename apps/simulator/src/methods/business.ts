import { badRequest } from '../bot-api-error.ts';
import { keepSetting } from '../bots/keep-setting.ts';
import { replaceToken } from '../bots/managed-bot.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { type BusinessConnection, findConnection } from '../chats/business-chat.ts';
import { knownUser } from '../chats/chat-admin.ts';
import { findOwnChat } from '../chats/find-chat.ts';
import { boolean, integer, json, platformId, text } from '../http/params.ts';
import { forgetMessage } from '../messages/keep-message.ts';
import type { Call, Method } from './call.ts';
import { readMessageIds } from './delete-message.ts';

/** Methods of business connections and of managed bots. */
export const BUSINESS: Record<string, Method> = {
  getBusinessConnection,
  readBusinessMessage,
  deleteBusinessMessages,
  getManagedBotToken,
  replaceManagedBotToken,
  setManagedBotAccessSettings,
  getManagedBotAccessSettings,
};

function getBusinessConnection({ bot, params }: Call): BusinessConnection {
  return findConnection(bot, text(params, 'business_connection_id'));
}

function readBusinessMessage(call: Call): true {
  const chat = findOwnChat(call);
  if (!chat.messages.has(integer(call.params, 'message_id', 0))) throw badRequest('message not found');
  return true;
}

function deleteBusinessMessages(call: Call): true {
  const { id } = findConnection(call.bot, text(call.params, 'business_connection_id'));
  const ids = readMessageIds(call);
  for (const chat of call.sim.chats.values()) {
    if (chat.business !== id) continue;
    for (const messageId of ids) forgetMessage(call.sim, chat, messageId);
  }
  return true;
}

function getManagedBotToken(call: Call): string {
  return findManaged(call).token;
}

function replaceManagedBotToken(call: Call): string {
  return replaceToken(call.sim, findManaged(call));
}

const ACCESS = 'access settings';

function setManagedBotAccessSettings(call: Call): true {
  const added = json(call.params, 'added_user_ids');
  const users = (Array.isArray(added) ? added : []).map((id) => knownUser(call.sim, Number(id)));
  if (users.includes(undefined)) throw badRequest('user not found');
  return keepSetting(call.sim, findManaged(call), ACCESS, {
    is_access_restricted: boolean(call.params, 'is_access_restricted'),
    ...(users.length > 0 && { added_users: users }),
  });
}

function getManagedBotAccessSettings(call: Call): unknown {
  return findManaged(call).settings[ACCESS] ?? { is_access_restricted: false };
}

function findManaged({ sim, bot, params }: Call): SimBot {
  const managed = sim.bots.get(platformId(params, 'user_id'));
  if (managed === undefined || managed.managedBy !== bot.user.id) throw badRequest('BOT_NOT_MANAGED');
  return managed;
}
