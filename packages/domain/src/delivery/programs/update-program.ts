import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { changeRules } from '../../fleet/bots/change-rules.ts';
import { maskedBackend } from '../../fleet/bots/masked-secrets.ts';
import { nameKinds } from '../../fleet/bots/named-kinds.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedProgram } from './audited-program.ts';
import { checkProgram } from './check-program.ts';
import { creatorOf } from './creator.ts';
import { lockProgram } from './lock-program.ts';
import type { Program, ProgramChanges } from './program.ts';
import type { ProgramDeps } from './program-deps.ts';
import { programStore } from './program-store.ts';
import { programTokenStore } from './program-token-store.ts';
import { refuseFilter } from './refuse-filter.ts';
import { refuseKnownName } from './refuse-known-name.ts';
import { refuseLargePrograms } from './refuse-large-programs.ts';
import { refuseLosingChange } from './refuse-lost-updates.ts';

/** `reason`: why it was changed, if the actor did not ask for it. */
type ChangeOptions = {
  reason?: string;
  dropPending?: boolean;
  /** Refuses what the change would meet. */
  check?: ((before: Program) => void) | undefined;
};

/**
 * Changes the named fields of a program; its cursor stays, unless what waits is dropped in the same step. A backend URL
 * or secret that is sent back as it was shown is no change. Throws 'not_found', 'conflict' (its name) or 'bad_request', also
 * for a new URL without a new secret from a user, who may not see the secret.
 */
export async function updateProgram(
  deps: ProgramDeps,
  by: Actor,
  id: number,
  wanted: ProgramChanges,
  { reason = '', dropPending = false, check }: ChangeOptions = {},
): Promise<Program> {
  const program = await changeRules(deps, by, async (db) => {
    const before = await lockProgram(db, deps.secrets, id);
    check?.(before);
    const changes = withSetter(withoutShown(before, wanted));
    refuseUnseenSecret(changes, before);
    checkProgram(deps, changes, before);
    const programs = programStore(db, deps.secrets);
    if (changes.filter !== undefined) refuseFilter(changes.filter, await programs.filters(before.bot_id, id));
    const result = await programs
      .update(id, { enabled: before.enabled, ...changes }, creatorOf(by))
      .catch(refuseKnownName);
    if (grows(changes)) await refuseLargePrograms(db, before.bot_id);
    // With a reason, nobody asked for the change, so nobody could do what a refusal says.
    if (reason === '') refuseLosingChange(before, result, await programTokenStore(db).all(id), deps.clock.nowMs());
    const switches = result.enabled !== before.enabled || onlySwitches(changes);
    const action = !switches ? 'program_update' : result.enabled ? 'program_enable' : 'program_disable';
    const dropped = dropPending ? 'pending updates dropped' : '';
    const audited = auditedProgram(action, result, before, [dropped, reason].filter((part) => part !== '').join('; '));
    return { result, botIds: [before.bot_id], audited, drop: dropPending ? { dropPendingOf: id } : {} };
  });
  await nameKinds(deps, { id: program.bot_id, named_kinds: [] }, [
    ...(wanted.kinds ?? []),
    ...(wanted.webhook_kinds ?? []),
  ]);
  // If this wake is lost, upkeep finds the pending turn.
  if (program.mode === 'push' && program.enabled) await deps.turns.programs.wake(id);
  return program;
}

function onlySwitches({ enabled, ...others }: ProgramChanges): boolean {
  return enabled !== undefined && Object.values(others).every((value) => value === undefined);
}

/** Only such changes are held to the limit of size: a program above it can still be paused or lose its backend. */
function grows({ kinds, filter, backend_url, backend_certificate, webhook_kinds }: ProgramChanges): boolean {
  return (
    [kinds, filter].some((list) => list !== undefined) || Boolean(backend_url || backend_certificate || webhook_kinds)
  );
}

/** A new URL has the rights of the person who gave it, or the limits of the token that set it, if one is named. */
function withSetter({ backend_role = 'user', ...changes }: ProgramChanges): ProgramChanges {
  return changes.backend_url === undefined
    ? changes
    : {
        webhook_token_id: null,
        webhook_kinds: null,
        backend_certificate: '',
        backend_ip_address: '',
        backend_role,
        ...changes,
      };
}

/** The new backend would get the secret of the old one. */
function refuseUnseenSecret({ backend_url, backend_role, secret_token }: ProgramChanges, before: Program): void {
  if (!backend_url || backend_role !== 'user' || secret_token !== undefined || before.secret_token === '') return;
  throw refusedInput('secret_token', 'must be given with a new backend_url, because you may not see the present one');
}

/** A URL that is given again unchanged keeps the limits of the token that set it. */
function withoutShown(program: Program, { backend_url, secret_token, ...changes }: ProgramChanges): ProgramChanges {
  const shown = maskedBackend(program);
  const isNew = (value: string | undefined, ...known: string[]) =>
    value !== undefined && (value === '' || !known.includes(value));
  return {
    ...changes,
    ...(isNew(backend_url, shown.backend_url, program.backend_url) ? { backend_url } : {}),
    ...(isNew(secret_token, shown.secret_token) ? { secret_token } : {}),
  };
}
