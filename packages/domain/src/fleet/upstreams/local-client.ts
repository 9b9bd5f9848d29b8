import { isAbsolute } from 'node:path';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { type PlatformClient, platformClient } from '@flotilla/telegram/platform-client.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import { directoryOf, openServerFile, pathInDirectory } from './server-files.ts';
import type { Target } from './upstreams.ts';

/** Of a file of up to 2 GB, for a client that may stop reading. */
const READ_BYTES = 16 * 1024;

/** The given client of a server whose files we serve: paths are those of files below its bot, whatever disk they are on. */
export function localClient(target: Target, client: PlatformClient): PlatformClient {
  const { server, isTest = false, noteFailure } = target;
  if (server === null || server.files === '') return client;
  const directoryFor = (token: string) => directoryOf(token, isTest);
  const served = isAbsolute(server.files)
    ? null
    : platformClient({
        apiUrl: server.files,
        filePath: (token) => `/${encodeToken(directoryFor(token))}`,
        readBytes: READ_BYTES,
        ...(noteFailure === undefined ? {} : { noteFailure }),
      });
  return {
    ...client,
    call: async (token, method, params, options) => {
      const answer = await client.call(token, method, params, options);
      return method.toLowerCase() === 'getfile' ? withOwnPath(answer, directoryFor(token)) : answer;
    },
    openFile: (token, path, part) =>
      (path.includes('/') ? served?.openFile(token, path, part) : undefined) ??
      openServerFile(server.files, { directory: directoryFor(token), path, part }),
  };
}

function withOwnPath(answer: PlatformAnswer, directory: string): PlatformAnswer {
  if (answer.outcome !== 'ok') return answer;
  const file = answer.result as { file_path?: unknown } | null;
  if (typeof file?.file_path !== 'string') return answer;
  const { file_path: named, ...rest } = file;
  const path = pathInDirectory(named as string, directory);
  // Without a path, a file cannot be downloaded; the one on the disk of the server says nothing to anybody.
  return { ...answer, result: path === null ? rest : { ...rest, file_path: path } };
}
