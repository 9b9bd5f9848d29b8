import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { isGrant } from '@flotilla/telegram/method-groups.ts';
import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedToken } from './audited-program.ts';
import { lockProgram } from './lock-program.ts';
import { grantedMethods } from './methods-of-users.ts';
import {
  newProgramToken,
  type ProgramToken,
  shownPrefix,
  type TokenCreator,
  type WantedToken,
} from './program-token.ts';
import { programTokenStore } from './program-token-store.ts';
import { refuseLargePrograms } from './refuse-large-programs.ts';
import { refuseLosingToken } from './refuse-lost-updates.ts';

const TOKENS_AT_MOST = 100;

/**
 * Makes a token of a program. Only the answer contains the token itself. It ends with the creator's key at the latest, and
 * by default then. Throws 'forbidden' (methods that its creator may not give), 'not_found' (the program), or 'bad_request'
 * for an unknown method, an end in the past or too late, too many tokens, or polls by which others would lose updates.
 */
export async function addProgramToken(
  deps: ChangeRulesDeps,
  by: Actor,
  creator: TokenCreator,
  program_id: number,
  asked: WantedToken,
): Promise<{ token: string; record: ProgramToken }> {
  const methods = grantedMethods(creator.role, asked.methods);
  const wanted = { ...asked, expires_at: endOfNewToken(creator, asked.expires_at) };
  checkRequest(deps, wanted);
  return changeRules(deps, by, async (db) => {
    const program = await lockProgram(db, deps.secrets, program_id);
    const tokens = programTokenStore(db);
    const others = await tokens.all(program_id);
    if (others.length >= TOKENS_AT_MOST) {
      throw new FlotillaError('bad_request', `A program can have at most ${TOKENS_AT_MOST} tokens`);
    }
    refuseLosingToken(program, { ...wanted, methods }, others, deps.clock.nowMs());
    const bot = deps.directory.byId(program.bot_id);
    if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
    const token = newProgramToken(bot.telegram_id);
    const record = await tokens.insert({
      ...{ ...wanted, methods, program_id },
      ...{ made_by: creator.username, made_by_id: creator.accountId, made_by_key: creator.keyId },
      ...{ token_hash: sha256Hex(token), token_prefix: shownPrefix(token) },
    });
    await refuseLargePrograms(db, program.bot_id);
    const audited = auditedToken('program_token_add', program, record);
    return { result: { token, record }, botIds: [program.bot_id], audited };
  });
}

function endOfNewToken({ endsAt }: TokenCreator, wanted: Date | null): Date | null {
  if (wanted !== null && endsAt !== null && wanted > endsAt) {
    const reason = `must not be later than the end of the key that makes it, ${endsAt.toISOString()}`;
    throw refusedInput('expires_at', reason);
  }
  return wanted ?? endsAt;
}

function checkRequest({ clock }: ChangeRulesDeps, { methods, chats, threads, expires_at }: WantedToken): void {
  if (threads !== null && chats?.length !== 1) {
    throw refusedInput(
      'threads',
      'needs exactly one chat in chats, because topics of different chats can have the same id',
    );
  }
  const unknown = (methods ?? []).filter((name) => !isGrant(name));
  if (unknown.length > 0) {
    throw refusedInput(
      'methods',
      `must name methods as the Bot API writes them, groups, new, or local_files; not: ${unknown.join(', ')}`,
    );
  }
  if (expires_at !== null && expires_at.getTime() <= clock.nowMs()) {
    throw refusedInput('expires_at', 'must be in the future');
  }
}
