import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Simulator } from '../simulator.ts';
import { takeFault } from './fault.ts';

/** `handled`: the request was answered, or will never get an answer. */
export type FaultVerdict = 'pass' | 'handled' | 'lose-answer';

/** Applies the first fault rule that matches a call, if any. */
export async function applyFault(
  sim: Simulator,
  botId: number,
  method: string,
  res: ServerResponse,
): Promise<FaultVerdict> {
  const effect = takeFault(sim.faults, botId, method)?.effect;
  if (effect === undefined) return 'pass';
  switch (effect.kind) {
    case 'delay':
      await sleep(effect.delayMs);
      return 'pass';
    case 'hang':
      return 'handled';
    case 'reset':
      res.socket?.resetAndDestroy();
      return 'handled';
    case 'lose-answer':
      return 'lose-answer';
    case 'status': {
      const body = effect.body ?? refusalBody(effect.status, effect.description, effect.retryAfterS);
      res.writeHead(effect.status, {
        'Content-Type': effect.contentType ?? 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
        ...(effect.retryAfterS !== undefined && { 'Retry-After': String(effect.retryAfterS) }),
      });
      res.end(body);
      return 'handled';
    }
  }
}

function refusalBody(status: number, description: string | undefined, retryAfterS: number | undefined): string {
  const words =
    description ?? (retryAfterS === undefined ? `Error ${status}` : `Too Many Requests: retry after ${retryAfterS}`);
  const parameters = retryAfterS === undefined ? {} : { parameters: { retry_after: retryAfterS } };
  return JSON.stringify({ ok: false, error_code: status, description: words, ...parameters });
}
