/** The path of a file at the platform, from getFile, or the reason why the file cannot be fetched. */
export type FilePath = { outcome: 'known'; path: string } | { outcome: 'unreachable'; reason: string };

/** Reads the result of getFile. A Bot API server in local mode returns a path on its own disk. */
export function readFilePath(result: unknown): FilePath {
  const path = (result as { file_path?: unknown } | null)?.file_path;
  if (typeof path !== 'string' || path === '')
    return { outcome: 'unreachable', reason: 'the platform names no place for it' };
  if (path.startsWith('/')) return { outcome: 'unreachable', reason: 'the Bot API server keeps it on its own disk' };
  return { outcome: 'known', path };
}
