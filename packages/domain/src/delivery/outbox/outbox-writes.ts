import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable, readSqlState } from '@flotilla/database/is-unavailable.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { sharedWrites } from '../../records/history/shared-writes.ts';
import { type Settlement, settlementStore } from './settlement-store.ts';
import { type BegunEntry, outboxTurnStore, type ToBegin } from './turn-store.ts';

/** The writes of all turns of a process, in statements that they share. */
export type OutboxWrites = {
  /** Notes that the request begins now; null: it must not. Rejects when Postgres is away; then it may be noted all the same. */
  begin(wanted: ToBegin): Promise<BegunEntry | null>;
  /** Resolves when it is stored. While Postgres is away, it waits in memory. */
  settle(settled: Settlement): Promise<void>;
  close(): void;
};

/** Writes within this time go into one statement. */
const GATHER_MS = 4;
const BATCH = 300;
const AGAIN_MS = 500;

const UNIQUE_VIOLATION = '23505';

type Unsent = Extract<Settlement, { event: 'again' | 'hold' }>;

/** A broadcast has an entry for the supergroup already. */
function notTwice(settled: Unsent): Settlement {
  const { id, bot_id, claim, error } = settled;
  return { id, bot_id, claim, event: 'fail', error_code: settled.event === 'again' ? settled.error_code : null, error };
}

function isUnsent(settled: Settlement): settled is Unsent {
  return settled.event === 'again' || settled.event === 'hold';
}

type Beginning = { wanted: ToBegin; begun: BegunEntry | null };

export function outboxWrites({ db, log }: { db: Database; log: Logger }): OutboxWrites {
  const turns = outboxTurnStore(db);
  const settlements = settlementStore(db);
  let closed = false;
  const warn = throttledLog((reason: string, leftOut) =>
    log.warn({ reason, leftOut }, 'answers to sends wait for Postgres'),
  );
  const beginning = sharedWrites<Beginning>({ atOnce: 1, size: BATCH, gatherMs: GATHER_MS }, async (items) => {
    const begun = new Map((await turns.begin(items.map(({ wanted }) => wanted))).map((entry) => [entry.id, entry]));
    for (const item of items) item.begun = begun.get(item.wanted.id) ?? null;
  });
  const settling = sharedWrites<Settlement>({ atOnce: 1, size: BATCH, gatherMs: GATHER_MS }, (items) =>
    settlements.settle(items),
  );
  /** True when it is stored, or never can be. */
  const settleAlone = async (settled: Settlement): Promise<boolean> => {
    try {
      await settlements.settle([settled]);
      return true;
    } catch (error) {
      if (isUnavailable(error)) return false;
      if (isUnsent(settled) && readSqlState(error) === UNIQUE_VIOLATION) return settleAlone(notTwice(settled));
      log.error({ entry: settled.id, err: error }, 'how a send ended cannot be stored; it will be in doubt');
      return true;
    }
  };
  return {
    begin: async (wanted) => {
      const item: Beginning = { wanted, begun: null };
      await beginning([item]);
      return item.begun;
    },
    settle: async (settled) => {
      let alone = false;
      while (!closed) {
        try {
          if (!alone) return await settling([settled]);
          if (await settleAlone(settled)) return;
        } catch (error) {
          // Another entry of the statement may be the one that Postgres refuses.
          if (!isUnavailable(error)) alone = true;
          warn(String(error));
        }
        await delay(AGAIN_MS, undefined, { ref: false });
      }
    },
    close: () => {
      closed = true;
    },
  };
}
