import type { IncomingMessage, ServerResponse } from 'node:http';
import { BotApiError } from '../bot-api-error.ts';
import { handleControl } from '../control/handle-control.ts';
import { refusalAnswer } from '../methods/run-call.ts';
import type { Simulator } from '../simulator.ts';
import { handleBotCall } from './handle-bot-call.ts';
import { handleFileDownload } from './handle-file-download.ts';
import { decodeUrl } from './parse-form-params.ts';
import { writeAnswer, writeRefusal } from './write-answer.ts';

/** Routes a request to the Bot API, to the file downloads, or to the control API. */
export async function handleRequest(sim: Simulator, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const target = req.url ?? '/';
  if (!['1.0', '1.1'].includes(req.httpVersion)) return writeRefusal(res, 505);
  const question = target.indexOf('?');
  const rawPath = question < 0 ? target : target.slice(0, question);
  const query = question < 0 ? '' : target.slice(question + 1);
  if (rawPath.startsWith('/control')) return handleControl(sim, req, res, rawPath);
  const path = decodePath(rawPath);
  if (path.startsWith('/file/bot')) return handleFileDownload(sim, req, res, path);
  if (req.method !== 'GET' && req.method !== 'POST') return writeRefusal(res, 501);
  if (!target.startsWith('/')) {
    return refuse(res, 'Not Found: absolute URI is specified in the Request-Line');
  }
  const match = /^\/bot([^/]*)(\/test)?\/(.*)$/s.exec(path);
  // After "/test" the platform expects another slash.
  if (match === null || (match[2] === undefined && match[3]!.startsWith('test'))) return refuse(res, 'Not Found');
  return handleBotCall(sim, req, res, { token: match[1]!, method: match[3]!, isTest: match[2] !== undefined, query });
}

function refuse(res: ServerResponse, description: string): void {
  writeAnswer(res, refusalAnswer(new BotApiError(404, description)));
}

function decodePath(path: string): string {
  return decodeUrl(Buffer.from(path, 'latin1'), false).toString();
}
