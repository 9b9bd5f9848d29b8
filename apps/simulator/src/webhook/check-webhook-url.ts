import { BlockList, isIPv4 } from 'node:net';
import { badRequest } from '../bot-api-error.ts';
import type { Simulator } from '../simulator.ts';

const CLOUD_PORTS = new Set(['', '80', '88', '443', '8443']);
const RESERVED = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  RESERVED.addSubnet(network, prefix);
}

/** Parses a webhook `url` as the platform does; null when it cannot be a webhook's address. */
export function parseWebhookUrl(url: string): URL | null {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(full)) return null;
  const parsed = new URL(full);
  const known = parsed.protocol === 'http:' || parsed.protocol === 'https:';
  return known && parsed.hostname !== '' ? parsed : null;
}

/** Validates a webhook's address (WebhookActor.cpp:705-787) and returns its IP address. */
export async function checkWebhookUrl(sim: Simulator, wanted: { url: string; ipAddress: string }): Promise<string> {
  const local = sim.settings.localMode;
  const parsed = parseWebhookUrl(wanted.url);
  if (parsed === null) throw badRequest('invalid webhook URL specified');
  if (!local && parsed.protocol === 'http:') {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  }
  if (!local && !CLOUD_PORTS.has(parsed.port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
  if (wanted.ipAddress !== '' && !isIPv4(wanted.ipAddress)) {
    throw badRequest('bad webhook: Invalid IP address specified');
  }
  const address = wanted.ipAddress || (await resolve(sim, parsed.hostname));
  if (!local && RESERVED.check(address)) throw badRequest(`bad webhook: IP address ${address} is reserved`);
  return address;
}

async function resolve(sim: Simulator, hostname: string): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = await sim.resolveHost(host).catch(() => null);
  if (found === null) throw badRequest('bad webhook: Failed to resolve host: Name or service not known');
  const address = found.find(({ family }) => family === 4)?.address;
  if (address === undefined) throw badRequest('bad webhook: IPv6-only addresses are not allowed');
  return address;
}
