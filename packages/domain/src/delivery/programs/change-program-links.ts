import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { LINK_TOKEN_PREFIX } from './binding-start.ts';
import { lockProgram } from './lock-program.ts';
import type { Program } from './program.ts';
import { programChatStore } from './program-chat-store.ts';
import { programLinkStore } from './program-link-store.ts';
import type { ProgramToken } from './program-token.ts';
import { programTokenStore } from './program-token-store.ts';
import { refuseLosingChange } from './refuse-lost-updates.ts';

/** With the prefix 36 of the 64 characters that a start parameter has. */
const TOKEN_BYTES = 24;
const OPEN_AT_MOST = 1_000;

/**
 * Makes a link that binds chats to a program. Every process knows before that such links are open. Only the answer has the token. Throws
 * 'not_found', or 'bad_request' for too many links, or a token that must not see every chat of the program.
 */
export async function addProgramLink(
  deps: ChangeRulesDeps,
  by: Actor,
  programId: number,
  { uses, expires_in_s }: { uses: number; expires_in_s: number },
): Promise<{ token: string; expires_at: Date; username: string }> {
  const token = `${LINK_TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  return changeRules(deps, by, async (db) => {
    const program = await lockProgram(db, deps.secrets, programId);
    const links = programLinkStore(db);
    await links.removeClosed(programId);
    if ((await links.countOpen(programId)) >= OPEN_AT_MOST) {
      throw new FlotillaError('bad_request', `A program can have at most ${OPEN_AT_MOST} open links`);
    }
    if (program.chats_revision === 0) {
      const revision = await programChatStore(db).countChange(programId);
      refuseUnseenChats(
        program,
        { ...program, chats_revision: revision },
        await programTokenStore(db).all(programId),
        deps,
      );
    }
    const link = await links.insert(programId, { hash: sha256Hex(token), uses, expires_in_s });
    const bot = deps.directory.byId(program.bot_id);
    if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
    const details = `program ${programId}; uses: ${uses}; until ${link.expires_at.toISOString()}`;
    const audited = { action: 'program_link_add', bot_id: program.bot_id, details } as const;
    const result = { token, expires_at: link.expires_at, username: bot.username };
    return { result, botIds: [program.bot_id], audited };
  });
}

/** A program that may get any chat must not be read, or pushed to, by a token that is limited to some. */
function refuseUnseenChats(before: Program, after: Program, tokens: ProgramToken[], { clock }: ChangeRulesDeps): void {
  const setter = tokens.find(({ id }) => id === before.webhook_token_id);
  if (setter !== undefined && setter.chats !== null) {
    throw new FlotillaError(
      'bad_request',
      `The token "${setter.name}", which set the webhook of this program, is limited to chats. Revoke it, or add a program for the link`,
    );
  }
  refuseLosingChange(before, after, tokens, clock.nowMs());
}

/** Ends the open links of a program. Throws 'not_found'. */
export async function revokeProgramLinks(deps: ChangeRulesDeps, by: Actor, programId: number): Promise<void> {
  await changeRules(deps, by, async (db) => {
    const { bot_id } = await lockProgram(db, deps.secrets, programId);
    const count = await programLinkStore(db).revoke(programId);
    const audited = {
      action: 'program_link_revoke',
      bot_id,
      details: `program ${programId}; links: ${count}`,
    } as const;
    return { result: undefined, botIds: [bot_id], audited };
  });
}

/** Throws 'not_found', also if the chat is not bound. */
export async function unbindChat(deps: ChangeRulesDeps, by: Actor, programId: number, chat_id: number): Promise<void> {
  await changeRules(deps, by, async (db) => {
    const { bot_id } = await lockProgram(db, deps.secrets, programId);
    if (!(await programChatStore(db).remove(programId, chat_id)))
      throw new FlotillaError('not_found', 'Chat not found');
    const details = `program ${programId}`;
    const audited = { action: 'program_unbind', bot_id, chat_id, details } as const;
    return { result: undefined, botIds: [bot_id], audited };
  });
}
