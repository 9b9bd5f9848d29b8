import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedToken } from './audited-program.ts';
import { creatorOf } from './creator.ts';
import { lockProgram } from './lock-program.ts';
import { NO_BACKEND } from './program.ts';
import { programStore } from './program-store.ts';
import { programTokenStore } from './program-token-store.ts';

/** Revokes a token on every process; the backend that it set gets nothing any more. Throws 'not_found'. */
export async function deleteProgramToken(deps: ChangeRulesDeps, by: Actor, id: number): Promise<void> {
  await changeRules(deps, by, async (db) => {
    const tokens = programTokenStore(db);
    const token = await tokens.find(id);
    if (token === null) throw new FlotillaError('not_found', 'Token not found');
    const program = await lockProgram(db, deps.secrets, token.program_id);
    if (!(await tokens.remove(id))) throw new FlotillaError('not_found', 'Token not found');
    const audited = auditedToken('program_token_delete', program, token);
    if (program.webhook_token_id !== id) return { result: undefined, botIds: [program.bot_id], audited };
    await programStore(db, deps.secrets).update(program.id, { ...NO_BACKEND, webhook_token_id: null }, creatorOf(by));
    const details = `${audited.details}; the webhook that it set was deleted`;
    return { result: undefined, botIds: [program.bot_id], audited: { ...audited, details } };
  });
}
