import { floodedCallAt, WHOLE_BOT } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { familyOf } from '@flotilla/telegram/method-families.ts';
import { fail, type MethodCall, type RunningProxy } from '../call.ts';
import { hasBody, hasWholeBody } from '../headers.ts';
import { answerInstead } from './answer-instead.ts';
import { hold, type Onward } from './hold.ts';
import { peekBody } from './peek-body.ts';
import { placeOfBody, readableType } from './place-of-body.ts';

/**
 * Passes a call on, unless the bot's `flood` keeps it from a platform that would refuse it. While the bot has no flood, this costs two
 * looks into maps. Parameters are read only then.
 */
export function unlessFlooded(proxy: RunningProxy, call: MethodCall, bot: Bot, onward: Onward): void {
  const { context, recovering } = proxy;
  const floods = context.floods.ofBot(bot.id);
  const isCalm = floods === undefined && !recovering.hasSome(bot.id);
  if (isCalm || bot.flood === 'pass' || familyOf(call.method) === null) {
    onward.pass(proxy, call, bot);
    return;
  }
  const judge = (known: MethodCall, place: string | null) => {
    // Where nobody knows the chat, only a flood of calls without one counts. The platform's answer tells the rest.
    const flooded = floodedCallAt(bot.id, call.method, place ?? WHOLE_BOT);
    if (flooded === null) {
      onward.pass(proxy, known, bot);
      return;
    }
    const isFlooded = context.floods.leftMs(flooded) > 0;
    const isFree = isFlooded ? context.floods.mayTry(flooded) : recovering.lineOf(flooded) === null;
    if (isFree) onward.pass(proxy, known, bot);
    else if (isFlooded && bot.flood === 'shield') answerInstead(proxy, known, flooded);
    else hold(proxy, known, bot, flooded, onward).catch((error) => fail(proxy, known, error));
  };
  if (onward.place !== undefined) judge(call, onward.place);
  else lookForPlace(proxy, call, judge);
}

type Judge = (call: MethodCall, place: string | null) => void;

function lookForPlace(proxy: RunningProxy, call: MethodCall, judge: Judge): void {
  const { req, whole, path } = call;
  const type = readableType(req);
  const inQuery = placeOfBody({ query: path.query, head: Buffer.alloc(0), isWhole: false, type });
  if (inQuery !== null) judge(call, inQuery);
  else if (whole !== null) judge(call, placeOfBody({ query: path.query, head: whole.bytes, isWhole: true, type }));
  else if (!hasBody(req)) judge(call, placeOfBody({ query: path.query, head: null, isWhole: true, type }));
  // The bytes that came with the headers are parsed by then, and most bodies are whole.
  else process.nextTick(readPlace, proxy, call, judge);
}

function readPlace(proxy: RunningProxy, call: MethodCall, judge: Judge): void {
  const { req, path } = call;
  const type = readableType(req);
  if (!hasWholeBody(req)) {
    peekBody(proxy.context.bodies, call, type).then(
      (peeked) => {
        if (peeked === 'gone') proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
        else judge({ ...call, whole: peeked.whole }, peeked.place);
      },
      (error) => fail(proxy, call, error),
    );
    return;
  }
  const bytes = (req.read() as Buffer | null) ?? Buffer.alloc(0);
  const read = { ...call, whole: { bytes, release: () => undefined } };
  judge(read, placeOfBody({ query: path.query, head: bytes, isWhole: true, type }));
}
