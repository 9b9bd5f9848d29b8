import { findAccount } from '@flotilla/domain/people/accounts/find-account.ts';
import { makeSignInLink } from '@flotilla/domain/people/accounts/sign-in-link.ts';
import { openProcess } from '@flotilla/domain/startup/open-process.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { commonSettings } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import { SETTINGS } from './config.ts';
import { consoleUrlOf, linkOf } from './welcome.ts';

const { DATABASE_URL, DATABASE_PASSWORD_COMMAND, REDIS_URL, REDIS_PASSWORD_COMMAND, ENCRYPTION_KEY } = commonSettings;
const STORES = z.object({
  ...{ DATABASE_URL, DATABASE_PASSWORD_COMMAND, REDIS_URL, REDIS_PASSWORD_COMMAND, ENCRYPTION_KEY },
});

/** Prints a link that signs the account in once, for an operator who can read the settings. */
export async function printSignInLink(username: string): Promise<number> {
  const settings = readSettings(STORES);
  const config = {
    database: { url: settings.DATABASE_URL, readPassword: settings.DATABASE_PASSWORD_COMMAND, maxConnections: 1 },
    redisUrl: settings.REDIS_URL,
    readRedisPassword: settings.REDIS_PASSWORD_COMMAND,
    encryptionKey: settings.ENCRYPTION_KEY,
  };
  const opened = await openProcess('sign-in-link', config, { log: createLogger({ name: 'flotilla', level: 'warn' }) });
  try {
    const found = await findAccount(opened.db, username);
    if (found === null) throw new FlotillaError('not_found', `There is no account "${username}".`);
    const token = await makeSignInLink(opened, found.account);
    process.stdout.write(`${linkOf(consoleUrlOf(readSettings(SETTINGS)), token)}\n`);
    return 0;
  } finally {
    await opened.close();
  }
}
