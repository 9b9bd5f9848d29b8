import { createBot, forgetCalls, listBots, pendingUpdates, readCalls, readWebhook, revokeToken } from './bots.ts';
import { askToJoin, blockBot, createChat, migrateGroup, setMember, startBot } from './chats.ts';
import { advanceClock, clearFaults, listFaults, setFault, setLimits, setLocalMode } from './faults.ts';
import { generate, readLoad } from './generate.ts';
import { deleteMessages, editMessage, pressButton, sendMessage } from './messages.ts';
import { createPerson } from './people.ts';
import { chooseInlineResult, react, typeInlineQuery, vote } from './reactions.ts';
import { readChat, readCommands, readQuery } from './read-chat.ts';
import { injectUpdate, injectUpdates } from './updates.ts';

/** Everything the control API can do, by name; the typed client is derived from this table. */
export const OPERATIONS = {
  createBot,
  revokeToken,
  listBots,
  readCalls,
  forgetCalls,
  pendingUpdates,
  readWebhook,
  createPerson,
  createChat,
  startBot,
  blockBot,
  setMember,
  askToJoin,
  migrateGroup,
  react,
  typeInlineQuery,
  chooseInlineResult,
  vote,
  generate,
  readLoad,
  sendMessage,
  editMessage,
  deleteMessages,
  pressButton,
  readChat,
  readQuery,
  readCommands,
  injectUpdate,
  injectUpdates,
  setFault,
  listFaults,
  clearFaults,
  setLimits,
  advanceClock,
  setLocalMode,
};

export type Operations = typeof OPERATIONS;
