import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, configKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { ActiveProgram } from './active-program.ts';
import { type Bot, pushes, routes } from './bot.ts';
import type { Dropped, StoredCursorChange } from './cursor-change.ts';
import { filterConfigOf } from './filter-config.ts';
import { SEALED_PLACES } from './sealed-bot.ts';

type MirrorDeps = { redis: RedisHandles; secrets: SecretBox; clock: Clock };

/** `stored`: done here unless it was done before. `drop`: done now. */
export type Effects = { stored?: readonly StoredCursorChange[]; drop?: Dropped };

/** `waits`: updates wait for push. `isOld`: Redis has a newer configuration, so nothing was done. */
export type Mirrored = { waits: boolean; isOld: boolean };

/** Updates the bot's state in Redis, then notifies every process. */
export async function mirrorBot(deps: MirrorDeps, bot: Bot, effects: Effects = {}): Promise<Mirrored> {
  let applied = await applyBot(deps, bot, effects);
  // What was accepted since the first call must not be dropped.
  while (applied.more) applied = await applyBot(deps, bot, {});
  const sealed = deps.secrets.seal(JSON.stringify(bot), SEALED_PLACES.mirrored(bot.id, bot.revision));
  await runScript(deps.redis.commands, 'write-config', configScriptKeys, [bot.id, bot.revision, sealed]);
  return { waits: applied.waits, isOld: applied.isOld };
}

/** `more`: a deleted program left more dead letters than one call makes. */
type Applied = Mirrored & { more: boolean };

async function applyBot(deps: MirrorDeps, bot: Bot, { stored = [], drop = {} }: Effects): Promise<Applied> {
  const keys = botKeys(bot.id);
  const filters = filterConfigOf(bot);
  const flag = (on: boolean | undefined) => (on ? '1' : '0');
  const [status, waits, more] = await runScript(
    deps.redis.commands,
    'apply-bot',
    [
      keys.state,
      keys.log,
      keys.consumers,
      keys.deliveredByPush,
      keys.lanes,
      keys.inFlight,
      keys.work,
      keys.redriven,
      keys.history,
      keys.pendingTurns,
      ...rulesKeys(keys),
    ],
    [
      bot.registrationId,
      deps.clock.nowMs(),
      keys.lane(''),
      flag(bot.longPollEnabled),
      flag(pushes({ ...bot, disabled: false })),
      flag(bot.manageEnabled),
      flag(!bot.disabled),
      bot.allowedUpdates === null ? '' : `,${bot.allowedUpdates.join(',')},`,
      JSON.stringify(stored),
      bot.revision,
      bot.id,
      flag(routes(bot)),
      keys.rulesLane(''),
      bot.reservedUpdateId,
      `,${bot.programs.map(({ id }) => id).join(',')},`,
      filters.text,
      filters.digest,
      bot.programs
        .filter(({ mode }) => mode === 'push')
        .map((program) => pushingProgram(bot, program))
        .join(''),
      keys.programs,
      flag(drop.dropPending),
      drop.dropPendingOf ?? '',
    ],
  );
  return { waits: waits === '1', isOld: status === 'OLD', more: more === 1 };
}

/**
 * A program that pushes, for apply-bot. Its target tells whether its updates go elsewhere now, or with other secrets. The
 * bot's token is in it, so that nobody can find a short secret by trying.
 */
function pushingProgram({ token }: Bot, program: ActiveProgram): string {
  const { id, enabled, backendUrl, secretToken, backendCertificate, backendIpAddress, signing } = program;
  const settings = [token, backendUrl, secretToken, backendCertificate, signing];
  const target = sha256Hex(JSON.stringify(backendIpAddress === '' ? settings : [...settings, backendIpAddress]));
  return ` ${id}:${enabled ? 1 : 0}:${target.slice(0, 16)}`;
}

/** Removes a deleted bot from Redis and from every process. */
export async function unmirrorBot(deps: Pick<MirrorDeps, 'redis'>, botId: number): Promise<void> {
  const keys = botKeys(botId);
  const { commands } = deps.redis;
  await runScript(
    commands,
    'forget-bot',
    [
      keys.state,
      keys.log,
      keys.consumers,
      keys.deliveredByPush,
      keys.lanes,
      keys.inFlight,
      keys.work,
      keys.attempts,
      keys.redriven,
      keys.pendingTurns,
      ...rulesKeys(keys),
      keys.live,
    ],
    [keys.lane(''), botId, keys.rulesLane(''), keys.programs],
  );
  await runScript(commands, 'write-config', configScriptKeys, [botId, '', '']);
  await deps.redis.removeKeys(`${keys.prefix}:`);
}

/** Marks the mirror as complete, if it is not marked yet. Before that, no process has a snapshot. */
export async function completeMirror(deps: Pick<MirrorDeps, 'redis' | 'clock'>): Promise<void> {
  // The clock gives the version, so that a version drawn after a data loss is above the lost one.
  await deps.redis.commands.set(configKeys.version, deps.clock.nowMs(), 'NX');
}

function rulesKeys(keys: ReturnType<typeof botKeys>): string[] {
  return [keys.rulesLanes, keys.rulesInFlight, keys.rulesWork, keys.rulesRedriven];
}

const configScriptKeys = [configKeys.bots, configKeys.changes, configKeys.version];
