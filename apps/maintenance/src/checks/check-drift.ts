import { setTimeout as delay } from 'node:timers/promises';
import { botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { configKeys } from '@flotilla/redis/keys.ts';
import { type DiagnosisDeps, named } from './diagnosis-deps.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** A change reaches Redis some moments after Postgres. */
const LOOK_AGAIN_AFTER_MS = 3_000;

type Drift = { missing: number[]; gone: number[]; stale: number[] };

/** Checks that Redis has the bots of Postgres, as they are there. */
export async function checkDrift(deps: DiagnosisDeps): Promise<Finding[]> {
  let drift = await readDrift(deps);
  if (Object.values(drift).flat().length > 0) {
    await delay(LOOK_AGAIN_AFTER_MS);
    drift = stillThere(drift, await readDrift(deps));
  }
  const mend = 'a worker with the role upkeep repairs it within a minute; if it stays, read its log';
  const findings: Finding[] = [];
  const add = (what: string, ids: number[]) => {
    if (ids.length > 0) findings.push(fail('drift', `${what}: ${named(ids)}`, mend));
  };
  add('bots in Postgres that Redis does not know', drift.missing);
  add('bots in Redis that Postgres does not have', drift.gone);
  add('bots whose configuration in Redis is another one than in Postgres', drift.stale);
  const left = await readLeftState(deps);
  if (left.length > 0) {
    findings.push(
      warn('drift', `Redis keeps the state of bots that nobody has: ${named(left)}`, 'it only takes memory'),
    );
  }
  return findings.length > 0 ? findings : [ok('drift', 'Redis has the bots of Postgres and no others')];
}

async function readDrift({ db, redis }: DiagnosisDeps): Promise<Drift> {
  const [stored, mirrored] = await Promise.all([botStore(db).revisions(), redis.commands.hgetall(configKeys.bots)]);
  const known = new Map(Object.entries(mirrored).map(([id, text]) => [Number(id), Number.parseInt(text, 10)]));
  const ids = [...stored.keys()];
  return {
    missing: ids.filter((id) => !known.has(id)),
    gone: [...known.keys()].filter((id) => !stored.has(id)),
    stale: ids.filter((id) => known.has(id) && known.get(id) !== stored.get(id)),
  };
}

function stillThere(first: Drift, second: Drift): Drift {
  const both = (kind: keyof Drift) => first[kind].filter((id) => second[kind].includes(id));
  return { missing: both('missing'), gone: both('gone'), stale: both('stale') };
}

/** States of bots that are neither stored nor mirrored. Reads the names of all keys, some at a time. */
async function readLeftState({ db, redis }: DiagnosisDeps): Promise<number[]> {
  const found = new Set<number>();
  for (const server of redis.servers()) {
    for (let cursor = '0', begun = false; !begun || cursor !== '0'; begun = true) {
      const [next, keys] = await server.scan(cursor, 'MATCH', '{s*}:bot:*:state', 'COUNT', 1000);
      cursor = next;
      for (const key of keys) {
        const [, id] = /:bot:(\d+):state$/.exec(key) ?? [];
        if (id !== undefined) found.add(Number(id));
      }
    }
  }
  // Read after the names, so that a bot that was just added is known.
  const stored = await botStore(db).revisions();
  return [...found].filter((id) => !stored.has(id)).sort((a, b) => a - b);
}
