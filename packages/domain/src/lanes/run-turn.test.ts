import { expect, test } from '@jest/globals';
import type { ClaimRequest } from './claim-units.ts';
import type { ClaimedUnit, SettledUnit } from './claimed-unit.ts';
import { type LaneReader, runTurn, type TurnClaim } from './run-turn.ts';
import { sharedLimiter } from './shared-limiter.ts';

const clock = { nowMs: () => Date.now() };
const deps = { clock, awaitingTurns: sharedLimiter(10) };
const lease = { signal: new AbortController().signal, held: () => true };

const unitOf = (id: number): ClaimedUnit => {
  const update = { id, raw: '', kind: 'message', acceptedAtMs: 0, expiresAtMs: 0, traceparent: null };
  return { lane: `c:${id}`, unitId: String(id), updates: [update], retry: null, progress: '' };
};
const claimOf = (units: ClaimedUnit[], more: Partial<Extract<TurnClaim, { outcome: 'claimed' }>> = {}): TurnClaim => ({
  ...{ outcome: 'claimed', fencingToken: 7, units, nextDueMs: null, more: false, ended: false },
  ...more,
});

/** A reader that returns these claims one after the other and keeps the requests. */
function readerOf(claims: TurnClaim[], handle?: LaneReader<SettledUnit>['handle']) {
  const asked: (ClaimRequest & { settled: string[] })[] = [];
  const reader: LaneReader<SettledUnit> = {
    room: () => 10,
    isStuck: () => false,
    claim: async (request, settled) => {
      asked.push({ ...request, settled: settled.map(({ unit, outcome }) => `${unit.unitId} ${outcome}`) });
      return claims[asked.length - 1] ?? claimOf([], { ended: true });
    },
    handle: handle ?? (async (unit) => ({ unit, outcome: 'delivered' })),
    lookEveryMs: 60_000,
    isLively: () => false,
  };
  return { asked, reader };
}

test('what was handled is settled with the next claim, under the token of the first, until nothing waits', async () => {
  const { asked, reader } = readerOf([claimOf([unitOf(1), unitOf(2)])]);
  expect(await runTurn(deps, reader, lease)).toEqual({ next: 'idle' });
  expect(asked.map(({ fencingToken, settled, end }) => [fencingToken, settled, end])).toEqual([
    [null, [], 'idle'],
    [7, ['1 delivered', '2 delivered'], 'idle'],
  ]);
  expect(new Set(asked.map(({ name }) => name)).size).toBe(2);
});

test('a turn that somebody else owns breaks off what it has in flight', async () => {
  let cancelled = false;
  const { reader } = readerOf(
    [claimOf([unitOf(1), unitOf(2)]), { outcome: 'lost' }],
    (unit, { cancel }) =>
      new Promise((resolve) => {
        if (unit.unitId === '1') resolve({ unit, outcome: 'delivered' });
        cancel.addEventListener('abort', () => {
          cancelled = true;
          resolve({ unit, outcome: 'returned' });
        });
      }),
  );
  expect(await runTurn(deps, reader, lease)).toEqual({ next: 'idle' });
  expect(cancelled).toBe(true);
});

test('a turn sleeps until its next lane is due, and looks once more when its sleep is stored', async () => {
  const atMs = Date.now() + 60_000;
  const { asked, reader } = readerOf([claimOf([], { nextDueMs: atMs }), claimOf([])]);
  const outcome = await runTurn(deps, reader, lease);
  expect(outcome).toMatchObject({ next: 'at', atMs });
  expect(outcome.next === 'at' && (await outcome.lookAgain?.())).toBe(true);
  expect(asked.at(-1)).toMatchObject({ fencingToken: 7, limit: 0, end: 'asleep' });
});

test('a turn whose lock is lost begins nothing more, and comes again', async () => {
  const { asked, reader } = readerOf([claimOf([])]);
  expect(await runTurn(deps, reader, { ...lease, held: () => false })).toEqual({ next: 'again' });
  expect(asked.map(({ limit }) => limit)).toEqual([0]);
});

test('a turn without room leaves at once, and for seconds, when those who hold the room hang', async () => {
  const { asked, reader } = readerOf([claimOf([], { nextDueMs: 0 })]);
  const begunAtMs = Date.now();
  const outcome = await runTurn(deps, { ...reader, room: () => 0, isStuck: () => true }, lease);
  expect(asked).toHaveLength(1);
  expect(outcome).toMatchObject({ next: 'at', atMs: expect.any(Number) });
  expect(outcome.next === 'at' && outcome.atMs - begunAtMs).toBeGreaterThanOrEqual(5_000);
});

test('a turn takes a new share while a request hangs, so that other lanes of its bot are served meanwhile', async () => {
  let nowMs = 0;
  const handled: string[] = [];
  const answer = new AbortController();
  const { reader } = readerOf([], (unit) => {
    handled.push(unit.unitId);
    // The first request hangs beyond the end of the share, until the second one has begun.
    nowMs += 60_000;
    if (handled.length === 2) answer.abort();
    return new Promise((resolve) => {
      const settle = () => resolve({ unit, outcome: 'delivered' });
      if (answer.signal.aborted) settle();
      else answer.signal.addEventListener('abort', settle);
    });
  });
  const claim = async ({ limit }: ClaimRequest) => claimOf(limit > 0 ? [unitOf(handled.length + 1)] : []);
  const turn = runTurn({ ...deps, clock: { nowMs: () => nowMs } }, { ...reader, claim, lookEveryMs: 10 }, lease);
  expect(await turn).toEqual({ next: 'again' });
  expect(handled).toEqual(['1', '2']);
});
