import { CHATS_OF_PROGRAM } from '@flotilla/contract/program-chats.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import type { BindingStart } from './binding-start.ts';
import { lockProgram } from './lock-program.ts';
import { programChatStore } from './program-chat-store.ts';
import { programLinkStore } from './program-link-store.ts';
import { programStore } from './program-store.ts';

/** Why no chat was bound. */
type Refusal = 'no such link' | 'bound already' | 'no administrator' | 'too many chats';

const ADMINS = ['creator', 'administrator'];
const ITSELF: Actor = { kind: 'bot', address: null };

/**
 * Binds the chat in which a link was opened to the program of the link. May be repeated: a chat that is bound uses no link. Rejects when
 * Postgres is away, or the platform does not say who is an administrator.
 */
export async function bindChat(
  deps: ChangeRulesDeps & { platform: PlatformClient },
  bot: Bot,
  start: BindingStart,
): Promise<'bound' | Refusal> {
  const link = await programLinkStore(deps.db).findOpen(sha256Hex(start.token));
  const program = link && (await programStore(deps.db, deps.secrets).find(link.program_id));
  if (!program || program.bot_id !== bot.id) return 'no such link';
  if (await programChatStore(deps.db).has(program.id, start.chat_id)) return boundAlready(deps, bot);
  // Else a mere member could hand the group's messages to somebody.
  if (!(await isAdmin(deps.platform, bot, start))) return 'no administrator';
  try {
    await changeRules(deps, ITSELF, async (db) => {
      const { id, name } = await lockProgram(db, deps.secrets, program.id);
      const chats = programChatStore(db);
      if (await chats.has(id, start.chat_id)) throw new NotBound('bound already');
      if ((await chats.count(id)) >= CHATS_OF_PROGRAM) throw new NotBound('too many chats');
      if (!(await programLinkStore(db).use(link.id))) throw new NotBound('no such link');
      const { chat_id, user } = start;
      const ids = { program_id: id, bot_id: bot.id, chat_id };
      await chats.insert({ ...ids, user_id: user?.id ?? null, user_name: user?.name ?? '' });
      const text = `Chat ${chat_id} was bound to the program ${name} by a link`;
      await recordEvent(db, { kind: 'chat.bound', ...ids, text });
      // It names nobody: the person is in the row of the chat, where an erasure finds them.
      const audited = { action: 'program_bind', bot_id: bot.id, chat_id, details: `program ${id}` } as const;
      return { result: undefined, botIds: [bot.id], audited };
    });
  } catch (error) {
    if (!(error instanceof NotBound)) throw error;
    return error.refusal === 'bound already' ? boundAlready(deps, bot) : error.refusal;
  }
  return 'bound';
}

/** Who bound it may not have published it yet, and the caller's updates are judged by what is published. */
async function boundAlready(deps: ChangeRulesDeps, bot: Bot): Promise<'bound already'> {
  await republishBots(deps, [bot.id]);
  return 'bound already';
}

/** Undoes the transaction. */
class NotBound extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

async function isAdmin(platform: PlatformClient, bot: Bot, { isGroup, chat_id, user }: BindingStart): Promise<boolean> {
  if (!isGroup || user === null) return true;
  const asked = { chat_id, user_id: user.id };
  const member = resultOf(await platform.call(bot.token, 'getChatMember', asked)) as { status?: unknown };
  return ADMINS.includes(String(member.status));
}
