import type { ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request } from 'got';
import { multipartForm } from './multipart-form.ts';
import { parameterJson } from './parameter-json.ts';
import { ABORTED, type PlatformAnswer, readPlatformAnswer } from './platform-answer.ts';
import { isEstablished, platformAgents } from './platform-connections.ts';
import { type AtServer, environmentPath, type PlatformServer } from './platform-server.ts';
import { serverFault } from './server-fault.ts';
import { encodeToken } from './token-text.ts';
import type { UploadedFile } from './uploaded-file.ts';

export interface CallOptions {
  /** From the start of the request to the end of the answer; the default is 30 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** How often a call without an answer is sent again. Only for calls that may run twice. */
  retries?: number;
  /** The bot, where its token may not be known yet, or no more. */
  at?: AtServer;
}

/** The wanted part of a file, in the terms of HTTP. */
export interface FileRange {
  range: string;
  /** Applies the range only if the file still has this ETag or date. */
  ifRange?: string;
}

/** `reuse`: takes back a piece that nobody needs any more. The next one is read into it, so that a long download leaves no garbage. */
export type FileStream = Readable & { reuse?: (piece: Buffer) => void };

/** The result of opening a file for download. `refused` has the status of the answer. */
export type OpenedFile =
  | {
      outcome: 'open';
      /** 206 if the stream is the requested part. */
      status: 200 | 206;
      stream: FileStream;
      /** The bytes that the stream will give; null when that is not known. */
      size: number | null;
      mime: string;
      /** Content-Range, Accept-Ranges, ETag and Last-Modified, as far as the platform sent them. */
      headers: Record<string, string>;
    }
  | { outcome: 'refused'; status: number }
  | { outcome: 'unreachable'; reason: string; timedOut: boolean };

export interface PlatformClient {
  /** Calls a Bot API method. Never throws: failures are in the answer's outcome. */
  call(token: string, method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<PlatformAnswer>;
  /**
   * The same with files, as multipart/form-data. Each stream is read to its end or destroyed. The default timeout is
   * 120 s; the platform may be silent for no longer than that in any case.
   */
  upload(
    token: string,
    method: string,
    params: Record<string, unknown>,
    files: UploadedFile[],
    options?: Omit<CallOptions, 'retries'>,
  ): Promise<PlatformAnswer>;
  /** Opens the file at a `file_path` from getFile. The caller must read or destroy the stream. Never throws. */
  openFile(token: string, path: string, part?: FileRange): Promise<OpenedFile>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 120_000;
const UPLOAD_SILENCE_MS = 120_000;
const FILE_SILENCE_MS = 60_000;
const FILE_HEADERS = ['content-range', 'accept-ranges', 'etag', 'last-modified'];

/** The client for calls that the service makes on its own behalf, over kept-alive connections. */
export function platformClient(server: PlatformServer): PlatformClient {
  const base = server.apiUrl.replace(/\/+$/, '');
  const environment = environmentPath(server);
  const filePath = server.filePath ?? ((token) => `/file/bot${encodeToken(token)}${environment}`);
  const agent = platformAgents(server.proxy ?? null, server.readBytes);

  return {
    async call(token, method, params = {}, options = {}) {
      if (options.signal?.aborted) return { outcome: 'unreachable', reason: ABORTED, timedOut: false };
      const requests: ClientRequest[] = [];
      try {
        const got = await loadGot();
        const calling = got.post(`${base}/bot${encodeToken(token)}${environment}/${method}`, {
          agent,
          body: parameterJson(params),
          // Exactly this type, because some servers refuse it with a charset.
          headers: { 'content-type': 'application/json', 'user-agent': 'flotilla' },
          throwHttpErrors: false,
          followRedirect: false,
          timeout: { request: options.timeoutMs ?? DEFAULT_TIMEOUT_MS },
          retry: { limit: options.retries ?? 0, methods: ['POST'], statusCodes: [] },
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        });
        const response = await calling.on('request', (request) => requests.push(request));
        return readPlatformAnswer(response.statusCode, response.headers['retry-after'], response.body);
      } catch (error) {
        return failure(error, { server, token, signal: options.signal, mayHaveGoneOut: hadConnection(requests) });
      }
    },

    async upload(token, method, params, files, { timeoutMs = UPLOAD_TIMEOUT_MS, signal } = {}) {
      const form = multipartForm(params, files);
      const requests: ClientRequest[] = [];
      try {
        const got = await loadGot();
        const uploading = got.post(`${base}/bot${encodeToken(token)}${environment}/${method}`, {
          agent,
          body: form.body,
          headers: { ...form.headers, 'user-agent': 'flotilla' },
          throwHttpErrors: false,
          followRedirect: false,
          timeout: { request: timeoutMs, socket: UPLOAD_SILENCE_MS, response: UPLOAD_SILENCE_MS },
          retry: { limit: 0 },
          ...(signal === undefined ? {} : { signal }),
        });
        const response = await uploading.on('request', (request) => requests.push(request));
        return readPlatformAnswer(response.statusCode, response.headers['retry-after'], response.body);
      } catch (error) {
        const mayHaveGoneOut = form.isRead() && hadConnection(requests);
        return failure(error, { server, token, signal, mayHaveGoneOut });
      } finally {
        for (const file of files) file.stream.destroy();
      }
    },

    async openFile(token, path, part) {
      const got = await loadGot();
      const stream = got.stream(`${base}${filePath(token)}/${encodePath(path)}`, {
        agent,
        headers: { 'user-agent': 'flotilla', 'accept-encoding': 'identity', ...rangeHeaders(part) },
        decompress: false,
        throwHttpErrors: false,
        followRedirect: false,
        // The reader decides how long the whole file takes, so only the time without any data is limited.
        timeout: { connect: DEFAULT_TIMEOUT_MS, response: DEFAULT_TIMEOUT_MS, socket: FILE_SILENCE_MS },
        retry: { limit: 0 },
      });
      return openedFile(stream, server, token);
    },
  };
}

/** `encodeURI` leaves the characters that end a path. */
function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** Loaded by the first call, because loading it takes 35 ms of a start that needs none. */
async function loadGot() {
  return (await import('got')).default;
}

type Failed = { server: PlatformServer; token: string; signal: AbortSignal | undefined; mayHaveGoneOut: boolean };

function failure(error: unknown, { server, token, signal, mayHaveGoneOut }: Failed): PlatformAnswer {
  if (signal?.aborted) return { outcome: 'unreachable', reason: ABORTED, timedOut: false };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = serverFault(error, server, token);
  if (code.startsWith('HPE_')) return { outcome: 'garbage', status: 0, reason };
  const neverSent = mayHaveGoneOut ? {} : { neverSent: true as const };
  return { outcome: 'unreachable', reason, timedOut: code === 'ETIMEDOUT', ...neverSent };
}

/** The platform may carry out and break off a request before the client notes that it has written all of it. */
function hadConnection(requests: readonly ClientRequest[]): boolean {
  return requests.some(({ socket }) => isEstablished(socket));
}

function rangeHeaders(part: FileRange | undefined): Record<string, string> {
  if (part === undefined) return {};
  return { range: part.range, ...(part.ifRange === undefined ? {} : { 'if-range': part.ifRange }) };
}

function openedFile(stream: Request, server: PlatformServer, token: string): Promise<OpenedFile> {
  return new Promise((resolve) => {
    stream.once('response', ({ statusCode, headers }: { statusCode: number; headers: Record<string, string> }) => {
      // From here on, the reader of the stream handles failures.
      stream.on('error', () => {});
      if (statusCode !== 200 && statusCode !== 206) {
        stream.destroy();
        resolve({ outcome: 'refused', status: statusCode });
        return;
      }
      const length = Number(headers['content-length']);
      const size = Number.isSafeInteger(length) ? length : null;
      const mime = headers['content-type'] ?? 'application/octet-stream';
      const kept = FILE_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
      resolve({ outcome: 'open', status: statusCode, stream, size, mime, headers: Object.fromEntries(kept) });
    });
    stream.once('error', (error: Error & { code?: string }) => {
      const reason = serverFault(error, server, token);
      resolve({ outcome: 'unreachable', reason, timedOut: error.code === 'ETIMEDOUT' });
    });
  });
}
