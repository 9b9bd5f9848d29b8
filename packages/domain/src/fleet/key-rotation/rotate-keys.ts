import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { OPERATOR } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { resealMirrored } from './reseal-mirrored.ts';
import { resealStored } from './reseal-stored.ts';
import { emptyTally, type Tally, type TallyLine } from './tally.ts';

export type RotationDeps = { db: Database; redis: RedisHandles; secrets: SecretBox; signal: AbortSignal };

export type Rotation = {
  /**
   * `done`: the first key alone opens everything, each text at its place. `old-left`: other listed keys are still
   * needed. `locked`: no listed key opens some texts.
   */
  outcome: 'done' | 'old-left' | 'locked';
  resealed: number;
  /** How much is sealed with which key, from the last pass. */
  lines: TallyLine[];
};

const PASSES = 5;

/**
 * Records the rotation in the audit log, then seals every stored secret for its place with the first key of
 * ENCRYPTION_KEY. Processes may run meanwhile with the same keys in any order. It repeats its pass until nothing is
 * left to do, and may be interrupted and started again.
 */
export async function rotateKeys(deps: RotationDeps & { clock: Clock }): Promise<Rotation> {
  await recordAction(deps, OPERATOR, { action: 'keys_rotate', details: `to the key "${deps.secrets.keyId}"` });
  let resealed = 0;
  let tally = emptyTally();
  for (let pass = 0; pass < PASSES; pass += 1) {
    tally = await look(deps, false);
    resealed += tally.resealed;
    if (tally.resealed === 0 && tally.overtaken === 0) break;
  }
  return { outcome: outcomeOf(tally), resealed, lines: tally.lines };
}

/** Counts what is sealed with which key, and changes nothing. */
export async function countKeys(deps: RotationDeps): Promise<Rotation> {
  const tally = await look(deps, true);
  return { outcome: outcomeOf(tally), resealed: 0, lines: tally.lines };
}

async function look(deps: RotationDeps, lookOnly: boolean): Promise<Tally> {
  const tally = emptyTally();
  // Postgres first: if a bot changes in between, its own process mirrors it with the new key.
  await resealStored(deps, tally, lookOnly);
  await resealMirrored(deps, tally, lookOnly);
  return tally;
}

function outcomeOf({ lines }: Tally): Rotation['outcome'] {
  if (lines.some((line) => line.sealing === 'unknown' || line.sealing === 'unreadable')) return 'locked';
  return lines.some((line) => line.sealing === 'old') ? 'old-left' : 'done';
}
