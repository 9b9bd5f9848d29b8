import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import type { ClaimRequest } from './claim-units.ts';
import type { ClaimedUnit, SettledUnit } from './claimed-unit.ts';
import { type LaneReader, runTurn, type TurnClaim } from './run-turn.ts';

const clock = { nowMs: () => Date.now() };
const deps = { clock };
/** How many turns are held. */
let heldTurns = 0;
const hold = async (wait: Promise<void>) => {
  heldTurns += 1;
  await wait;
  heldTurns -= 1;
};
const lease = { signal: new AbortController().signal, ownsTurn: () => true, mayHold: () => true, hold };
const deaf = { onWake: () => {} };

const unitOf = (id: number): ClaimedUnit => {
  const update = { id, raw: '', kind: 'message', acceptedAtMs: 0, expiresAtMs: 0, traceparent: null };
  return { lane: `c:${id}`, unitId: String(id), updates: [update], retry: null, progress: '' };
};
const claimOf = (units: ClaimedUnit[], more: Partial<Extract<TurnClaim, { outcome: 'claimed' }>> = {}): TurnClaim => ({
  ...{ outcome: 'claimed', fencingToken: 7, units, nextDueMs: null, more: false, ended: false, held: false },
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
  };
  return { asked, reader };
}

test('what was handled is settled with the next claim, under the token of the first, until nothing waits', async () => {
  const { asked, reader } = readerOf([claimOf([unitOf(1), unitOf(2)])]);
  expect(await runTurn(deps, reader, lease, deaf)).toEqual({ next: 'idle' });
  expect(asked.map(({ fencingToken, settled, end }) => [fencingToken, settled, end])).toEqual([
    [null, [], 'hold'],
    [7, ['1 delivered', '2 delivered'], 'hold'],
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
  expect(await runTurn(deps, reader, lease, deaf)).toEqual({ next: 'idle' });
  expect(cancelled).toBe(true);
});

test('a turn sleeps until its next lane is due, and looks once more when its sleep is stored', async () => {
  const atMs = Date.now() + 60_000;
  const { asked, reader } = readerOf([claimOf([], { nextDueMs: atMs }), claimOf([])]);
  const outcome = await runTurn(deps, reader, lease, deaf);
  expect(outcome).toMatchObject({ next: 'at', atMs });
  expect(outcome.next === 'at' && (await outcome.lookAgain?.())).toBe(true);
  expect(asked.at(-1)).toMatchObject({ fencingToken: 7, limit: 0, end: 'asleep' });
});

test('a turn whose lock is lost begins nothing more, and comes again', async () => {
  const { asked, reader } = readerOf([claimOf([])]);
  expect(await runTurn(deps, reader, { ...lease, ownsTurn: () => false }, deaf)).toEqual({ next: 'again' });
  expect(asked.map(({ limit }) => limit)).toEqual([0]);
});

test('a turn without room leaves at once, and for seconds, when those who hold the room hang', async () => {
  const { asked, reader } = readerOf([claimOf([], { nextDueMs: 0 })]);
  const begunAtMs = Date.now();
  const outcome = await runTurn(deps, { ...reader, room: () => 0, isStuck: () => true }, lease, deaf);
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
  const turn = runTurn({ ...deps, clock: { nowMs: () => nowMs } }, { ...reader, claim, lookEveryMs: 10 }, lease, deaf);
  expect(await turn).toEqual({ next: 'again' });
  expect(handled).toEqual(['1', '2']);
});

/** Wakes that a test sends to a turn. */
function wakes() {
  let wake: () => void = () => {};
  return {
    onWake: (listener: () => void) => {
      wake = listener;
    },
    send: () => wake(),
  };
}
const held = claimOf([], { held: true });

test('a turn without work is held, and goes on when it hears of work', async () => {
  const told = wakes();
  const { asked, reader } = readerOf([held, claimOf([unitOf(1)]), held]);
  const turn = runTurn(deps, reader, lease, told);
  await waitFor(() => heldTurns === 1);
  told.send();
  await waitFor(() => asked.length === 3 && heldTurns === 1);
  expect(asked.map(({ fencingToken, settled, end }) => [fencingToken, settled, end])).toEqual([
    [null, [], 'hold'],
    [7, [], 'hold'],
    [7, ['1 delivered'], 'hold'],
  ]);
  told.send();
  expect(await turn).toEqual({ next: 'idle' });
  expect(heldTurns).toBe(0);
});

test('a held turn ends with a last claim when the process stops, or its time is over', async () => {
  const stop = new AbortController();
  const { asked, reader } = readerOf([held]);
  const stopping = { ...lease, signal: stop.signal, ownsTurn: () => !stop.signal.aborted };
  const turn = runTurn(deps, reader, stopping, deaf);
  await waitFor(() => heldTurns === 1);
  stop.abort();
  expect(await turn).toEqual({ next: 'idle' });
  expect(asked.map(({ end }) => end)).toEqual(['hold', 'idle']);

  let nowMs = 0;
  const told = wakes();
  const aged = readerOf([held]);
  const agedTurn = runTurn({ ...deps, clock: { nowMs: () => nowMs } }, aged.reader, lease, told);
  await waitFor(() => heldTurns === 1);
  nowMs = 90_000;
  told.send();
  expect(await agedTurn).toEqual({ next: 'idle' });
  expect(aged.asked.map(({ end }) => end)).toEqual(['hold', 'idle']);
});

test('a bot with updates all the time gives its turn back after minutes', async () => {
  let nowMs = 0;
  const told = wakes();
  const { reader } = readerOf([]);
  const claim = async ({ end }: ClaimRequest) => {
    if (end === 'idle') return claimOf([], { ended: true });
    nowMs += 1_000;
    setImmediate(told.send);
    return nowMs % 2_000 === 0 ? claimOf([], { held: true }) : claimOf([unitOf(nowMs)]);
  };
  const outcome = await runTurn({ ...deps, clock: { nowMs: () => nowMs } }, { ...reader, claim }, lease, told);
  expect(outcome.next).not.toBe('at');
  expect(nowMs).toBeGreaterThan(170_000);
  expect(nowMs).toBeLessThan(310_000);
});

test('beyond the limit turns are not held', async () => {
  const { asked, reader } = readerOf([]);
  expect(await runTurn(deps, reader, { ...lease, mayHold: () => false }, deaf)).toEqual({ next: 'idle' });
  expect(asked.map(({ end }) => end)).toEqual(['idle']);
});

test('a held turn that lost its bot, or must not go on, is taken again', async () => {
  const told = wakes();
  const lost = runTurn(deps, readerOf([held, { outcome: 'lost' }]).reader, lease, told);
  await waitFor(() => heldTurns === 1);
  told.send();
  expect(await lost).toEqual({ next: 'again' });

  const { asked, reader } = readerOf([held, claimOf([])]);
  let mustEnd = false;
  const over = runTurn(deps, { ...reader, mustEnd: () => mustEnd }, lease, told);
  await waitFor(() => heldTurns === 1);
  mustEnd = true;
  told.send();
  expect(await over).toEqual({ next: 'again' });
  expect(asked.map(({ limit, end }) => [limit, end])).toEqual([
    [10, 'hold'],
    [0, null],
  ]);
});

test('a turn that must not go on begins nothing more, although a request is in flight at any time', async () => {
  const handled: string[] = [];
  const answers: (() => void)[] = [];
  let mustEnd = false;
  const { reader } = readerOf([], (unit) => {
    handled.push(unit.unitId);
    return new Promise((resolve) => answers.push(() => resolve({ unit, outcome: 'delivered' })));
  });
  const limits: number[] = [];
  const claim = async ({ limit }: ClaimRequest) => {
    limits.push(limit);
    // Each request is answered when the next one has begun.
    return claimOf(limit > 0 && answers.length <= 1 ? [unitOf(handled.length + 1)] : []);
  };
  let nowMs = 0;
  const over = { ...reader, claim, lookEveryMs: 10, mustEnd: () => mustEnd };
  const turn = runTurn({ ...deps, clock: { nowMs: () => nowMs } }, over, lease, deaf);
  await waitFor(() => answers.length === 2);
  mustEnd = true;
  answers.shift()!();
  const before = limits.length;
  // Beyond the end of its share it would take a new one for the other lanes.
  nowMs = 60_000;
  await waitFor(() => limits.length > before + 2);
  answers.shift()!();
  expect(await turn).toEqual({ next: 'again' });
  expect(handled).toEqual(['1', '2']);
  expect(new Set(limits.slice(before))).toEqual(new Set([0]));
});
