import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { OPERATIONS } from './operations.ts';

type Operation = (sim: Simulator, input: never) => unknown;

/** `POST /control/<operation>` with a JSON body; the answer is the operation's result as JSON. */
export async function handleControl(
  sim: Simulator,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): Promise<void> {
  const name = path.slice('/control/'.length);
  if (name === '') return write(res, 200, { operations: Object.keys(OPERATIONS) });
  const operation = Object.hasOwn(OPERATIONS, name) ? (OPERATIONS as Record<string, Operation>)[name] : undefined;
  if (operation === undefined) return write(res, 404, { error: `there is no control operation ${name}` });
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  try {
    const result = await operation(sim, (body === '' ? {} : JSON.parse(body)) as never);
    write(res, 200, result ?? null);
  } catch (error) {
    if (!(error instanceof ControlError) && !(error instanceof SyntaxError)) throw error;
    write(res, 400, { error: error.message });
  }
}

function write(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) });
  res.end(text);
}
