import { redactSecrets } from '@flotilla/runtime/logger.ts';
import { parseBackendUrl } from '../../fleet/backend-policy/backend-address.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { AnswerStart } from './send-to-backend.ts';

/** The beginning of a backend's answer, for people who look for the reason of a failure. */
export type ResponseExcerpt = { type: string; text: string };

const TEXT_LENGTH = 1024;
const TYPE_LENGTH = 100;
/** Shorter values of a query are ordinary words. */
const QUERY_VALUE_LENGTH = 4;
/** No token is longer. */
const TOKEN_LENGTH = 100;
const HIDDEN = '[redacted]';

/**
 * The beginning of an answer without secrets: an echo of the request would show the bot's secret token or its URL.
 * At most 1,024 characters; null when the answer was empty.
 */
export function responseExcerpt(
  bot: Bot,
  { contentType, start }: { contentType: string; start: AnswerStart },
): ResponseExcerpt | null {
  if (start.text === '') return null;
  const secrets = secretsOf(bot);
  const text = withoutSecrets(secrets, start.text);
  // A secret that is cut off at the end is not recognised as one, so as much as a secret is left out.
  const shown = start.isCut ? text.slice(0, -Math.max(TOKEN_LENGTH, ...secrets.map(({ length }) => length))) : text;
  const type = withoutSecrets(secrets, contentType).slice(0, TYPE_LENGTH);
  return { type: wellFormed(type), text: wellFormed(shown.slice(0, TEXT_LENGTH)) };
}

function withoutSecrets(secrets: string[], text: string): string {
  return redactSecrets(secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text));
}

/** The part of the token behind its colon is secret, however the colon is escaped. Longer secrets come first, because
 * a short one may be a part of a longer one. */
function secretsOf({ token, secret_token, signing, backend_url }: Bot): string[] {
  const url = parseBackendUrl(backend_url);
  const values =
    url === null ? [] : [...url.searchParams.values()].filter(({ length }) => length >= QUERY_VALUE_LENGTH);
  const userinfo = url === null ? [] : [url.username, url.password];
  const basic = url === null ? '' : Buffer.from(userinfo.map(decodeURIComponent).join(':')).toString('base64');
  const plain = [
    token,
    token.slice(token.indexOf(':') + 1),
    secret_token,
    ...signingTexts(signing),
    ...values,
    ...userinfo,
    ...userinfo.map(decodeURIComponent),
  ];
  const known = [...plain, ...plain.map(encodeURIComponent), userinfo.join('') === '' ? '' : basic];
  return [...new Set(known)].filter((secret) => secret !== '').sort((one, other) => other.length - one.length);
}

/** A backend that answers with its settings may show a secret with its prefix or without. */
function signingTexts(signing: Bot['signing']): string[] {
  const secrets = signing === null ? [] : [signing.secret, signing.previous?.secret ?? ''];
  return secrets.flatMap((secret) => [secret, secret.slice(secret.indexOf('_') + 1)]);
}

/** Postgres keeps no NUL character and no half of a surrogate pair. */
function wellFormed(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
