import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { readFilePath } from '../../records/files/file-path.ts';
import type { SourceFile } from './message-content.ts';

export type FetchedFile =
  | { outcome: 'fetched'; file: UploadedFile }
  /** The file cannot be fetched; `reason` is for people. */
  | { outcome: 'missing'; reason: string }
  | { outcome: 'retry'; reason: string; status: number | null; retryAfterS?: number };

/** Opens a file of the source bot, which another bot then uploads under the name `field`. */
export async function fetchFile(
  { platform }: { platform: PlatformClient },
  source: Bot,
  wanted: SourceFile,
  field: string,
): Promise<FetchedFile> {
  const answer = await platform.call(source.token, 'getFile', { file_id: wanted.file_id });
  if (answer.outcome === 'unreachable') return { outcome: 'retry', reason: answer.reason, status: null };
  if (answer.outcome === 'garbage') return { outcome: 'retry', reason: answer.reason, status: answer.status };
  if (answer.outcome === 'refused') {
    const { errorCode: status, description, retryAfterS } = answer;
    if (status !== 429 && status !== 401 && status < 500) return { outcome: 'missing', reason: plain(description) };
    return { outcome: 'retry', reason: description, status, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
  }
  const found = readFilePath(answer.result);
  if (found.outcome === 'unreachable') return { outcome: 'missing', reason: found.reason };
  return open(platform, source, wanted, { path: found.path, field });
}

async function open(
  platform: PlatformClient,
  source: Bot,
  wanted: SourceFile,
  { path, field }: { path: string; field: string },
): Promise<FetchedFile> {
  const opened = await platform.openFile(source.token, path);
  if (opened.outcome === 'unreachable') return { outcome: 'retry', reason: opened.reason, status: null };
  if (opened.outcome === 'refused') {
    const { status } = opened;
    if (status === 429 || status >= 500) return { outcome: 'retry', reason: `its file answered ${status}`, status };
    return { outcome: 'missing', reason: `it cannot be fetched (${status})` };
  }
  const name = wanted.name ?? path.split('/').at(-1) ?? field;
  const { size, stream } = opened;
  return { outcome: 'fetched', file: { field, name, mime: wanted.mime ?? opened.mime, size, stream } };
}

/** The text that replaces a file that cannot be fetched. */
export function missingNote({ what, name, size }: SourceFile, reason: string): string {
  const megabytes = size === null ? '' : `, ${(size / 1_000_000).toFixed(1)} MB`;
  return `[${what}${name === null ? '' : ` “${name}”`}${megabytes}: ${reason}]`;
}

function plain(description: string): string {
  return description.replace(/^Bad Request: /, '');
}
