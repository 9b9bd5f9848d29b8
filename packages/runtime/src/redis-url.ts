export type RedisAddress = { host: string; port: number };
type Login = { username?: string; password?: string };
type Common = Login & { tls: boolean };

/** The target of a REDIS_URL: one server, the primary of a Sentinel set, or a cluster. */
export type RedisTarget =
  | (Common & { form: 'single'; address: RedisAddress; db: number })
  | (Common & { form: 'sentinel'; sentinels: RedisAddress[]; primary: string; db: number; sentinelLogin: Login })
  | (Common & { form: 'cluster'; nodes: RedisAddress[] });

const FORMS =
  'redis://, redis-sentinel:// or redis-cluster:// (with TLS: rediss://, rediss-sentinel://, rediss-cluster://)';
const PARTS = /^(rediss?)(-sentinel|-cluster)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26379;

/** Reads a REDIS_URL. Throws an Error that says what is wrong and never quotes a password. */
export function parseRedisUrl(text: string): RedisTarget {
  const parts = PARTS.exec(text);
  if (!parts) throw new Error(`must begin ${FORMS}; in user and password write / ? # and , as %2F %3F %23 and %2C`);
  const [, scheme, kind, userInfo, hosts = '', path = '', query = ''] = parts;
  const common = { tls: scheme === 'rediss', ...(userInfo === undefined ? {} : loginOf(userInfo)) };
  const addresses = hosts.split(',').map((host) => addressOf(host, kind === '-sentinel' ? SENTINEL_PORT : REDIS_PORT));
  const options = new URLSearchParams(query);
  switch (kind) {
    case '-sentinel':
      return {
        ...common,
        form: 'sentinel',
        sentinels: addresses,
        ...primaryOf(path),
        sentinelLogin: sentinelLogin(options),
      };
    case '-cluster':
      refuseOptions(options);
      if (path !== '') throw new Error('a cluster has no database numbers: nothing may follow the addresses');
      return { ...common, form: 'cluster', nodes: addresses };
    default:
      refuseOptions(options);
      if (addresses.length > 1)
        throw new Error('lists several addresses, which only redis-sentinel:// and redis-cluster:// do');
      return { ...common, form: 'single', address: addresses[0]!, db: databaseOf(path) };
  }
}

function loginOf(userInfo: string): Login {
  const colon = userInfo.indexOf(':');
  if (colon < 0) throw new Error('names a user without a password: write user:password@, or :password@ without a user');
  const username = decoded(userInfo.slice(0, colon));
  return { ...(username === '' ? {} : { username }), password: decoded(userInfo.slice(colon + 1)) };
}

function addressOf(text: string, defaultPort: number): RedisAddress {
  const found = ADDRESS.exec(text);
  const port = Number(found?.[2] ?? defaultPort);
  if (!found || port < 1 || port > 65_535) {
    throw new Error(
      'must have addresses as host or host:port, separated by commas; in a password write / ? # as %2F %3F %23',
    );
  }
  return { host: found[1]!.replace(/^\[|\]$/g, ''), port };
}

function primaryOf(path: string): { primary: string; db: number } {
  const [name = '', db = '', ...more] = path.split('/');
  const primary = decoded(name);
  if (primary === '' || more.length > 0) {
    throw new Error('must name the primary that the Sentinels watch: redis-sentinel://host:26379,host:26379/mymaster');
  }
  return { primary, db: databaseOf(db) };
}

function databaseOf(text: string): number {
  if (!/^\d{0,4}$/.test(text)) throw new Error('may have a database number after the slash, and nothing else');
  return Number(text);
}

function sentinelLogin(options: URLSearchParams): Login {
  const username = options.get('sentinelUsername');
  const password = options.get('sentinelPassword');
  refuseOptions(options, ['sentinelUsername', 'sentinelPassword']);
  return { ...(username === null ? {} : { username }), ...(password === null ? {} : { password }) };
}

function refuseOptions(options: URLSearchParams, known: string[] = []): void {
  if ([...options.keys()].every((name) => known.includes(name))) return;
  throw new Error(
    known.length === 0
      ? 'takes no options after a question mark'
      : `takes no options after the question mark but ${known.join(' and ')}`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that encodes no character: write % itself as %25');
  }
}
