import { basename } from 'node:path';
import { SHOWN_MEDIA_TYPES } from '@flotilla/contract/operations/files.ts';
import type { BotFile } from '@flotilla/domain/files/open-file.ts';
import { lookup } from 'mime-types';

const ANYTHING = 'application/octet-stream';
/** A file id always means the same bytes. */
const CACHED = 'private, max-age=3600';

/** The headers of a file's answer: what may be shown is named by its type, all else is to be saved. */
export function fileHeaders({ path, mime, size, headers }: Pick<BotFile, 'path' | 'mime' | 'size' | 'headers'>) {
  const type = shownType(path, mime);
  return {
    ...headers,
    ...(size === null ? {} : { 'Content-Length': String(size) }),
    'Content-Type': type ?? ANYTHING,
    'Content-Disposition': type === null ? `attachment; filename="${plainName(path)}"` : 'inline',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cache-Control': CACHED,
  };
}

/** The platform's file server names most files plain bytes; their names tell more. */
function shownType(path: string, mime: string): string | null {
  const named = mime.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const candidates = [named, lookup(path)];
  return candidates.find((type): type is string => type !== false && SHOWN_MEDIA_TYPES.includes(type)) ?? null;
}

function plainName(path: string): string {
  return basename(path).replaceAll(/[^A-Za-z0-9._-]/g, '_');
}
