import type { DeliveryReader } from '@flotilla/contract/deliveries.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { allowTry } from '../readers/allow-try.ts';
import { listRetrying } from './list-retrying.ts';

type ActDeps = {
  db: Database;
  redis: RedisHandles;
  clock: Clock;
  turns: Record<'push' | 'rules' | 'programs' | 'history', TurnQueue>;
};
/** Updates that one reader of a bot retries. */
type Chosen = {
  reader: Exclude<DeliveryReader, 'history'>;
  program_id?: number | undefined;
  update_ids: readonly number[];
};

const ACTIONS = { try: 'delivery_try', skip: 'delivery_skip' } as const;

/**
 * Has updates that a reader retries tried now, or given up as dead letters, so that later ones of their chats go on. Those
 * that are being tried, and those that are not retried any more, are left alone. Returns how many were acted on. Throws
 * 'too_many_requests' for a second try of the reader within a second.
 */
export async function actOnRetrying(
  deps: ActDeps,
  by: Actor,
  bot: Bot,
  act: keyof typeof ACTIONS,
  chosen: Chosen,
): Promise<number> {
  const { reader } = chosen;
  const program_id = chosen.program_id;
  const name = program_id === undefined ? reader : programReaderName(program_id);
  if (act === 'try') await allowTry(deps.redis, bot.id, name);
  const { rows } = await listRetrying(deps, [bot], { reader, program_id });
  const units = rows.filter(({ updateId }) => chosen.update_ids.includes(updateId)).map(({ unitId }) => unitId);
  if (units.length === 0) return 0;
  const { lanePrefix, ...keys } = keysOf(bot, reader, program_id);
  const done = await deps.db.transaction().execute(async (db) => {
    await requireAuditable(db);
    const of = { ...registrationOf(bot), lanePrefix };
    const reply = await scripts.actOnRetrying(deps.redis.commands, keys, { ...of, reader: name, act, units });
    if (reply.outcome === 'GONE') throw new FlotillaError('not_found', 'Bot not found');
    if (reply.done > 0) {
      const details = `${name}; update_id: ${chosen.update_ids.join(', ')}; ${reply.done} done`;
      await recordAction({ ...deps, db }, by, { action: ACTIONS[act], bot_id: bot.id, details });
    }
    if (reply.wakeHistory) await deps.turns.history.wake(shardOf(bot.id));
    return reply.done;
  });
  if (program_id !== undefined) await deps.turns.programs.wake(program_id);
  else await deps.turns[reader === 'rules' ? 'rules' : 'push'].wake(bot.id);
  return done;
}

function keysOf(bot: Bot, reader: Chosen['reader'], programId: number | undefined) {
  const keys = botKeys(bot.id);
  const { rulesLanes, rulesInFlight, rulesWork, rulesRedriven } = keys;
  if (reader === 'rules') {
    const ofRules = { lanes: rulesLanes, inFlight: rulesInFlight, work: rulesWork, redriven: rulesRedriven };
    return { ...keys, ...ofRules, readerState: keys.state, lanePrefix: keys.rulesLane('') };
  }
  if (programId === undefined) return { ...keys, readerState: keys.state, lanePrefix: keys.lane('') };
  const { lanes, inFlight, work, redriven, state, lane } = programKeys(bot.id, programId);
  return { ...keys, lanes, inFlight, work, redriven, readerState: state, lanePrefix: lane('') };
}
