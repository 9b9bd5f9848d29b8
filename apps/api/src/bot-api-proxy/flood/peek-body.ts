import { placeOf } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import { type BodyBudget, shareOf } from '../../http/collect-body.ts';
import { cutLateBody } from '../../http/known-sender.ts';
import type { MethodCall, WholeBody } from '../call.ts';
import { placeOfBody } from './place-of-body.ts';

/** The place that a call names, null if its beginning does not tell; and its body, if that ended meanwhile. */
type Peeked = { place: string | null; whole: WholeBody | null };

/** Clients name the chat before the files. What comes later is not waited for. */
const PEEKED_BYTES = 64 * 1024;

/**
 * Reads the beginning of a body that has not come yet, until it names a chat, and puts it back for its next reader. `gone`: its
 * client went away.
 */
export function peekBody(
  budget: BodyBudget,
  { req, res, path }: MethodCall,
  type: string | null,
): Promise<Peeked | 'gone'> {
  if (req.destroyed || res.closed) return Promise.resolve('gone');
  if (type === null) return Promise.resolve({ place: null, whole: null });
  const parameters = parametersOf(path.query);
  const reader = parameterReader(type, parameters, { parameterBytes: PEEKED_BYTES, fileBytes: 0 });
  const share = shareOf(budget, res);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = (peeked: Peeked | 'gone') => {
      stopWatching();
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      if (peeked === 'gone' || peeked.whole === null) share.release();
      resolve(peeked);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      reader.write(chunk);
      const isNamed = parameters.values.has('chat_id');
      if (!isNamed && bytes < PEEKED_BYTES && share.growTo(bytes)) return;
      req.pause();
      finish({ place: isNamed ? placeOf((name) => parameters.values.get(name)) : null, whole: null });
      req.unshift(Buffer.concat(chunks));
    };
    const onEnd = () => {
      const head = Buffer.concat(chunks);
      const place = placeOfBody({ query: path.query, head, isWhole: true, type });
      finish({ place, whole: { bytes: head, release: share.release } });
    };
    const onClose = () => finish('gone');
    const stopWatching = cutLateBody(req, () => bytes);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
