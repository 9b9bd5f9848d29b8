import type { BotTemplate } from '@flotilla/contract/bot-template.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { maskedBackendUrl } from './masked-backend-url.ts';
import { SEALED_PLACES } from './sealed-bot.ts';

const NAME_LENGTH = 128;

/** Its URLs may contain secrets, so it is sealed as a whole; '' where there is none. */
export function sealTemplate(secrets: SecretBox, botId: number, template: BotTemplate): string {
  if (Object.keys(template).length === 0) return '';
  return secrets.seal(JSON.stringify(template), SEALED_PLACES.template(botId));
}

/** Throws if it was sealed with an unlisted key, or for another row. */
export function openTemplate(secrets: SecretBox, botId: number, sealed: string): BotTemplate {
  return sealed === '' ? {} : (JSON.parse(secrets.open(sealed, SEALED_PLACES.template(botId))) as BotTemplate);
}

/** For callers who may not see secrets. */
export function maskedTemplate(template: BotTemplate): BotTemplate {
  return withUrls(template, masked);
}

/** A template that was sent back masked, with the URLs that it had. Two of them may differ in masked parts only. */
export function unmaskedTemplate(given: BotTemplate, known: BotTemplate): BotTemplate {
  const programs = new Map(known.programs?.map(({ name, backend_url }) => [name, backend_url]));
  return withUrls(given, (url, program) => {
    const before = program === null ? known.backend_url : programs.get(program);
    return before !== undefined && masked(before) === url ? before : url;
  });
}

/** The template with the values of the new bot in its name and its URLs. */
export function filledTemplate(
  template: BotTemplate,
  made: { id: number; username: string; first_name: string },
): BotTemplate {
  const values = { id: String(made.id), username: made.username, name: made.first_name };
  // Dots alone would lead up the path.
  const inUrl = (value: string) => (/^\.*$/.test(value) ? values.id : encodeURIComponent(value.toWellFormed()));
  const { name } = template;
  return {
    ...withUrls(template, (url) => filled(url, values, inUrl)),
    ...(name !== undefined && {
      name: filled(name, values, (value) => value)
        .slice(0, NAME_LENGTH)
        .toWellFormed(),
    }),
  };
}

/** Its URLs, each with its path in the input. */
export function urlsOf({ backend_url, programs = [] }: BotTemplate): [path: string, url: string][] {
  const all: [string, string | undefined][] = [
    ['template.backend_url', backend_url],
    ...programs.map((program, at): [string, string | undefined] => [
      `template.programs.${at}.backend_url`,
      program.backend_url,
    ]),
  ];
  return all.flatMap(([path, url]) => (url ? [[path, url]] : []));
}

/** The URL as it may be for some bot. */
export function withSamples(url: string): string {
  return filled(url, { id: '1', username: 'a_bot', name: 'A' }, encodeURIComponent);
}

export const HOST_LEFT_OPEN =
  'must have its host fixed, but for names below a domain, as in https://{username}.bots.example.com, and for {id} in a name without one, as in http://bot-{id}:8080';

/** Stands for whatever a stranger writes. */
const ANY = 'any0value';
/** After it: the rest of its label, and a domain that is no bare top level or part of an IP address. */
const BELOW_A_DOMAIN = /^[^.]*(?:\.[^.]+)+\.[a-z][^.]*\.?$/;
/** A name of one label, as of a service of Compose or Kubernetes. It begins with a letter, so it is no IP address. */
const OF_ONE_LABEL = /^[a-z][^.]*$/;

/** True if whoever makes a bot could choose to which server its updates go: its host, or its port. */
export function leavesHostOpen(url: string): boolean {
  const parts = URL.parse(filled(url, { id: ANY, username: ANY, name: ANY }, (value) => value));
  if (parts === null) return url !== withSamples(url);
  const at = parts.hostname.lastIndexOf(ANY);
  return at !== -1 && !BELOW_A_DOMAIN.test(parts.hostname.slice(at + ANY.length)) && !isChosenById(url);
}

/** True if the host has one label, and of a new bot its id only, which the platform chooses. */
function isChosenById(url: string): boolean {
  const { hostname = '' } = URL.parse(filled(url, { id: '1', username: ANY, name: ANY }, (value) => value)) ?? {};
  return OF_ONE_LABEL.test(hostname) && !hostname.includes(ANY);
}

function filled(text: string, values: Record<string, string>, written: (value: string) => string): string {
  return text.replace(/\{(id|username|name)\}/g, (_, field: string) => written(values[field] ?? ''));
}

const masked = (url: string) => maskedBackendUrl({ backend_url: url, secret_token: '' });

/** `program`: the name of the one whose URL it is; null for that of the bot. */
function withUrls(template: BotTemplate, change: (url: string, program: string | null) => string): BotTemplate {
  const changed = <Has extends { backend_url?: string | undefined }>(has: Has, program: string | null): Has =>
    has.backend_url ? { ...has, backend_url: change(has.backend_url, program) } : has;
  const { programs } = template;
  return {
    ...changed(template, null),
    ...(programs !== undefined && { programs: programs.map((program) => changed(program, program.name)) }),
  };
}
