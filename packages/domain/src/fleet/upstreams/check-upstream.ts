import { isAbsolute, normalize } from 'node:path';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ProxyTarget, parseProxyUrl } from '@flotilla/runtime/proxy-url.ts';
import { forbiddenHostReason, forbiddenReason, parseBackendUrl } from '../backend-policy/backend-address.ts';
import type { BackendPolicy } from '../backend-policy/backend-policy.ts';
import type { UpstreamSettings } from './upstream-store.ts';

type Fault = { path: keyof UpstreamSettings; reason: string };

/** Throws FlotillaError('bad_request') that names every setting of a server that cannot be. */
export async function refuseUpstreamFaults(policy: BackendPolicy, settings: UpstreamSettings): Promise<void> {
  const { url, proxy, webhook_url, files, uploads } = settings;
  const found: [Fault['path'], string | null][] = [
    ['url', await serverFault(policy, url)],
    ['proxy', proxyFault(policy, proxy)],
    ['webhook_url', webhook_url === '' ? null : plainUrlFault(webhook_url)],
    ['files', await filesFault(policy, files)],
    ['uploads', uploads === '' ? null : directoryFault(uploads)],
  ];
  const faults = found.flatMap(([path, reason]): Fault[] => (reason === null ? [] : [{ path, reason }]));
  const [first] = faults;
  if (first === undefined) return;
  throw new FlotillaError('bad_request', `${first.path}: ${first.reason}`, { details: faults });
}

async function serverFault(policy: BackendPolicy, text: string): Promise<string | null> {
  return plainUrlFault(text) ?? forbiddenHostReason(new URL(text), policy);
}

function plainUrlFault(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return 'must begin with http:// or https://';
  const url = parseBackendUrl(text);
  if (url === null) return 'is not an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must have no user and password';
  return /[?#]/.test(text) ? 'must have no query' : null;
}

function proxyFault(policy: BackendPolicy, text: string): string | null {
  if (text === '' || text === 'direct') return null;
  let proxy: ProxyTarget;
  try {
    proxy = parseProxyUrl(text);
  } catch (error) {
    return (error as Error).message;
  }
  if (proxy.login?.password === '****') return 'has a masked password; give the whole URL';
  return forbiddenReason(proxy.host, proxy.port, policy);
}

async function filesFault(policy: BackendPolicy, text: string): Promise<string | null> {
  if (text === '') return null;
  return isAbsolute(text) ? directoryFault(text) : serverFault(policy, text);
}

function directoryFault(path: string): string | null {
  if (!isAbsolute(path)) return 'must be an absolute path';
  if (normalize(path).replace(/\/$/, '') !== path.replace(/\/$/, '')) return 'must be a plain path, without .. and //';
  return normalize(path) === '/' ? 'must not be the whole disk' : null;
}
