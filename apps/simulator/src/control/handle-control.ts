import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAddressOrKnown, refusalOf } from '@flotilla/runtime/own-request.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { type Operation, showOperation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { readInput } from './read-input.ts';

/**
 * `GET /control/` describes the operations; `POST /control/<operation>` with a JSON body runs one. Pages of other sites
 * are refused, because a person's browser reaches loopback, too.
 */
export async function handleControl(
  sim: Simulator,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): Promise<void> {
  const refusal = refusalOf(req, (host) => isAddressOrKnown(host, sim.settings.controlHosts));
  if (refusal !== null) return refuse(res, refusal.status, refusal.error);
  const name = path.slice('/control/'.length);
  if (name === '') return write(res, 200, `${JSON.stringify(describeAll(), null, 2)}\n`);
  if (req.method !== 'POST') return refuse(res, 405, 'an operation is a POST (see GET /control/)');
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as keyof typeof OPERATIONS] : undefined;
  if (operation === undefined) return refuse(res, 404, `there is no operation ${name} (see GET /control/)`);
  try {
    const { input, run } = operation as unknown as Operation;
    const result = await run(sim, readInput(name, input, Buffer.concat(chunks).toString('utf8')));
    sim.storage.commit();
    write(res, 200, JSON.stringify(result ?? null));
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    refuse(res, 400, error.message);
  }
}

function describeAll() {
  const shown = Object.entries(OPERATIONS).map(([name, one]) => [name, showOperation(one as unknown as Operation)]);
  return {
    how: 'POST /control/<operation> with a JSON body. 200: the result; 400: {"error"} names what is wrong',
    operations: Object.fromEntries(shown),
  };
}

function refuse(res: ServerResponse, status: number, error: string): void {
  write(res, status, JSON.stringify({ error }));
}

function write(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) });
  res.end(text);
}
