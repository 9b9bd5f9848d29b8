import { join } from 'node:path';
import { findAccount } from '@flotilla/domain/people/accounts/find-account.ts';
import { makeSignInLink } from '@flotilla/domain/people/accounts/sign-in-link.ts';
import type { Service } from '@flotilla/domain/startup/open-service.ts';
import type { OneProcessSettings } from './config.ts';

type Shown = {
  username: string;
  consoleUrl: string;
  /** A link that signs the admin in once, or the command that prints one; null if nobody needs one. */
  signIn: string | null;
  /** The directory with the keys; null if they are given. */
  keptIn: string | null;
};

/** The text after the start. */
export function welcome({ username, consoleUrl, signIn, keptIn }: Shown): string {
  const lines = [`Flotilla runs: ${consoleUrl}`];
  if (signIn !== null) lines.push(`Sign in once, within 15 minutes: ${signIn}`);
  if (keptIn !== null) {
    const file = join(keptIn, 'flotilla.env');
    lines.push(`The password of ${username} and ENCRYPTION_KEY are in ${file}: keep a copy of it elsewhere.`);
  }
  return `${lines.join('\n')}\n`;
}

type FirstSignIn = Pick<Shown, 'username' | 'consoleUrl' | 'keptIn'> & {
  /** A start that made the admin, or that a person looks at, shows the link; the log of a later one is no place for it. */
  showsLink: boolean;
};

/** A link that signs the first admin in once, or the command that prints one; null if the admin has signed in before. */
export async function firstSignIn(
  service: Service,
  { username, consoleUrl, keptIn, showsLink }: FirstSignIn,
): Promise<string | null> {
  const admin = (await findAccount(service.db, username))?.account;
  if (admin === undefined || admin.last_login_at !== null) return null;
  if (showsLink) return linkOf(consoleUrl, await makeSignInLink(service, admin));
  return ['flotilla sign-in-link', username, ...(keptIn === null ? [] : ['--data', keptIn])].join(' ');
}

/** Where a browser on this machine, or behind PUBLIC_URL, finds the console. */
export function consoleUrlOf({
  PUBLIC_URL,
  HOST,
  PORT,
}: Pick<OneProcessSettings, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  return `${PUBLIC_URL ?? `http://${reachable(HOST)}:${PORT}`}/console/`;
}

/** Clients cannot use a wildcard address, so it is replaced by loopback. */
export function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** The part behind # reaches no server and no log. */
export function linkOf(consoleUrl: string, token: string): string {
  return `${consoleUrl}#sign-in=${token}`;
}
