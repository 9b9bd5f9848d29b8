import { ACCOUNT_RIGHTS } from '@flotilla/contract/account-rights.ts';
import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { ERROR_STATUS, errorAnswer } from '@flotilla/contract/errors.ts';
import { isKeyed, type Operation } from '@flotilla/contract/operation.ts';
import { operations } from '@flotilla/contract/operations.ts';
import { findAccount } from '@flotilla/domain/people/accounts/find-account.ts';
import { makeSignInLink } from '@flotilla/domain/people/accounts/sign-in-link.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type DocumentedOperation, documentedOperations } from '@flotilla/testing/documented-operations.ts';
import { type RestAnswer, type RestCall, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type JsonSchema, wrongTexts, wrongValues } from '@flotilla/testing/wrong-values.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { apiDocument } from '../docs/api-document.ts';
import { handlers } from './handlers.ts';

/**
 * Calls every operation of the API document with valid and invalid input, as every kind of client; each response must
 * match the document. A new operation needs valid inputs in EXAMPLES below, or this file does not compile.
 */

type OperationName = keyof typeof operations;
type Input = Record<string, unknown>;
/** The inputs of a valid call; the function makes new data for each call. */
type Example = () => Input | Promise<Input>;

const NO_SUCH_ID = 999_999;
/** A reason continues the sentence after the field's name: lower case, and no "a object" from a library. */
const READABLE = /^(?!.*\ba [aeiou])[a-z]/;
const CHAT = 424_242;
const GROUP = -1_004_242_424_242;

let api: TestApi;
let redis: RedisHandles;
let backend: TestBackend;
let admin: RestClient;
let owner: RestClient;
/** The same user without any right. */
let withoutRights: RestClient;
let stranger: RestClient;
/** A key of an account that sees all bots, including new ones. */
let seesAll: RestClient;
/** Keys limited to another bot, and to a bot that was deleted. */
let ofOtherBot: RestClient;
let ofDeletedBot: RestClient;
/** A user with a bot of its own, whom nothing of the examples belongs to; and a key of an admin for the same bot. */
let neighbour: RestClient;
let ofNeighbour: RestClient;
let neighbourBotId: number;
let deletedBotId: number;
let nobody: RestClient;
let botId: number;
let adminKeyId: number;
/** A bot that is pushed to a backend. */
let pushedBotId: number;
let accountsMade = 0;
let programsMade = 0;
const PROGRAM_SETTINGS = {
  ...{ mode: 'pull', secret_token: 'relay-secret' },
  ...{ max_connections: 5, kinds: ['message'], exclusive: false, order: 7, silent_after_s: 60, sees_held: true },
  filter: {
    chat_ids: [-1001234567890],
    thread_ids: [0, 120],
    bound_only: false,
    chat_types: ['group'],
    user_ids: [7],
    keyword: 'a',
    commands: ['b'],
    text: '^c',
  },
};

const newToken = async () => (await api.platform.createBot({})).token;
const newBot = async (): Promise<number> => {
  const added = await admin('POST', '/api/bots/add', { body: { token: await newToken() } });
  return (added.json as { id: number }).id;
};
const TEMPLATE = {
  ...{ name: 'Shop {username}', backend_url: 'http://127.0.0.1:9/{id}', long_poll_enabled: true },
  programs: [{ name: 'orders', kinds: ['message'], filter: { commands: ['order'] } }],
  commands: [{ command: 'start', description: 'Begin' }],
};
/** A bot that the example's bot manages at the platform. */
const newManagedBot = async (): Promise<number> => {
  const person = (await api.platform.createPerson({})).id;
  const made = await api.platform.createManagedBot({ person, bot: Number((await tokenOfBot()).split(':')[0]) });
  const { id } = (await admin('POST', '/api/bots/add', { body: { token: made.token } })).json as { id: number };
  await api.database.db.updateTable('bots').set({ parent_bot_id: botId }).where('id', '=', id).execute();
  return id;
};
const newKey = async (): Promise<number> => {
  const made = await admin('POST', '/api/auth/api-keys', { body: { name: 'example' } });
  return (made.json as { id: number }).id;
};

/** The only one: its new name must be free. */
const newView = async (): Promise<number> => {
  await api.database.db.deleteFrom('saved_views').execute();
  const added = await admin('POST', '/api/views/add', { body: (await EXAMPLES.addSavedView()) as Input });
  return (added.json as { id: number }).id;
};

const newSession = async (): Promise<string> => {
  await nobody('POST', '/api/auth/login', { body: { username: 'admin', password: ADMIN_PASSWORD } });
  const [newest] = (await admin('GET', '/api/auth/sessions')).json as { id: string }[];
  return newest!.id;
};

const newSignInLink = async (): Promise<string> => {
  const { account } = (await findAccount(api.database.db, 'admin'))!;
  return makeSignInLink({ db: api.database.db, redis, clock: systemClock }, account);
};

const keyOfBot = async (id: number, role: 'admin' | 'user'): Promise<RestClient> => {
  const made = await admin('POST', '/api/auth/api-keys', { body: { name: 'of one bot', role, bot_ids: [id] } });
  return restClient(api.url, (made.json as { key: string }).key);
};

const newMember = async (): Promise<number> => {
  const { id } = await api.platform.createPerson({});
  await api.platform.setMember({ chat: GROUP, person: id, status: 'member' });
  return id;
};
const newChatAdmin = async (): Promise<number> => {
  const user = await newMember();
  await admin('POST', '/api/admins/promote', { body: { bot_id: botId, chat_id: GROUP, user_id: user } });
  return user;
};
const newMessage = async (): Promise<number> => {
  const sent = await admin('POST', '/api/messages/send', { body: { bot_id: botId, chat_id: GROUP, text: 'Hello' } });
  return (sent.json as { id: number }).id;
};
const tokenOfBot = async (): Promise<string> => {
  const bots = (await admin('GET', '/api/bots')).json as { id: number; token: string }[];
  return bots.find(({ id }) => id === botId)?.token ?? '';
};
/** A picture that the bot sent through the proxy. */
const newFile = async (): Promise<string> => {
  const form = new FormData();
  form.set('chat_id', String(GROUP));
  form.set('photo', new Blob(['a picture']), 'a.jpg');
  const url = `${api.url}/tgapi/bot${await tokenOfBot()}/sendPhoto`;
  const sent = (await (await fetch(url, { method: 'POST', body: form })).json()) as {
    result: { photo: { file_id: string }[] };
  };
  return sent.result.photo[0]?.file_id ?? '';
};
/** A reader takes one try a second. */
const forgetTries = () => redis.commands.del(botKeys(neighbourBotId).recentTry('push'));
const newTag = async (): Promise<number> => {
  const added = await admin('POST', '/api/tags/add', { body: await EXAMPLES.addTag() });
  return (added.json as { id: number }).id;
};
const newList = async (): Promise<number> =>
  ((await admin('POST', '/api/lists/add', { body: { name: 'Customers' } })).json as { id: number }).id;
const newQuestion = async (): Promise<number> => {
  const body = { bot_id: botId, chat_id: CHAT, text: 'Ready?', options: ['Yes', 'No'] };
  return ((await api.admin('POST', '/api/questions/add', { body })).json as { id: number }).id;
};

const newNote = async (): Promise<number> => {
  const added = await admin('POST', '/api/notes/add', { body: await EXAMPLES.addNote() });
  return (added.json as { id: number }).id;
};
const newReply = async (): Promise<number> => {
  const added = await admin('POST', '/api/replies/add', { body: await EXAMPLES.addReply() });
  return (added.json as { id: number }).id;
};
const newEntry = async (state: 'queued' | 'failed' | 'held' = 'queued'): Promise<number> => {
  const added = await admin('POST', '/api/outbox/add', { body: EXAMPLES.addOutboxEntry() as Input });
  const { id } = added.json as { id: number };
  const settledAt = state === 'failed' ? new Date() : null;
  const changed = api.database.db.updateTable('outbox').set({ state, settled_at: settledAt });
  await changed.where('id', '=', id).execute();
  return id;
};

const newBroadcast = async (): Promise<number> => {
  // A bot has a limited number of unfinished ones.
  await api.database.db.updateTable('broadcasts').set({ ended_at: new Date() }).execute();
  const added = await admin('POST', '/api/broadcasts/add', { body: (await EXAMPLES.addBroadcast()) as Input });
  return (added.json as { id: number }).id;
};

const newRule = async (): Promise<number> => {
  const added = await admin('POST', '/api/routes/add', { body: await EXAMPLES.addRoutingRule() });
  return (added.json as { id: number }).id;
};
const newSink = async (): Promise<number> => {
  const added = await admin('POST', '/api/event-sinks/add', { body: await EXAMPLES.addEventSink() });
  return (added.json as { id: number }).id;
};
const newProgram = async (): Promise<number> => {
  const added = await admin('POST', '/api/programs/add', { body: await EXAMPLES.addProgram() });
  return (added.json as { id: number }).id;
};
const newPushProgram = async (): Promise<number> => {
  const id = await newProgram();
  await admin('POST', '/api/programs/update', { body: { id, mode: 'push', backend_url: backend.url } });
  return id;
};
const newProgramToken = async (): Promise<number> => {
  const added = await admin('POST', '/api/programs/tokens/add', { body: await EXAMPLES.addProgramToken() });
  return (added.json as { id: number }).id;
};
const newBoundChat = async () => {
  const chat = { program_id: await newProgram(), chat_id: CHAT };
  const values = { ...chat, bot_id: botId, user_id: null, revision: 1 };
  await api.database.db.insertInto('program_chats').values(values).execute();
  return chat;
};
const newSignedBot = async (): Promise<number> => {
  const id = await newBot();
  await admin('POST', '/api/bots/rotate-signing', { body: { bot_id: id } });
  return id;
};
const newSignedProgram = async (): Promise<number> => {
  const id = await newProgram();
  await admin('POST', '/api/programs/rotate-signing', { body: { program_id: id } });
  return id;
};
/** An update that is retried, as a turn leaves it in Redis. */
const newRetrying = async (): Promise<number> => {
  const { state, lanes, lane, redriven, work } = botKeys(pushedBotId);
  const entry = { id: 1, raw: '{"update_id":1}', kind: '', lane: 'k:', at: 1, expires: Date.now() + 60_000 };
  const record = { attempts: 1, lastStatus: 502, lastError: 'x', reasonCode: 'refused', nextTryAtMs: Date.now() };
  const times = { firstFailedAtMs: 1, lastFailedAtMs: 1, expiresAtMs: Date.now() };
  await redis.commands.del(lane('k:'));
  await redis.commands.hset(redriven, 'r1', JSON.stringify(entry));
  await redis.commands.rpush(lane('k:'), 'r1');
  await redis.commands.zadd(lanes, Date.now() + 60_000, 'k:');
  await redis.commands.hset(work, 'r:r1', JSON.stringify({ ...record, ...times }));
  await redis.commands.hset(state, 'pushPending', 1);
  return 1;
};
const newDeadLetter = async (): Promise<number> => {
  const letter = {
    bot_id: pushedBotId,
    reader: 'push',
    update_id: 1,
    payload: '{"update_id":1}',
    reason: 'x',
    reason_code: 'refused',
    attempts: 1,
  };
  const added = api.database.db.insertInto('dead_letters').values(letter).returning('id');
  return (await added.executeTakeFirstOrThrow()).id;
};
const newDeliveryJob = async (): Promise<number> => {
  const made = await admin('POST', '/api/deliveries/redrive', { body: await EXAMPLES.redriveDeliveries() });
  return (made.json as { job_id: number }).job_id;
};
const newAccount = async (): Promise<number> => {
  const added = await admin('POST', '/api/auth/users/add', { body: await EXAMPLES.addAccount() });
  return (added.json as { id: number }).id;
};
const inGroup = (rest: Input = {}): Input => ({ bot_id: botId, chat_id: GROUP, ...rest });
const page = { limit: 5, offset: 0 };
const FILTER = { media_type: 'photo', user_id: CHAT, thread_id: 0, from: 1_700_000_000, to: '2099-01-01T00:00:00Z' };

const EXAMPLES: Record<OperationName, Example> = {
  login: () => ({ username: 'admin', password: ADMIN_PASSWORD }),
  signInByLink: async () => ({ token: await newSignInLink() }),
  listSignInWays: () => ({}),
  logout: () => ({}),
  showOwnAccount: () => ({}),
  changePassword: () => ({ old_password: ADMIN_PASSWORD, new_password: `${ADMIN_PASSWORD}!` }),
  showSecondFactor: () => ({}),
  beginTotp: () => ({ password: ADMIN_PASSWORD }),
  confirmTotp: () => ({ code: '123456' }),
  removeTotp: () => ({ password: ADMIN_PASSWORD, code: '123456' }),
  beginPasskey: () => ({ password: ADMIN_PASSWORD }),
  addPasskey: () => ({ name: 'Laptop', passkey: '{}' }),
  removePasskey: () => ({ id: 1, password: ADMIN_PASSWORD, code: '123456' }),
  askForPasskey: () => ({ username: 'admin', password: ADMIN_PASSWORD }),
  resetSecondFactor: async () => {
    const id = await newAccount();
    const factor = { account_id: id, totp_sealed: 'sealed', confirmed_at: new Date() };
    await api.database.db.insertInto('second_factors').values(factor).execute();
    return { id };
  },
  listSessions: () => ({}),
  endSession: async () => ({ id: await newSession() }),
  listApiKeys: () => ({ limit: 5, offset: 0 }),
  createApiKey: () => ({ name: 'example', role: 'user', bot_ids: [botId], expires_at: '2099-01-01T00:00:00Z' }),
  toggleApiKey: async () => ({ id: await newKey(), enabled: false }),
  deleteApiKey: async () => ({ id: await newKey() }),
  listAccounts: () => page,
  showAccount: async () => ({ id: await newAccount() }),
  addAccount: () => {
    accountsMade += 1;
    const names = { username: `example-${accountsMade}`, display_name: 'An example' };
    return {
      ...names,
      password: 'a long password',
      role: 'user',
      bot_ids: [botId],
      rights: ['broadcast'],
      must_change_password: true,
    };
  },
  updateAccount: async () => ({
    id: await newAccount(),
    display_name: 'Another name',
    role: 'user',
    bot_ids: null,
    rights: [],
  }),
  deleteAccount: async () => ({ id: await newAccount() }),
  resetPassword: async () => ({
    id: await newAccount(),
    password: 'another password',
    must_change_password: false,
    revoke_keys: true,
  }),
  showFleet: () => ({}),
  showSystem: () => ({}),
  adoptInstallation: () => ({}),
  setReadOnly: () => ({ read_only: false, reason: 'an upgrade' }),
  showReadOnly: () => ({}),
  confirmRemoval: async () => {
    const waiting = { waiting_rows: 5_000, waiting_since: new Date(), waiting_before: new Date(), confirmed_at: null };
    await api.database.db
      .insertInto('removals')
      .values({ table_name: 'messages', ...waiting })
      .onConflict((conflict) => conflict.column('table_name').doUpdateSet(waiting))
      .execute();
    return { table: 'messages', rows: 5_000 };
  },
  showApiRoot: () => ({}),
  listAttention: () => ({ bot_id: botId, kinds: 'nobody_reads,poller_silent', limit: 5, offset: 0 }),
  listBots: () => ({
    ...{ q: 'e', ids: [botId], label: 'shop', attention: 'nobody_reads', state: 'not_polled', sort: 'pending' },
    ...{ parent_bot_id: botId, limit: 5, offset: 0 },
  }),
  showBot: () => ({ id: botId }),
  addBot: async () => ({
    token: (await api.platform.createBot({ manages: true })).token,
    adopts: true,
    template: TEMPLATE,
    name: 'An example',
    manage_enabled: true,
    proxy_enabled: false,
    backend_url: backend.url
      .replace('://', '://somebody:a-url-password@')
      .concat('/hook/a-secret-path?key=a-secret-query'),
    secret_token: 'a-secret',
    long_poll_enabled: true,
    description: 'Nothing in particular',
    webhook_mode: false,
    max_connections: 10,
    allowed_updates: ['message'],
  }),
  validateToken: async () => ({ token: await newToken() }),
  updateBot: () => ({ id: botId, name: 'A new name', max_connections: 20, pace: { per_second: 30 }, labels: ['shop'] }),
  moveBot: async () => ({ id: await newBot(), upstream: 'local' }),
  toggleBotDisabled: async () => ({ id: await newBot() }),
  takeBackBot: () => ({ id: botId }),
  revealToken: () => ({ id: botId }),
  showCreationLink: async () => {
    await admin('POST', '/api/bots/update', { body: { id: botId, adopts: true } });
    return { bot_id: botId, username: 'an_example_bot', name: 'An example' };
  },
  rotateToken: async () => ({ id: await newManagedBot() }),
  deleteBot: async () => ({ id: await newBot() }),
  testDelivery: async () => {
    await redis.commands.del(botKeys(pushedBotId).recentTestDelivery);
    return { bot_id: pushedBotId, update: { update_id: 7, message: { text: 'Hello' } } };
  },
  testProgramDelivery: async () => {
    await redis.commands.del(botKeys(botId).recentTestDelivery);
    return { id: await newPushProgram(), update: { update_id: 7, message: { text: 'Hello' } } };
  },
  checkBackendHealth: () => ({ id: botId }),
  checkProgramHealth: async () => ({ id: await newPushProgram() }),
  listReaders: () => ({ bot_id: pushedBotId }),
  listProgramReaders: () => ({ bot_id: pushedBotId }),
  resumeBackend: async () => {
    await redis.commands.del(botKeys(pushedBotId).recentTry('push'));
    return { bot_id: pushedBotId };
  },
  resumeProgramBackend: async () => ({ id: await newPushProgram() }),
  forgetConsumer: async () => {
    await admin('GET', '/api/updates/poll', { query: { bot_id: botId, timeout: 0, consumer: 'example' } });
    return { bot_id: botId, consumer: 'example' };
  },
  listPrograms: () => ({ bot_id: botId, ...page }),
  showProgram: async () => ({ id: await newProgram() }),
  addProgram: async () => {
    programsMade += 1;
    if (programsMade % 50 === 0) await api.database.db.deleteFrom('programs').execute();
    return { bot_id: botId, name: `example ${programsMade}`, ...PROGRAM_SETTINGS, enabled: true };
  },
  updateProgram: async () => ({ id: await newProgram(), name: `another ${programsMade}`, ...PROGRAM_SETTINGS }),
  toggleProgram: async () => ({ id: await newProgram(), enabled: false }),
  deleteProgram: async () => ({ id: await newProgram() }),
  listProgramTokens: async () => ({ program_id: await newProgram(), ...page }),
  addProgramToken: async () => ({
    ...{
      program_id: await newProgram(),
      name: 'example',
      methods: ['send', 'getChat'],
      chats: [GROUP],
      threads: [0, 120],
    },
    ...{ rate: { per_second: 5, per_minute: 60 }, expires_at: '2099-01-01T00:00:00Z' },
  }),
  deleteProgramToken: async () => ({ id: await newProgramToken() }),
  addProgramLink: async () => ({ program_id: await newProgram(), expires_in_s: 3600, uses: 2 }),
  revokeProgramLinks: async () => ({ program_id: await newProgram() }),
  listProgramChats: async () => ({ program_id: await newProgram(), ...page }),
  unbindProgramChat: newBoundChat,
  rotateBotSigning: async () => ({ bot_id: await newSignedBot() }),
  removeBotSigning: async () => ({ bot_id: await newSignedBot() }),
  rotateProgramSigning: async () => ({ program_id: await newSignedProgram() }),
  removeProgramSigning: async () => ({ program_id: await newSignedProgram() }),
  listProgramRefusals: async () => ({ id: await newProgram() }),
  listChats: () => ({
    ...{ bot_id: botId, order: 'recent', q: 'a', type: 'private', unread: true, limit: 5, offset: 0 },
    ...{ assigned_to: 'me', state: 'open', awaits_answer: true },
  }),
  takeOverChat: async () => {
    await newMessage();
    return inGroup({ minutes: 30 });
  },
  releaseChat: async () => {
    await newMessage();
    await admin('POST', '/api/chats/takeover', { body: inGroup() });
    return inGroup({ deliver_missed: true });
  },
  listAssignees: () => ({ bot_id: botId }),
  assignChat: async () => {
    await newMessage();
    return inGroup({ account_id: 1 });
  },
  markChatDone: async () => {
    await newMessage();
    return inGroup();
  },
  reopenChat: async () => {
    await newMessage();
    return inGroup();
  },
  listReplies: () => ({ bot_id: botId, ...page }),
  showReply: async () => ({ id: await newReply() }),
  addReply: () => ({ name: 'Hello', text: 'Hello {first_name}', parse_mode: 'HTML', bot_ids: [botId] }),
  updateReply: async () => ({ id: await newReply(), name: 'Bye', parse_mode: null, bot_ids: [botId] }),
  deleteReply: async () => ({ id: await newReply() }),
  countUnreadChats: () => ({}),
  showChat: async () => {
    await newMessage();
    return inGroup();
  },
  markChatRead: async () => inGroup({ message_id: await newMessage() }),
  listMessages: () => ({ bot_id: botId, chat_id: CHAT, limit: 5, offset: 0, include_deleted: true, ...FILTER }),
  listTopics: () => inGroup({ limit: 5, offset: 0 }),
  refreshChat: () => inGroup(),
  searchMessages: () => inGroup({ q: 'hello', notes: false, ...FILTER, ...page }),
  exportChat: () => inGroup({ format: 'csv', ...FILTER }),
  showChatPhoto: async () => {
    const form = new FormData();
    form.set('chat_id', String(GROUP));
    form.set('photo', new Blob(['a picture']), 'a.jpg');
    await fetch(`${api.url}/tgapi/bot${await tokenOfBot()}/setChatPhoto`, { method: 'POST', body: form });
    return inGroup();
  },
  showChatUserPhoto: async () => {
    await newMessage();
    const token = await tokenOfBot();
    const form = new FormData();
    form.set('photo', JSON.stringify({ type: 'static', photo: 'attach://file' }));
    form.set('file', new Blob(['a picture']), 'a.jpg');
    await fetch(`${api.url}/tgapi/bot${token}/setMyProfilePhoto`, { method: 'POST', body: form });
    return inGroup({ user_id: Number(token.split(':')[0]) });
  },
  downloadFile: async () => ({ bot_id: botId, file_id: await newFile() }),
  deleteChat: async () => {
    await newTag();
    return inGroup();
  },
  editMessage: async () =>
    inGroup({
      message_id: await newMessage(),
      text: '<b>Bye</b>',
      parse_mode: 'HTML',
      reply_markup: { inline_keyboard: [[{ text: 'Again', callback_data: 'again' }]] },
    }),
  deleteMessage: async () => inGroup({ message_id: await newMessage() }),
  pinMessage: async () => inGroup({ message_id: await newMessage() }),
  unpinMessage: async () => inGroup({ message_id: await newMessage() }),
  listChatUsers: () => inGroup({ q: 'a', ...page }),
  showChatUser: async () => {
    await newTag();
    return inGroup({ user_id: CHAT });
  },
  findPeople: () => ({ bot_id: botId, q: 'a', limit: 5 }),
  banChatUser: async () => inGroup({ user_id: await newMember(), until_date: 2_000_000_000, revoke_messages: true }),
  unbanChatUser: async () => inGroup({ user_id: await newMember() }),
  erasePerson: async () => ({ user_id: (await api.platform.createPerson({})).id, dry_run: false }),
  exportPerson: () => ({ user_id: 424_243 }),
  listChatAdmins: () => inGroup(page),
  setChatAdminTitle: async () => inGroup({ user_id: await newChatAdmin(), title: 'Librarian' }),
  promoteChatUser: async () => inGroup({ user_id: await newMember(), permissions: { can_pin_messages: true } }),
  demoteChatAdmin: async () => inGroup({ user_id: await newChatAdmin() }),
  listTags: () => inGroup(page),
  listTagsOfUser: () => inGroup({ user_id: 5, ...page }),
  addTag: async () => inGroup({ user_id: await newMember(), username: 'ann', tag: 'friend', color: '#00AA00' }),
  removeTag: async () => ({ id: await newTag() }),
  listNotes: () => ({ ...inGroup(), q: 'refund', unread: false, ...page }),
  showNote: async () => ({ id: await newNote() }),
  addNote: async () => {
    await newTag();
    return inGroup({ text: 'Refund agreed', mentions: [] });
  },
  updateNote: async () => ({ id: await newNote(), text: 'Refunded', mentions: [] }),
  deleteNote: async () => ({ id: await newNote() }),
  markNotesRead: () => inGroup(),
  listPresence: async () => {
    await newTag();
    await admin('POST', '/api/chats/presence', { body: inGroup({ doing: 'viewing' }) });
    return { bot_id: botId };
  },
  countChatQueues: () => ({ bot_ids: [botId] }),
  listSavedViews: () => ({ screen: 'inbox' }),
  addSavedView: () => ({ name: 'Refunds', filter: { queue: 'waiting', bot_id: botId, tag: 'refund', unread: true } }),
  renameSavedView: async () => ({ id: await newView(), name: 'To refund' }),
  deleteSavedView: async () => ({ id: await newView() }),
  notePresence: async () => {
    await newTag();
    return inGroup({ doing: 'viewing' });
  },
  listEvents: async () => ({
    id: await newest('events'),
    bot_id: botId,
    kinds: 'bot.added,poller.silent',
    since: '2020-01-01T00:00:00Z',
    until: '2099-01-01T00:00:00Z',
    ...page,
  }),
  listEventSinks: () => ({ ...page }),
  showEventSink: async () => ({ id: await newSink() }),
  addEventSink: () => ({
    ...{ name: 'On call', bot_id: botId, chat_id: CHAT, kinds: ['poller.silent'], bot_ids: [botId], enabled: true },
    awaits_minutes: 30,
  }),
  updateEventSink: async () => ({
    ...{ id: await newSink(), name: 'Desk', bot_id: botId, chat_id: CHAT, kinds: null, bot_ids: null, enabled: false },
  }),
  deleteEventSink: async () => ({ id: await newSink() }),
  testEventSink: async () => ({ id: await newSink() }),
  addQuestion: () => ({
    bot_id: botId,
    chat_id: CHAT,
    text: 'Ready?',
    options: ['Yes', 'No'],
    allowed_user_ids: [CHAT],
  }),
  listQuestions: () => ({ bot_id: botId, chat_id: CHAT, state: 'open', ...page }),
  addBroadcast: () => ({
    ...{ bot_id: botId, name: 'An example', method: 'sendMessage', params: { text: 'Hello' } },
    audience: {
      ...{ chat_ids: [CHAT], chat_types: ['private'], tags: ['customer'], exclude_blocked: true },
      active_since: '2026-01-01T00:00:00Z',
      ...{ inactive_since: '2099-01-01T00:00:00Z', language_codes: ['en'] },
    },
    ...{ per_second: 5, send_at: Math.floor(Date.now() / 1000) + 86_400, dry_run: false },
  }),
  listBroadcasts: () => ({ bot_id: botId, state: 'scheduled', ...page }),
  showBroadcast: async () => ({ id: await newBroadcast() }),
  updateBroadcast: async () => ({ id: await newBroadcast(), per_second: null, name: 'Another name' }),
  listAudienceChoices: () => ({ bot_id: botId, q: 'cust' }),
  exportBroadcastFailures: async () => ({
    id: await newBroadcast(),
    format: 'csv',
    state: 'failed',
    error: 'Bad Request',
  }),
  listChatLists: () => page,
  addChatList: () => ({ name: 'Customers' }),
  appendToChatList: async () => ({ id: await newList(), chat_ids: [CHAT, 6] }),
  deleteChatList: async () => ({ id: await newList() }),
  pauseBroadcast: async () => ({ id: await newBroadcast() }),
  resumeBroadcast: async () => {
    const id = await newBroadcast();
    await admin('POST', '/api/broadcasts/pause', { body: { id } });
    return { id };
  },
  cancelBroadcast: async () => ({ id: await newBroadcast() }),
  showQuestion: async () => ({ id: await newQuestion() }),
  waitForQuestion: async () => ({ id: await newQuestion(), timeout: 0 }),
  cancelQuestion: async () => ({ id: await newQuestion() }),
  addOutboxEntry: () => ({
    ...{ bot_id: botId, method: 'sendMessage', params: { chat_id: CHAT, text: 'Later' }, priority: 'bulk' },
    ...{ send_at: '2020-01-01T00:00:00Z', expires_at: 4_100_000_000, idempotency_key: crypto.randomUUID() },
  }),
  listOutbox: () => ({
    ...{ bot_id: botId, chat_id: CHAT, state: 'queued', priority: 'normal', broadcast_id: 1 },
    ...{ since: 1_700_000_000, until: '2099-01-01T00:00:00Z', ...page },
  }),
  countOutbox: () => ({
    bot_id: botId,
    chat_id: CHAT,
    priority: 'bulk',
    broadcast_id: 1,
    since: '2026-01-01T00:00:00Z',
    until: '2027-01-01T00:00:00Z',
  }),
  showOutboxEntry: async () => ({ id: await newEntry() }),
  cancelOutboxEntries: async () => ({ bot_id: botId, ids: [await newEntry()], dry_run: false }),
  releaseOutboxEntries: async () => ({ bot_id: botId, ids: [await newEntry('held')], dry_run: false }),
  restoreOutboxEntries: async () => {
    const ids = [await newEntry()];
    await admin('POST', '/api/outbox/cancel', { body: { ids } });
    return { ids };
  },
  resendOutboxEntries: async () => ({ ids: [await newEntry('failed')] }),
  listRoutingRules: () => ({ bot_id: botId, q: 'invoice', ...page }),
  addRoutingRule: () => ({
    source_bot_id: botId,
    target_bot_id: botId,
    condition_type: 'text',
    condition_value: '^invoice [0-9]+$',
    action: 'copy',
    target_chat_id: CHAT,
    enabled: true,
    description: 'An example',
  }),
  showRoutingRule: async () => ({ id: await newRule() }),
  updateRoutingRule: async () => ({ id: await newRule(), action: 'hold', action_minutes: 30, enabled: false }),
  listRouteDecisions: () => ({ bot_id: botId, limit: 10 }),
  checkInitData: () => ({ bot_id: botId, init_data: 'auth_date=1&hash=00' }),
  reorderRoutingRules: async () => {
    const id = await newBot();
    const rule = { source_bot_id: id, condition_type: 'all', action: 'drop' };
    const add = async () => ((await admin('POST', '/api/routes/add', { body: rule })).json as { id: number }).id;
    const [first, second] = [await add(), await add()];
    return { bot_id: id, ids: [second, first] };
  },
  tryRoutingRules: () => ({
    bot_id: botId,
    message: { message_id: 1, chat: { id: CHAT, type: 'private' }, text: 'Hi' },
    rule: { condition_type: 'keyword', condition_value: 'Hi', action: 'drop' },
  }),
  deleteRoutingRule: async () => ({ id: await newRule() }),
  listAuditEntries: async () => {
    const filter = { action: 'tag_add', actor: 'admin', from: 1, to: '2099-01-01T00:00:00Z' };
    await newTag();
    return inGroup({ id: await newest('audit_log'), ...filter, ...page });
  },
  showChatStats: () => inGroup(),
  listBotActivity: () => ({ bot_ids: [botId] }),
  showActivity: () => ({
    bot_id: botId,
    step: 'hour',
    from: Math.floor(Date.now() / 1000) - 7200,
    to: '2099-01-01T00:00:00Z',
  }),
  sendMessage: () => ({
    bot_id: botId,
    chat_id: CHAT,
    text: 'Hello',
    thread_id: 0,
    disable_notification: true,
    reply_markup: { keyboard: [[{ text: 'Yes' }, { text: 'No' }]], resize_keyboard: true },
  }),
  listDeliveries: () => ({
    bot_id: botId,
    ...{ state: 'dead', reader: 'push', reason_code: 'refused', status: '5xx', q: 'bad gateway' },
    ...{ since: 1_700_000_000, until: '2099-01-01T00:00:00Z', ...page },
  }),
  listDeliveryAttempts: () => ({
    ...{ bot_id: botId, reader: 'push', ok: true, status: '2xx', chat_id: CHAT, update_id: 1 },
    ...{ since: 1_700_000_000, until: '2099-01-01T00:00:00Z', limit: 5 },
  }),
  showDeliveredUpdate: async () => {
    await newDeadLetter();
    return { bot_id: pushedBotId, update_id: 1 };
  },
  tryDeliveriesNow: async () => {
    await redis.commands.del(botKeys(pushedBotId).recentTry('push'));
    return { bot_id: pushedBotId, reader: 'push', update_ids: [await newRetrying()] };
  },
  skipDeliveries: async () => ({ bot_id: pushedBotId, reader: 'push', update_ids: [await newRetrying()] }),
  redriveDeliveries: async () => ({ bot_id: pushedBotId, ids: [await newDeadLetter()], dry_run: false }),
  discardDeliveries: async () => {
    await newDeadLetter();
    const filter = { state: 'dead', reader: 'push', status: '0', since: 1, q: 'x' };
    return { bot_id: pushedBotId, filter, dry_run: false };
  },
  showDeliveryJob: async () => ({ id: await newDeliveryJob() }),
  watchLive: () => ({ topics: ['fleet', `bot:${botId}`, `chat:${botId}:${GROUP}`, `attempts:${botId}`] }),
  listUpdates: () => ({ bot_id: botId, limit: 5 }),
  showUpdate: async () => {
    await newDeadLetter();
    return { bot_id: pushedBotId, update_id: 1 };
  },
  replayUpdate: async () => {
    await newDeadLetter();
    const { recentTestDelivery, redriven, attempts } = botKeys(pushedBotId);
    await redis.commands.del(recentTestDelivery, redriven, botKeys(pushedBotId).lane('0'));
    // No worker runs here: its attempt is written for it.
    void waitFor(async () => {
      const [copy] = await redis.commands.hkeys(redriven);
      if (copy === undefined) return false;
      await redis.commands.lpush(attempts, `${Date.now()} 1 - 200 5 1 1 @${copy} +`);
      return true;
    }).catch(() => {});
    return { bot_id: pushedBotId, update_id: 1, reader: 'push' };
  },
  pollUpdates: () => ({ bot_id: botId, offset: 0, limit: 10, timeout: 0, consumer: 'desk', sees_held: true }),
};

async function newest(table: 'events' | 'audit_log'): Promise<number> {
  const ofBot = api.database.db.selectFrom(table).select('id').where('bot_id', '=', botId).orderBy('id', 'desc');
  return (await ofBot.executeTakeFirstOrThrow()).id;
}

/** Values for ids that an example leaves out. */
const LEFT_OUT_IDS: Record<string, () => unknown> = {
  program_id: () => newProgram(),
  ids: async () => [await newDeadLetter()],
  user_id: async () => {
    const named = api.database.db.selectFrom('accounts').select('id').where('username', '=', 'owner');
    return (await named.executeTakeFirstOrThrow()).id;
  },
  target_bot_id: () => botId,
  bot_ids: () => [botId],
  candidate_bot_ids: () => [botId],
};

/** An id of the same form that names nothing. */
function unknownId(known: unknown): unknown {
  if (Array.isArray(known)) return known.map(unknownId);
  return typeof known === 'string' ? 'f'.repeat(known.length) : NO_SUCH_ID;
}

/** The ids that we gave, and those of chats where only our records can tell that there is such a chat. */
function namesOurs(name: string, { method, inputs }: DocumentedOperation): boolean {
  if (!/^ids?$|_ids?$/.test(name) || /^(upto|update|file|thread|business_connection|.*message.*)_id$/.test(name))
    return false;
  if (name === 'user_id') return inputs.chat_id === undefined;
  return !/chat_id$/.test(name) || method === 'GET';
}

beforeAll(async () => {
  const local = await startSimulator();
  [api, backend] = await Promise.all([
    startTestApi({ TELEGRAM_UPSTREAMS: `local=${local.url};proxy=direct` }),
    startBackend(),
  ]);
  api.endBefore(() => local.stop());
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(() => redis.close());
  admin = restClient(api.url, ADMIN_KEY);
  nobody = restClient(api.url);
  const platformBot = await api.platform.createBot({ manages: true });
  const added = await admin('POST', '/api/bots/add', {
    body: { token: platformBot.token, backend_url: backend.url, long_poll_enabled: true },
  });
  botId = (added.json as { id: number }).id;
  await api.platform.createChat({ id: GROUP, type: 'supergroup', admins: [{ bot: platformBot.id }] });
  const person = await api.platform.createPerson({ id: CHAT });
  await api.platform.startBot({ person: person.id, bot: platformBot.id });
  pushedBotId = (await api.addBot({ proxy_enabled: true, backend_url: backend.url })).id;
  const { db } = api.database;
  adminKeyId = (await db.selectFrom('api_keys').select('id').executeTakeFirstOrThrow()).id;
  const rights = [...ACCOUNT_RIGHTS];
  const ofOwner = { username: 'owner', bots: [botId, pushedBotId] };
  owner = restClient(api.url, (await insertAccount(db, { ...ofOwner, rights })).key);
  withoutRights = restClient(api.url, (await insertAccount(db, { ...ofOwner, username: 'without-rights' })).key);
  stranger = restClient(api.url, (await insertAccount(db, { username: 'stranger', rights })).key);
  seesAll = restClient(api.url, (await insertAccount(db, { username: 'sees-all', bots: null, rights })).key);
  ofOtherBot = await keyOfBot(await newBot(), 'admin');
  neighbourBotId = await newBot();
  const ofNeighbourBot = { username: 'neighbour', bots: [neighbourBotId], rights };
  neighbour = restClient(api.url, (await insertAccount(db, ofNeighbourBot)).key);
  ofNeighbour = await keyOfBot(neighbourBotId, 'admin');
  deletedBotId = await newBot();
  ofDeletedBot = await keyOfBot(deletedBotId, 'user');
  await admin('POST', '/api/bots/delete', { body: { id: deletedBotId } });
}, 60_000);

afterAll(async () => {
  await api?.stop();
  await backend?.stop();
});

/** Checks every response against the document, whatever else a test checks. */
async function call(client: RestClient, operation: DocumentedOperation, input: Input): Promise<RestAnswer> {
  const { method, path } = operation;
  const answer =
    method === 'POST'
      ? await client('POST', path, { body: input })
      : await client('GET', path, { query: texts(input) });
  expect(operation.contradictions(answer)).toEqual([]);
  return answer;
}

function texts(input: Input): NonNullable<RestCall['query']> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : `${value}`,
    ]),
  );
}

function expectError(answer: RestAnswer, status: number): z.output<typeof errorAnswer> {
  const error = errorAnswer.parse(answer.json);
  // One expectation: each costs as much as the rest of these checks together.
  const found = { status: answer.status, ofCode: ERROR_STATUS[error.code], id: answer.headers.get('x-request-id') };
  expect({ ...found, error: error.error }).toEqual({
    ...{ status, ofCode: status, id: error.request_id },
    error: expect.any(String),
  });
  return error;
}

/** A caller can compare all but this: ids of the request and of what it made differ in any case. */
function shapeOf({ status, json, text }: RestAnswer): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { status, json: json ?? text };
  const { request_id: _request, job_id: _job, ...rest } = json as Input;
  return { status, json: rest };
}

async function auditLog(): Promise<AuditEntryResource[]> {
  return (await admin('GET', '/api/adminlog')).json as AuditEntryResource[];
}

/** Values that no audit entry may contain: those of fields named like secrets, and the secret parts of a URL. */
function secretsOf(...places: unknown[]): string[] {
  return places.flatMap((place) =>
    Object.entries((place ?? {}) as Input).flatMap(([name, value]) => {
      if (typeof value !== 'string' || value === '') return [];
      if (name !== 'backend_url') return /token|password|^key$/.test(name) ? [value] : [];
      const { password, searchParams } = new URL(value);
      return [password, ...searchParams.values()].filter((part) => part !== '');
    }),
  );
}

function expectSuccess(answer: RestAnswer): void {
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) });
}

function reasons(answer: RestAnswer, field: string): string[] {
  const { details = [] } = expectError(answer, 400);
  expect(details.filter(({ reason }) => !READABLE.test(reason))).toEqual([]);
  const found = details.filter(({ path }) => path === field || path.startsWith(`${field}.`));
  return found.map(({ reason }) => reason);
}

/** A number in cursors of every form that a list has. */
function cursorsOf(number: number, text = ''): (number | string)[][] {
  const forms = ['n', 'nn', 'nt', 'tn', 'nnn', 'nnt', 'tnn', 'ttn', 'nnnnt'];
  return forms.map((form) => [...form].map((part) => (part === 'n' ? number : text)));
}

/** The reason for a value that is no integer of that schema. */
function rangeOf({ minimum, maximum }: JsonSchema): string {
  const bounds = { [Number.MIN_SAFE_INTEGER]: '-(2^53-1)', [Number.MAX_SAFE_INTEGER]: '2^53-1' };
  const [from, to] = [minimum, maximum].map((bound) => bounds[bound as number] ?? bound);
  return `must be an integer from ${from} to ${to}`;
}

const DOCUMENTED = documentedOperations(apiDocument());
const OPERATIONS = new Map(Object.entries<Operation>(operations));

test('the document that is served is the one that is walked here', async () => {
  const served = await nobody('GET', '/openapi.json');
  expect(served.json).toEqual(JSON.parse(JSON.stringify(apiDocument())));
});

test('every operation is in the document, so that none goes untested', () => {
  expect(DOCUMENTED.map(({ name }) => name).sort()).toEqual([...OPERATIONS.keys()].sort());
});

/** A success would change the credentials of the other tests, or needs a quarantine, so these have tests of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['changePassword', 'beginTotp', 'confirmTotp', 'removeTotp', 'beginPasskey', 'addPasskey', 'removePasskey'],
  // It leaves an entry only where a guess reaches the limit.
  'askForPasskey',
  'adoptInstallation',
]);

describe.each(DOCUMENTED.map((documented) => [documented.name, documented] as const))('%s', (name, documented) => {
  // An account has a limited number of keys.
  beforeAll(async () => {
    const names = ['example', 'limited', 'expires'];
    await api.database.db.deleteFrom('api_keys').where('name', 'in', names).execute();
  });
  const operation = OPERATIONS.get(name)!;
  const { role, inputs, method, path } = documented;
  const example = () => Promise.resolve(EXAMPLES[name as OperationName]());
  let made: Promise<Input> | undefined;
  /** One for all calls that are refused, since none of them changes what it names. */
  const anExample = () => {
    made ??= example();
    return made;
  };
  const naming = operation.botInputs?.[0];
  const asAdmin = () => (role === 'public' ? nobody : admin);
  const isOpenToUsers = role === 'any';
  // An API key has no session to sign out of.
  const isAudited = (operation.audit ?? []).length > 0 && name !== 'logout';

  if (!ELSEWHERE.has(name)) {
    test('answers a valid call of an admin as documented', async () => {
      const answer = await call(asAdmin(), documented, await example());
      expectSuccess(answer);
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      operation.output.parse(isJson ? answer.json : answer.text);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    test(isAudited ? 'leaves one audit entry: who did it, and no secret' : 'leaves no audit entry', async () => {
      const [input, [newest]] = [await example(), await auditLog()];
      const answer = await call(asAdmin(), documented, input);
      expectSuccess(answer);
      const entries = (await auditLog()).filter(({ id }) => id > newest!.id);
      const by = role === 'public' ? { actor_kind: 'account' } : { actor_kind: 'key', actor_key_id: adminKeyId };
      const entry = { ...by, actor_id: 1, actor_username: 'admin', address: '127.0.0.1' };
      expect(entries).toEqual(isAudited ? [expect.objectContaining(entry)] : []);
      for (const { action } of entries) expect(operation.audit).toContain(action);
      for (const secret of secretsOf(input, answer.json)) expect(JSON.stringify(entries)).not.toContain(secret);
    });

    if (method === 'POST') {
      test('takes its inputs urlencoded and from the query string just as well', async () => {
        const form = new URLSearchParams(texts(await example()) as Record<string, string>).toString();
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        expectSuccess(await asAdmin()('POST', path, { body: form, headers }));
        expectSuccess(await asAdmin()('POST', path, { query: texts(await example()) }));
      });
    }
  }

  if (role !== 'public') {
    test('is 401 without a credential, whatever else is wrong', async () => {
      const answer = await call(nobody, documented, { unknown_field: 1 });
      expectError(answer, 401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    });
  }

  if (operation.wholeFleet === true) {
    test('is 403 for a key of an admin that is limited to some bots', async () => {
      const made = await admin('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: [botId] } });
      expectError(await call(restClient(api.url, (made.json as { key: string }).key), documented, {}), 403);
    });
  }

  if (operation.right !== undefined) {
    test('is 403 for a user of the bot who lacks the right', async () => {
      const answer = await call(withoutRights, documented, await example());
      expect(expectError(answer, 403).error).toBe(`The right \`${operation.right}\` is required`);
    });
  }

  const { fleetWithout } = operation;
  if (fleetWithout !== undefined) {
    test('without a bot is for admins who see all bots, and 403 for others before its inputs are looked at', async () => {
      const { [fleetWithout]: _bot, ...ofFleet } = await example();
      expectSuccess(await call(admin, documented, ofFleet));
      for (const client of [owner, seesAll, ofOtherBot]) {
        for (const input of [ofFleet, { unknown_field: 1 }]) expectError(await call(client, documented, input), 403);
      }
    });
  }

  if (operation.keyed !== undefined) {
    test('is carried out once for an Idempotency-Key, and 422 with other inputs', async () => {
      const { idempotency_key: _key, ...input } = await example();
      const headers = { 'idempotency-key': `every:${name}` };
      const keyed = (body: Input) => admin('POST', path, { body, headers });
      const [first, again] = [await keyed(input), await keyed(input)];
      expectSuccess(first);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      const replayed = [first, again].map((answer) => answer.headers.get('idempotency-replayed'));
      expect(replayed).toEqual([null, isKeyed(operation) ? 'true' : null]);
      const params = { chat_id: CHAT, text: 'Something else' };
      const other = await keyed({ ...input, ...('params' in input ? { params } : { text: params.text }) });
      expect(expectError(other, 422).code).toBe('idempotency_mismatch');
      for (const answer of [again, other]) expect(documented.contradictions(answer)).toEqual([]);
    });
  }

  if (operation.lasting === true) {
    test('is 403 for a key of an admin that expires', async () => {
      const body = { name: 'expires', expires_at: '2099-01-01T00:00:00Z' };
      const made = await admin('POST', '/api/auth/api-keys', { body });
      expectError(await call(restClient(api.url, (made.json as { key: string }).key), documented, {}), 403);
    });
  }

  if (role === 'admin') {
    test('is 403 for the user role before its inputs are looked at', async () => {
      expect(expectError(await call(owner, documented, {}), 403).error).toBe('Admin role required');
    });
  } else if (naming !== undefined) {
    test('is open to a user who has the bot, and 403 for one who has not', async () => {
      expectSuccess(await call(owner, documented, await example()));
      expectError(await call(stranger, documented, await example()), 403);
      expectError(await call(stranger, documented, { [naming]: botId, unknown_field: 1 }), 403);
      expectError(await call(stranger, documented, { [naming]: NO_SUCH_ID }), 403);
    });
  }

  if (naming !== undefined) {
    test('is 404 for a bot that is not there, and 400 when something else is wrong besides', async () => {
      const input = { ...(await example()), [naming]: NO_SUCH_ID };
      expect(expectError(await call(admin, documented, input), 404).error).toBe('Bot not found');
    });

    test('tells nobody else whether a bot is not there or is not theirs', async () => {
      const input = await example();
      const refusals = role === 'admin' ? [ofOtherBot] : [stranger, ofOtherBot, ofDeletedBot];
      const calls = refusals.flatMap((client) => [botId, deletedBotId, NO_SUCH_ID].map((id) => [client, id] as const));
      if (role !== 'admin') for (const id of [deletedBotId, NO_SUCH_ID]) calls.push([seesAll, id]);
      const answers = await Promise.all(
        calls.map(([client, id]) => call(client, documented, { ...input, [naming]: id })),
      );
      const sentences = answers.map((answer) => expectError(answer, 403).error);
      expect([...new Set(sentences)]).toEqual(['This bot is not among yours']);
    });
  }

  const ids = Object.keys(inputs).filter((field) => field !== naming && namesOurs(field, documented));
  const places = naming === undefined ? [] : inputs[naming]?.required ? ['bot'] : ['bot', 'none'];
  const askedWith = ids
    .filter((field) => role !== 'public' && operation.aliases?.[field] === undefined)
    .flatMap((field) => (places.length === 0 ? ['none'] : places).map((place) => [field, place] as const));
  for (const [field, place] of askedWith) {
    const where = place === 'bot' ? `, asked for ${naming} of one's own` : '';
    test(`tells nobody else whether ${field} names nothing or what is not theirs${where}`, async () => {
      const { [naming ?? '']: _bot, ...known } = await example();
      const foreign = {
        ...{ ...known, [field]: known[field] ?? (await LEFT_OUT_IDS[field]?.()) },
        ...(naming !== undefined && place === 'bot' ? { [naming]: neighbourBotId } : {}),
      };
      expect(foreign[field]).toBeDefined();
      for (const client of operation.wholeFleet === true ? [neighbour] : [neighbour, ofNeighbour]) {
        await forgetTries();
        const ofOthers = await call(client, documented, foreign);
        await forgetTries();
        const ofNobody = await call(client, documented, { ...foreign, [field]: unknownId(foreign[field]) });
        expect(shapeOf(ofOthers)).toEqual(shapeOf(ofNobody));
      }
    });
  }

  for (const [field, { schema, required }] of Object.entries(inputs)) {
    const proper = operation.aliases?.[field] ?? field;

    if (required) {
      test(`requires ${field}`, async () => {
        const { [field]: _left, ...rest } = await anExample();
        expect(reasons(await call(asAdmin(), documented, rest), field)).toEqual(['is required']);
        if (isOpenToUsers) expect(reasons(await call(owner, documented, rest), field)).toEqual(['is required']);
      });
    }

    test(`refuses ${field} of a wrong type, out of range or too long, and says so to those who may know`, async () => {
      const wrong = method === 'POST' ? wrongValues(schema) : wrongTexts(schema);
      const { [proper]: _right, ...rest } = await anExample();
      // One after the other they would take twice the processor time: this process and Redis would take turns to sleep.
      const refusals = wrong.map(async (value) => {
        const input = { ...rest, [field]: value };
        const answer = await call(asAdmin(), documented, input);
        const found = reasons(answer, proper);
        expect({ value, isNamed: found.length > 0 }).toEqual({ value, isNamed: true });
        if (schema.type === 'integer') expect(found).toEqual([rangeOf(schema)]);
        if (isOpenToUsers) expectError(await call(owner, documented, input), 400);
      });
      await Promise.all(refusals);
      if (role === 'public' || wrong.length === 0) return;
      const input = { ...rest, [field]: wrong[0] };
      expectError(await call(nobody, documented, input), 401);
      const handler = handlers[name as OperationName];
      const belongsToBot = typeof handler === 'object' && proper !== (handler.findBotsBy ?? 'id');
      const knowsNothing = role === 'admin' || belongsToBot || (naming !== undefined && naming !== proper);
      expectError(await call(stranger, documented, input), knowsNothing ? 403 : 400);
    });
  }

  if (inputs.before !== undefined) {
    test('refuses a cursor with numbers that no list has made', async () => {
      const example = await EXAMPLES[name as OperationName]();
      const sorts = name === 'listBots' ? [undefined, 'name', 'pending'] : [undefined];
      for (const sort of sorts) {
        for (const number of [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1e300, 1.5]) {
          for (const cursor of cursorsOf(number, sort)) {
            const before = Buffer.from(JSON.stringify(cursor)).toString('base64url');
            const answer = await call(admin, documented, { ...example, before, ...(sort && { sort }) });
            // The largest number may be an id.
            if (number !== Number.MAX_SAFE_INTEGER) expectError(answer, 400);
            else expect(answer.status).toBeLessThan(500);
          }
        }
      }
    });
  }

  if (inputs.limit?.schema['x-above-maximum'] === 'lowered') {
    test('lowers a limit above its maximum instead of refusing it', async () => {
      const limit = (inputs.limit?.schema.maximum as number) + 1;
      expectSuccess(await call(admin, documented, { ...(await example()), limit }));
    });
  }

  if (method === 'POST') {
    test('refuses an unknown field by its name, and says every fault at once', async () => {
      const input = { ...(await example()), tyop: 1, __proto: 2 };
      for (const client of isOpenToUsers ? [admin, owner] : [asAdmin()]) {
        const answer = await call(client, documented, input);
        expect(reasons(answer, 'tyop')).toEqual(['is not a field of this call']);
        expect(reasons(answer, '__proto')).toEqual(['is not a field of this call']);
      }
    });
  }

  test('refuses an unknown query parameter by its name, but for those that caches and clients add', async () => {
    const ask = async (query: Input) => {
      const input = await example();
      const inQuery = method === 'GET' ? { ...input, ...query } : query;
      const answer = await asAdmin()(method, path, {
        query: texts(inQuery),
        ...(method === 'POST' ? { body: input } : {}),
      });
      expect(documented.contradictions(answer)).toEqual([]);
      return answer;
    };
    expect(reasons(await ask({ tyop: 1, '': 2 }), 'tyop')).toEqual(['is not a field of this call']);
    if (!ELSEWHERE.has(name)) expectSuccess(await ask({ _: 1_790_000_000, _cache: 'no' }));
  });

  test('is 405 with the right method in Allow when called with another', async () => {
    for (const known of operation.paths) {
      const answer = await admin('PUT', known);
      expectError(answer, 405);
      expect(answer.headers.get('allow')?.split(', ')).toContain(method);
    }
  });
});
