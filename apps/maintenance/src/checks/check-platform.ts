import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import { targetOf } from '@flotilla/domain/fleet/upstreams/upstreams.ts';
import type { ServiceConfig } from '@flotilla/domain/startup/service-config.ts';
import { platformClient } from '@flotilla/telegram/platform-client.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

type Config = Pick<ServiceConfig, 'platformUrl' | 'platformProxy' | 'servers' | 'publicUrl'>;

const WAIT_AT_MOST_MS = 10_000;
/** No bot has it: a Bot API server refuses it, and whoever answers otherwise is none. */
const NOBODYS_TOKEN = '1:check-config';
const OWN_CLOUD = 'api.telegram.org';

/** Asks the platform, and each server of TELEGRAM_UPSTREAMS. */
export function checkPlatforms(config: Config): Promise<Finding[]> {
  return Promise.all([DEFAULT_UPSTREAM, ...config.servers.keys()].map((name) => checkPlatform(config, name)));
}

/** Asks the API root for something that only a Bot API server refuses properly. */
async function checkPlatform(config: Config, upstream: string): Promise<Finding> {
  const target = targetOf(config, { upstream, environment: 'production' });
  const answer = await platformClient(target).call(NOBODYS_TOKEN, 'getMe', {}, { timeoutMs: WAIT_AT_MOST_MS });
  const { host } = new URL(target.apiUrl);
  const isHome = upstream === DEFAULT_UPSTREAM;
  const what = isHome ? 'platform' : `upstream ${upstream}`;
  const setting = isHome ? 'TELEGRAM_API_URL' : 'TELEGRAM_UPSTREAMS';
  switch (answer.outcome) {
    case 'ok':
    case 'refused':
      return ok(what, `a Bot API server answers at ${host}`);
    case 'garbage':
      return fail(what, `${host} sends ${answer.reason}`, `correct ${setting}, or the proxy on the way there`);
    case 'unreachable':
      return fail(what, `${host} cannot be reached: ${answer.reason}`, mendOf(answer.reason, setting));
  }
}

function mendOf(reason: string, setting: string): string {
  if (/certificate|self-signed|altnames/i.test(reason)) {
    return 'name the authority of its certificate in NODE_EXTRA_CA_CERTS, or find out who answers in its place';
  }
  return `open the way to ${setting}, or ${setting === 'TELEGRAM_API_URL' ? 'set TELEGRAM_PROXY' : 'name a proxy there'}`;
}

/** Checks the address to which the platform pushes. `webhookBots`: how many bots need it; null: not known. */
export async function checkPublicUrl({ publicUrl, platformUrl }: Config, webhookBots: number | null): Promise<Finding> {
  const need = webhookBots === null || webhookBots === 0 ? warn : fail;
  if (publicUrl === null) {
    if (!webhookBots) return ok('public url', 'none is set, and no bot needs one');
    return fail('public url', `none is set, and ${webhookBots} bots are in webhook mode`, 'set PUBLIC_URL');
  }
  const { host, protocol } = new URL(publicUrl);
  if (protocol === 'http:' && new URL(platformUrl).host === OWN_CLOUD) {
    return need('public url', 'the platform pushes to https:// only', 'give PUBLIC_URL a certificate and https://');
  }
  try {
    const { status } = await fetch(`${publicUrl}/livez`, { signal: AbortSignal.timeout(WAIT_AT_MOST_MS) });
    if (status === 200) return ok('public url', `an api answers at ${host}`);
    return need('public url', `${host}/livez answers ${status}`, 'let the load balancer lead PUBLIC_URL to the api');
  } catch (error) {
    const mend =
      'start the api, and let its name, certificate and load balancer lead there; the platform calls from outside';
    return need('public url', `${host} cannot be reached: ${reasonOf(error)}`, mend);
  }
}
