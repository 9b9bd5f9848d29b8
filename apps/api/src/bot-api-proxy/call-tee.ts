import type { IncomingMessage } from 'node:http';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import type { CapturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { type ParameterReader, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { Capture } from './capture.ts';
import { ANSWER_BYTES, readEncoding } from './captured-answer.ts';
import type { Tee } from './pass-through.ts';

type Call = { bot: Bot; method: string; captured: CapturedMethod; query: string };

const LIMITS = { parameterBytes: 64 * 1024, fileBytes: 0 };

/**
 * Watches one call for the capture: its small parameters where they are needed, and up to 1 MiB of a successful
 * answer. Files and longer answers go by unseen.
 */
export function callTee(capture: Capture, call: Call, req: IncomingMessage): Tee {
  const needsParameters = call.captured.effect !== 'messages';
  const parameters = parametersOf(needsParameters ? call.query : '');
  const reader = needsParameters ? requestReader(req, parameters) : null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let encoding = '';
  let succeeded = false;
  return {
    onRequestChunk: reader === null ? null : reader.write,
    onResponseStart(status, headers) {
      succeeded = status === 200;
      encoding = readEncoding(headerOf(headers, 'content-encoding'));
    },
    onResponseChunk(chunk) {
      bytes += chunk.length;
      if (succeeded && bytes <= ANSWER_BYTES) chunks.push(chunk);
    },
    onResponseEnd() {
      if (!succeeded || bytes > ANSWER_BYTES) return;
      reader?.end();
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const { bot, method, captured } = call;
      capture.keep({ bot, method, captured, parameters, answer: { body, encoding } });
    },
  };
}

function requestReader(req: IncomingMessage, parameters: ReturnType<typeof parametersOf>): ParameterReader | null {
  // No client compresses its requests; one that did would lose the parameters here, and nothing else.
  if (req.headers['content-encoding'] !== undefined) return null;
  return parameterReader(req.headers['content-type'] ?? '', parameters, LIMITS);
}

function headerOf(headers: string[], lowerCaseName: string): string {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return headers[i + 1] as string;
  }
  return '';
}
