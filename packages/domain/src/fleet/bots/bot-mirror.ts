import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, configKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { ActiveProgram } from './active-program.ts';
import { type Bot, pushes, routes } from './bot.ts';
import type { Dropped, StoredCursorChange } from './cursor-change.ts';
import { filterConfigOf } from './filter-config.ts';
import { toFormerNames } from './former-names.ts';
import { registrationOf } from './registration.ts';
import { SEALED_PLACES } from './sealed-bot.ts';

type MirrorDeps = { redis: RedisHandles; secrets: SecretBox };

/** `stored`: changes of cursors, applied once by whoever is first. `drop`: waiting updates to drop, in this call only. */
export type Effects = { stored?: readonly StoredCursorChange[]; drop?: Dropped };

/** `waits`: updates wait for push. `isOld`: Redis has a newer configuration, so nothing was done. */
export type Mirrored = { waits: boolean; isOld: boolean };

/** Updates the bot's state in Redis, then notifies every process. */
export async function mirrorBot(deps: MirrorDeps, bot: Bot, effects: Effects = {}): Promise<Mirrored> {
  let applied = await applyBot(deps, bot, effects);
  // Updates accepted since the first call must not be dropped.
  while (applied.more) applied = await applyBot(deps, bot, {});
  const sealed = deps.secrets.seal(JSON.stringify(toFormerNames(bot)), SEALED_PLACES.mirrored(bot.id, bot.revision));
  await scripts.writeConfig(deps.redis.commands, configKeys, { botId: bot.id, revision: bot.revision, sealed });
  return { waits: applied.waits, isOld: applied.isOld };
}

/** `more`: a deleted program left more dead letters than one call makes. */
type Applied = Mirrored & { more: boolean };

async function applyBot(deps: MirrorDeps, bot: Bot, { stored = [], drop = {} }: Effects): Promise<Applied> {
  const keys = botKeys(bot.id);
  const filters = filterConfigOf(bot);
  const reply = await scripts.applyBot(deps.redis.commands, keys, {
    ...registrationOf(bot),
    revision: bot.revision,
    on: !bot.disabled,
    pull: bot.long_poll_enabled,
    push: pushes({ ...bot, disabled: false }),
    rules: routes(bot),
    manage: bot.manage_enabled,
    allowed: bot.allowed_updates === null ? '' : `,${bot.allowed_updates.join(',')},`,
    seesHeld: `,${bot.programs.flatMap(({ id, sees_held }) => (sees_held ? [id] : [])).join(',')},`,
    programs: `,${bot.programs.map(({ id }) => id).join(',')},`,
    pushing: bot.programs
      .filter(({ mode }) => mode === 'push')
      .map((program) => pushingProgram(bot, program))
      .join(''),
    filters: filters.text,
    filtersDigest: filters.digest,
    moves: bot.moves,
    reservedId: bot.reserved_update_id,
    changesJson: JSON.stringify(stored),
    drops: drop.dropPending ?? false,
    dropsOf: drop.dropPendingOf ?? null,
    lanePrefix: keys.lane(''),
    rulesLanePrefix: keys.rulesLane(''),
    programPrefix: keys.programPrefix,
  });
  const { waits, more } = reply.outcome === 'OK' ? reply : { waits: false, more: false };
  return { waits, isOld: reply.outcome === 'OLD', more };
}

/**
 * A program that pushes, for apply-bot. Its target tells whether its updates go elsewhere now, or with other secrets. The
 * bot's token is in it, so that nobody can find a short secret by trying.
 */
function pushingProgram({ token }: Bot, program: ActiveProgram): string {
  const { id, enabled, backend_url, secret_token, backend_certificate, backend_ip_address, signing } = program;
  const settings = [token, backend_url, secret_token, backend_certificate, signing];
  const target = sha256Hex(JSON.stringify(backend_ip_address === '' ? settings : [...settings, backend_ip_address]));
  return ` ${id}:${enabled ? 1 : 0}:${target.slice(0, 16)}`;
}

/** Removes a deleted bot from Redis and from every process. */
export async function unmirrorBot(deps: Pick<MirrorDeps, 'redis'>, botId: number): Promise<void> {
  const keys = botKeys(botId);
  const { commands } = deps.redis;
  await scripts.forgetBot(commands, keys, {
    botId,
    lanePrefix: keys.lane(''),
    rulesLanePrefix: keys.rulesLane(''),
    programPrefix: keys.programPrefix,
  });
  await scripts.writeConfig(commands, configKeys, { botId, revision: null, sealed: '' });
  await deps.redis.removeKeys(`${keys.prefix}:`);
}

/** Marks the mirror as complete, if it is not marked yet. Before that, no process has a snapshot. */
export async function completeMirror(deps: { redis: RedisHandles; clock: Clock }): Promise<void> {
  // The clock gives the version, so that a version drawn after a data loss is above the lost one.
  await deps.redis.commands.set(configKeys.version, deps.clock.nowMs(), 'NX');
}
