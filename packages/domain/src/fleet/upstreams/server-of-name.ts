import { DEFAULT_UPSTREAM, type PlatformEnvironment } from '@flotilla/contract/upstreams.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';

/** Where calls of strangers go, and those of most bots. */
export const HOME: AtServer = { upstream: DEFAULT_UPSTREAM, environment: 'production' };
/** Why calls of a bot go nowhere: never to another server, which may belong to others. */
export const UNKNOWN_SERVER = 'TELEGRAM_UPSTREAMS has no server of this name';

/** Throws FlotillaError('bad_request') if the settings have no server of this name. */
export function serverOfName(
  { servers }: { servers: UpstreamServers },
  upstream = DEFAULT_UPSTREAM,
  environment: PlatformEnvironment = 'production',
): AtServer {
  if (!isNamed(servers, upstream)) {
    throw refusedInput('upstream', 'is not the name of a server in TELEGRAM_UPSTREAMS');
  }
  return { upstream, environment };
}

export function isNamed(servers: UpstreamServers, upstream: string): boolean {
  return upstream === DEFAULT_UPSTREAM || servers.has(upstream);
}

type GivenServer = { [Name in keyof AtServer]?: AtServer[Name] | undefined };

/** True if the changes take the bot to another server, or to the other environment. */
export function movesBot(bot: AtServer, { upstream, environment }: GivenServer): boolean {
  return (upstream ?? bot.upstream) !== bot.upstream || (environment ?? bot.environment) !== bot.environment;
}

/** The directory below which programs may name files of the server's disk, '' for none; null: any, where a token says so. */
export function uploadsAt(servers: UpstreamServers, { upstream }: Pick<AtServer, 'upstream'>): string | null {
  return upstream === DEFAULT_UPSTREAM ? null : (servers.get(upstream)?.uploads ?? '');
}
