import {
  createBot,
  forgetCalls,
  listBots,
  listCommands,
  pendingUpdates,
  readCalls,
  readWebhook,
  revokeToken,
  setPrivacy,
} from './bots.ts';
import { connectBusiness, readBusinessChat, writeToBusiness } from './business.ts';
import { blockBot, createChat, migrateGroup, setMember, startBot } from './chats.ts';
import { advanceClock, clearFaults, listFaults, setFault, setLocalMode, setLogOutWait } from './faults.ts';
import { readFile } from './files.ts';
import { generate, readLoad } from './generate.ts';
import { askToJoin, joinByLink } from './invitations.ts';
import { readLimits, setFloodWait, setLimits } from './limits.ts';
import { createManagedBot } from './managed-bots.ts';
import { deleteMessages, editMessage, sendMessage } from './messages.ts';
import { payInvoice } from './payments.ts';
import { createPerson, listPeople } from './people.ts';
import { setPhoto } from './photos.ts';
import { chooseInlineResult, pressButton, readQuery, typeInlineQuery } from './queries.ts';
import { react, vote } from './reactions.ts';
import { listChats, readChat } from './read-chat.ts';
import { createTopic } from './topics.ts';
import { injectUpdate, injectUpdates } from './updates.ts';
import { tapWidget } from './widgets.ts';

/** Everything the control API can do, by name; the typed client is derived from this table. */
export const OPERATIONS = {
  createBot,
  createPerson,
  createChat,
  setPhoto,
  listBots,
  listPeople,
  listChats,
  listCommands,
  startBot,
  sendMessage,
  editMessage,
  deleteMessages,
  pressButton,
  tapWidget,
  readQuery,
  react,
  vote,
  typeInlineQuery,
  chooseInlineResult,
  readChat,
  readFile,
  setMember,
  askToJoin,
  joinByLink,
  createTopic,
  payInvoice,
  connectBusiness,
  writeToBusiness,
  readBusinessChat,
  createManagedBot,
  blockBot,
  migrateGroup,
  readCalls,
  forgetCalls,
  readWebhook,
  pendingUpdates,
  revokeToken,
  setPrivacy,
  injectUpdate,
  injectUpdates,
  generate,
  readLoad,
  setFault,
  listFaults,
  clearFaults,
  setLimits,
  setFloodWait,
  readLimits,
  advanceClock,
  setLocalMode,
  setLogOutWait,
};

export type Operations = typeof OPERATIONS;
