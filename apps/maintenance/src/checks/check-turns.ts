import { SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { turnQueue } from '@flotilla/redis/turn-queue.ts';
import { type DiagnosisDeps, named } from './diagnosis-deps.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Upkeep wakes a turn whose wake was lost after 5 s. */
const LEFT_BEHIND_MS = 60_000;
const WAITS_LONG_MS = 30_000;
const KINDS = ['polling', 'push', 'programs', 'rules', 'outbox', 'history'] as const;

/** Turns that nobody runs though they are due. `bots`: the ids of all bots there are. */
export async function checkTurns(deps: DiagnosisDeps, bots: ReadonlySet<number>): Promise<Finding[]> {
  const read = (shard: number) =>
    scripts.readPendingTurns(deps.redis.commands, shardKeys(shard), { forMs: LEFT_BEHIND_MS });
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => read(shard)));
  const [orphans, late] = [new Set<string>(), new Set<string>()];
  for (const turns of shards) {
    for (const name of turns.late) (isOfBot(name, bots) ? late : orphans).add(name);
  }
  const findings: Finding[] = [];
  const upkeep =
    'see that a worker with the role upkeep runs and has no errors in its log; it wakes them within seconds';
  if (late.size > 0) findings.push(fail('turns', `left behind for over a minute: ${named([...late])}`, upkeep));
  if (orphans.size > 0) {
    findings.push(
      warn(
        'turns',
        `of bots that do not exist: ${named([...orphans])}`,
        'they hold nothing up; Redis was restored, perhaps',
      ),
    );
  }
  const waiting = await waitingKinds(deps);
  if (waiting.length > 0) {
    findings.push(
      warn(
        'turns',
        `wait for a worker for over 30 s: ${waiting.join(', ')}`,
        'add workers of that role: docs/operations/scale.md',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('turns', 'none is left behind, and none waits for long')];
}

/** `<bot id>:<kind>`, or `history`, which is of a shard. */
function isOfBot(name: string, bots: ReadonlySet<number>): boolean {
  return name === 'history' || bots.has(Number.parseInt(name, 10));
}

async function waitingKinds({ redis, clock }: DiagnosisDeps): Promise<string[]> {
  const waits = KINDS.map(async (kind) => {
    const queue = turnQueue(redis, kind);
    try {
      return (await queue.oldestPendingMs(clock.nowMs())) > WAITS_LONG_MS ? [kind] : [];
    } finally {
      await queue.close();
    }
  });
  return (await Promise.all(waits)).flat();
}
