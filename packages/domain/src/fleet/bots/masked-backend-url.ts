import type { Bot } from './bot.ts';

const MASK = '****';
/** Scheme, userinfo, host, path, query and fragment, each as written. Only the host is always present. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i;
const BOT_TOKEN = /(\d{1,20}(?::|%3A))[A-Za-z0-9_-]{20,}/gi;
/** The minimum length, because a shorter secret would match ordinary words. */
const SECRET_LENGTH = 8;

/**
 * A bot's backend URL for callers who may not see its secrets. Scheme, host and path stay recognisable. Userinfo, query
 * values, bot tokens and the bot's own secret in the path are masked. '' stays ''.
 */
export function maskedBackendUrl({ backend_url, secret_token }: Pick<Bot, 'backend_url' | 'secret_token'>): string {
  const [, scheme = '', userinfo, host = '', path = '', query, fragment] = PARTS.exec(backend_url) ?? [];
  return [
    scheme,
    userinfo === undefined ? '' : `${MASK}@`,
    host,
    maskedPath(path, secret_token),
    query === undefined ? '' : maskedQuery(query),
    fragment === undefined ? '' : `#${MASK}`,
  ].join('');
}

function maskedPath(path: string, secretToken: string): string {
  const masked = path.replace(BOT_TOKEN, `$1${MASK}`);
  return secretToken.length < SECRET_LENGTH ? masked : masked.replaceAll(secretToken, MASK);
}

/** Names stay and values are masked. A part without a name may be a value, so it is masked whole. */
function maskedQuery(query: string): string {
  const parts = query.slice(1).split('&');
  return `?${parts.map((part) => (part.includes('=') ? `${part.slice(0, part.indexOf('='))}=${MASK}` : part && MASK)).join('&')}`;
}
