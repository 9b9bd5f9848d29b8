import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { FileRange, OpenedFile, PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import { readFilePath } from './file-path.ts';

export type BotFile = Extract<OpenedFile, { outcome: 'open' }> & { path: string };

const RANGE_NOT_SATISFIABLE = 416;

/**
 * Opens a file of the bot's chats, whole or in part; null when the part is outside of the file. The caller must read or
 * destroy the stream. Throws FlotillaError: 'platform_refused' when the platform refuses the file, 'platform_failed' or
 * 'platform_timeout' when it cannot be fetched.
 */
export async function openFile(
  { platform }: { platform: PlatformClient },
  bot: Bot,
  file_id: string,
  part?: FileRange,
): Promise<BotFile | null> {
  const found = readFilePath(resultOf(await platform.call(bot.token, 'getFile', { file_id })));
  if (found.outcome === 'unreachable') {
    throw new FlotillaError('platform_refused', `This file cannot be fetched: ${found.reason}`);
  }
  const opened = await platform.openFile(bot.token, found.path, part);
  switch (opened.outcome) {
    case 'open':
      return { ...opened, path: found.path };
    case 'refused':
      if (opened.status === RANGE_NOT_SATISFIABLE) return null;
      throw opened.status < 500
        ? new FlotillaError('platform_refused', 'The platform refused the file', { platformErrorCode: opened.status })
        : new FlotillaError('platform_failed', `The platform answered ${opened.status} instead of the file`);
    case 'unreachable':
      throw opened.timedOut
        ? new FlotillaError('platform_timeout', 'The platform did not send the file in time')
        : new FlotillaError('platform_failed', 'The file could not be fetched from the platform', {
            cause: opened.reason,
          });
  }
}
