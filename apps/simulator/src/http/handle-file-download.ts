import type { IncomingMessage, ServerResponse } from 'node:http';
import { BotApiError } from '../bot-api-error.ts';
import { findBot } from '../bots/find-bot.ts';
import type { SimFile } from '../files/sim-file.ts';
import { refusalAnswer } from '../methods/run-call.ts';
import type { Simulator } from '../simulator.ts';
import { writeAnswer, writeRefusal } from './write-answer.ts';

/** Serves an uploaded file, whole or one range of it, as the platform's file server does. */
export function handleFileDownload(sim: Simulator, req: IncomingMessage, res: ServerResponse, path: string): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    writeRefusal(res, 501);
    return;
  }
  const file = findFile(sim, path);
  if (file instanceof BotApiError) writeAnswer(res, refusalAnswer(file));
  else serve(req, res, file);
}

function findFile(sim: Simulator, path: string): SimFile | BotApiError {
  const match = /^\/file\/bot([^/]*)(\/test)?\/(.+)$/s.exec(path);
  // A server in local mode serves no files: whoever asks reads them from its disk.
  if (match === null || sim.settings.workingDir !== null) return new BotApiError(404, 'Not Found');
  try {
    findBot(sim, match[1]!, match[2] !== undefined);
  } catch (error) {
    if (error instanceof BotApiError) return error;
    throw error;
  }
  return sim.filesByPath.get(match[3]!) ?? new BotApiError(404, 'Not Found');
}

function serve(req: IncomingMessage, res: ServerResponse, file: SimFile): void {
  const range = readRange(req.headers.range, file.bytes.length);
  if (range === 'unsatisfiable') {
    res.writeHead(416, { 'Content-Range': `bytes */${file.bytes.length}`, 'Content-Length': '0' }).end();
    return;
  }
  const { from, to } = range ?? { from: 0, to: file.bytes.length - 1 };
  res.writeHead(range === null ? 200 : 206, {
    'Content-Type': file.mime,
    'Content-Length': String(to - from + 1),
    'Accept-Ranges': 'bytes',
    ...(range !== null && { 'Content-Range': `bytes ${from}-${to}/${file.bytes.length}` }),
  });
  res.end(req.method === 'HEAD' ? undefined : file.bytes.subarray(from, to + 1));
}

/** Reads a single byte range; ignores several ranges or malformed ones, as HTTP allows. */
function readRange(header: string | undefined, size: number): { from: number; to: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  if (match[1] === '') return { from: Math.max(0, size - Number(match[2])), to: size - 1 };
  const from = Number(match[1]);
  if (from >= size) return 'unsatisfiable';
  const to = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  return to < from ? null : { from, to };
}
