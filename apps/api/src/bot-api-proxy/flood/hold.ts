import { floodHolding } from '@flotilla/domain/delivery/flood/flood-memory.ts';
import type { FloodedCall } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { nameOfFlood } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import type { Floods } from '@flotilla/domain/delivery/flood/floods.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { DISABLED, type Refusal, UNAUTHORIZED } from '../answer.ts';
import { type MethodCall, type RunningProxy, refuse } from '../call.ts';
import { answerInstead } from './answer-instead.ts';
import type { HeldTurn } from './held-calls.ts';

/** How a call goes on if nothing holds it. */
export type Onward = {
  pass(proxy: RunningProxy, call: MethodCall, bot: Bot): void;
  /** The place that it names, where that was read before. */
  place?: string | null;
  /** Of the body that is held in place of the client's. */
  bytes?: number;
  /** Why a call that was held may not go on any more. */
  whyNot?(proxy: RunningProxy, call: MethodCall, bot: Bot): Promise<Refusal | null>;
};

/** Its part of its bot's pace. */
type Freed = Pick<MethodCall, 'isPaced'>;

/** Clients wait for a minute or so. */
const HELD_AT_MOST_MS = 30_000;
/** An upload may take minutes. */
const NEXT_AFTER_MS = 1_000;

/**
 * Holds a call while that takes at most 30 s, then passes it on: the calls of one flood one after the other, so that the
 * platform does not get them all at once. With `shield`, it waits only for those before it. A call that cannot be held is answered at
 * once. That the client of an upload has gone is noticed only when the upload is read on, at the latest after those 30 s.
 */
export async function hold(
  proxy: RunningProxy,
  call: MethodCall,
  bot: Bot,
  flooded: FloodedCall,
  onward: Onward,
): Promise<void> {
  const { floods } = proxy.context;
  const leftMs = floods.leftMs(flooded);
  const turn = leftMs > HELD_AT_MOST_MS ? null : joinLine(proxy, call, flooded, onward);
  if (turn === null) {
    if (leftMs > 0) answerInstead(proxy, call, flooded);
    else onward.pass(proxy, call, bot);
    return;
  }
  const signal = whileOpen(proxy, call, turn);
  const freed = await untilFree(proxy, bot, flooded, turn, signal);
  const refusal = freed === null ? null : await (onward.whyNot ?? whyNotAsBot)(proxy, call, bot);
  if (call.res.closed) proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
  else if (freed === null) answerInstead(proxy, call, flooded);
  else if (refusal !== null) refuse(proxy, call, refusal);
  else {
    setTimeout(turn.leave, turn.nextAfterMs).unref();
    onward.pass(proxy, { ...call, ...freed }, bot);
  }
}

/** Null if no further call can be held. */
function joinLine(
  { held, recovering, context }: RunningProxy,
  { whole, program }: MethodCall,
  flooded: FloodedCall,
  { bytes = whole?.bytes.length ?? 0 }: Onward,
): (HeldTurn & { nextAfterMs: number }) | null {
  const holding = floodHolding(context.floods.ofBot(flooded.botId), flooded);
  const line = recovering.lineOf(holding ?? flooded);
  const caller = { botId: flooded.botId, scope: program === null ? 'token' : `program:${program.id}` };
  const turn = held.join(line?.name ?? nameOfFlood(holding ?? flooded), caller, bytes);
  return turn === null ? null : { ...turn, nextAfterMs: line?.nextAfterMs ?? NEXT_AFTER_MS };
}

/** Aborts when the client goes away or the process stops. The turn ends when the call is answered. */
function whileOpen({ open, context }: RunningProxy, { res }: MethodCall, turn: HeldTurn): AbortSignal {
  const held = new AbortController();
  const leave = () => {
    turn.leave();
    open.delete(held);
    if (!res.writableFinished) held.abort();
  };
  open.add(held);
  res.once('close', leave);
  if (res.closed) leave();
  if (context.stopping.aborted) held.abort();
  return held.signal;
}

/** Null if the call must be given up: it would take too long, its client has gone, or the process stops. */
async function untilFree(
  proxy: RunningProxy,
  bot: Bot,
  flooded: FloodedCall,
  turn: HeldTurn,
  signal: AbortSignal,
): Promise<Freed | null> {
  const { floods } = proxy.context;
  const giveUpAtMs = performance.now() + HELD_AT_MOST_MS;
  const held = AbortSignal.any([signal, AbortSignal.timeout(HELD_AT_MOST_MS)]);
  await pause(held, { until: turn.first });
  while (!held.aborted) {
    const leftMs = floods.leftMs(flooded);
    if (performance.now() + leftMs > giveUpAtMs || (leftMs > 0 && bot.flood === 'shield')) return null;
    if (leftMs > 0) await untilChange(floods, flooded, leftMs, held);
    else {
      const freed = await takeTime(proxy, bot, flooded, held);
      if (freed !== null && floods.leftMs(flooded) === 0) return freed;
    }
  }
  return null;
}

async function untilChange(floods: Floods, { botId }: FloodedCall, leftMs: number, signal: AbortSignal): Promise<void> {
  const changed = Promise.withResolvers<void>();
  const stop = floods.onChange((change) => {
    if (change.botId === botId) changed.resolve();
  });
  await pause(signal, { forMs: Math.ceil(leftMs), until: changed.promise });
  stop();
}

/** After a flood of the whole bot, one of its pace; while others take some too, this goes on. Null if the call was given up. */
async function takeTime(
  { recovering, pace }: RunningProxy,
  bot: Bot,
  flooded: FloodedCall,
  signal: AbortSignal,
): Promise<Freed | null> {
  if (!recovering.isPaced(flooded)) return {};
  const taking = pace.take(bot, signal);
  await pause(signal, { until: taking });
  if (signal.aborted) return null;
  const { taken, waited } = await taking;
  if (waited) recovering.prolong(flooded);
  return taken ? { isPaced: true } : {};
}

function pause(signal: AbortSignal, { forMs, until }: { forMs?: number; until: Promise<unknown> }): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = forMs === undefined ? undefined : setTimeout(done, forMs);
    signal.addEventListener('abort', done);
    void until.then(done);
    if (signal.aborted) done();
  });
}

/** The token may have been replaced, and the bot disabled, while the call was held or waited. */
export async function whyNotAsBot(
  { context: { directory } }: RunningProxy,
  { path }: MethodCall,
  bot: Bot,
): Promise<Refusal | null> {
  const now = directory.byToken(path.token);
  if (now?.id !== bot.id) return UNAUTHORIZED;
  return now.disabled ? DISABLED : null;
}
