import type { IncomingMessage } from 'node:http';
import { type Parameters, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';

export type NamedMethod =
  | { outcome: 'named'; method: string; whole: { body: Buffer; parameters: Parameters } | null }
  | { outcome: 'too-large' }
  | { outcome: 'aborted' };

const LIMIT_BYTES = 1024 * 1024;

/**
 * The method of a path that names none: the platform takes it from the parameter `method`, so that we have to look
 * there too, or a getUpdates would slip past us. A body is read whole for that, up to 1 MiB.
 */
export async function namedMethod(req: IncomingMessage, query: string): Promise<NamedMethod> {
  const parameters = parametersOf(query);
  const inQuery = parameters.values.get('method');
  if (inQuery !== undefined) return { outcome: 'named', method: inQuery.toLowerCase(), whole: null };
  const reader = parameterReader(req.headers['content-type'] ?? '', parameters, {
    parameterBytes: LIMIT_BYTES,
    fileBytes: LIMIT_BYTES,
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > LIMIT_BYTES) return { outcome: 'too-large' };
      chunks.push(chunk);
      reader.write(chunk);
    }
  } catch {
    return { outcome: 'aborted' };
  }
  reader.end();
  const method = (parameters.values.get('method') ?? '').toLowerCase();
  return { outcome: 'named', method, whole: { body: Buffer.concat(chunks), parameters } };
}
