import { isAbsolute, normalize } from 'node:path';
import { DEFAULT_UPSTREAM, UPSTREAM_NAME, UPSTREAM_NAME_AT_MOST } from '@flotilla/contract/upstreams.ts';
import { type ProxyTarget, parseProxyUrl } from './proxy-url.ts';

/** A Bot API server beside that of TELEGRAM_API_URL. Never log the whole object: `proxy` may have a password. */
export type UpstreamServer = {
  name: string;
  /** Without a slash at its end. */
  url: string;
  /** null: straight. */
  proxy: ProxyTarget | null;
  /** The base URL at which this server reaches us; '': PUBLIC_URL. */
  webhook: string;
  /** The working directory of a server in local mode, or a URL that serves it; '': the server serves files. */
  files: string;
  /** Files below this directory of the server's disk may be sent by `file:`; '': none may. */
  uploads: string;
};

/** The servers of TELEGRAM_UPSTREAMS, by name. */
export type UpstreamServers = ReadonlyMap<string, UpstreamServer>;

const FORM =
  'must be name=url with ;files=, ;uploads=, ;webhook= and ;proxy= behind it, entries separated by commas; in a value write , and ; as %2C and %3B';

/**
 * Reads a TELEGRAM_UPSTREAMS. `shared`: the way to servers that name none. Throws an Error that says what is wrong with each entry; it
 * quotes the names of servers and nothing else, since any other part may be of a password.
 */
export function parseUpstreams(text: string, shared: ProxyTarget | null = null): UpstreamServers {
  if (text !== '' && !text.includes('=')) throw new Error(FORM);
  const servers = new Map<string, UpstreamServer>();
  const faults: string[] = [];
  for (const [at, entry] of text.split(',').entries()) {
    if (entry.trim() === '') continue;
    try {
      const server = serverOf(entry, shared);
      if (servers.has(server.name)) throw new Error('there are two of this name');
      servers.set(server.name, server);
    } catch (error) {
      faults.push(`${nameOf(entry) ?? `entry ${at + 1}`}: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new Error(faults.join('; '));
  return servers;
}

/** null: the entry has none, and what stands there may be of a password with a comma. */
function nameOf(entry: string): string | null {
  const [, name] = /^\s*([^=;]*?)\s*=\s*https?:\/\//i.exec(entry) ?? [];
  return name !== undefined && isName(name) ? name : null;
}

function isName(text: string): boolean {
  return text.length <= UPSTREAM_NAME_AT_MOST && UPSTREAM_NAME.test(text);
}

function serverOf(entry: string, shared: ProxyTarget | null): UpstreamServer {
  const [first = '', ...options] = entry.split(';').map((part) => part.trim());
  const [name, url] = pairOf(first);
  if (!isName(name)) throw new Error(FORM);
  if (name === DEFAULT_UPSTREAM) throw new Error('is the name of the server in TELEGRAM_API_URL');
  refuse('its URL', urlFault(url));
  const server: UpstreamServer = {
    ...{ name, url: url.replace(/\/+$/, ''), proxy: shared },
    ...{ webhook: '', files: '', uploads: '' },
  };
  const given = new Set<string>();
  for (const option of options.filter((one) => one !== '')) {
    const [key, value] = pairOf(option);
    if (given.has(key)) throw new Error('an option stands there twice');
    given.add(key);
    Object.assign(server, optionOf(key, value));
  }
  return server;
}

function pairOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? ['', text] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function optionOf(key: string, value: string): Partial<UpstreamServer> {
  switch (key) {
    case 'proxy':
      return { proxy: proxyOf(value) };
    case 'webhook':
      refuse('webhook', urlFault(value));
      return { webhook: value.replace(/\/+$/, '') };
    case 'files':
      refuse('files', /^https?:\/\//i.test(value) ? urlFault(value) : folderFault(value));
      return { files: value.replace(/\/+$/, '') };
    case 'uploads':
      refuse('uploads', folderFault(value));
      return { uploads: value.replace(/\/+$/, '') };
    default:
      throw new Error(`has an option that is none of files, uploads, webhook and proxy: an entry ${FORM}`);
  }
}

function proxyOf(value: string): ProxyTarget | null {
  if (value === 'direct') return null;
  try {
    return { ...parseProxyUrl(value), setting: 'TELEGRAM_UPSTREAMS' };
  } catch (error) {
    throw new Error(`proxy ${(error as Error).message}; or direct`);
  }
}

function refuse(what: string, fault: string | null): void {
  if (fault !== null) throw new Error(`${what} ${fault}`);
}

function urlFault(text: string): string | null {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return 'must begin with http:// or https://';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must have no user and password';
  if (/[\s?#\\]/.test(text)) return 'must have no query and no spaces';
  return url.port === '0' ? 'must have a port from 1 to 65535' : null;
}

function folderFault(path: string): string | null {
  if (!isAbsolute(path)) return 'must be an absolute path';
  if (normalize(path).replace(/\/$/, '') !== path.replace(/\/$/, '')) return 'must be a plain path, without .. and //';
  return normalize(path) === '/' ? 'must not be the whole disk' : null;
}
