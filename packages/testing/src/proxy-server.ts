import { readFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { Server as HttpProxyServer } from 'proxy-chain';
import socks from 'simple-socks';
import { startTlsAuthority } from './tls-authority.ts';

/** A host that nothing but the proxy can look up, so that a call past the proxy fails. */
export const HOST_BEHIND_PROXY = 'platform.invalid';

export type ProxyServer = {
  /** A TELEGRAM_PROXY, for the given login or for that of the proxy. */
  url(login?: string): string;
  /** How many connections the proxy let through. */
  tunnels(): number;
  /** The certificate of the authority of an https proxy; null for others. */
  caFile: string | null;
  stop(): Promise<void>;
};

const USER = 'an operator';
/** Characters that a URL must escape. */
const PASSWORD = 'pass:w/rd@ü%';

/** Starts a real proxy on loopback that asks for a login; HOST_BEHIND_PROXY is this machine for it. */
export function startProxyServer(scheme: 'http' | 'https' | 'socks5'): Promise<ProxyServer> {
  return scheme === 'socks5' ? startSocks() : startHttp(scheme);
}

async function startHttp(scheme: 'http' | 'https'): Promise<ProxyServer> {
  const tls = scheme === 'https' ? await (await startTlsAuthority()).issue('DNS:localhost') : null;
  const common = {
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: ({ username, password }: { username: string; password: string }) => ({
      requestAuthentication: username !== USER || password !== PASSWORD,
      dnsLookup: lookup as never,
    }),
  };
  const server = new HttpProxyServer(
    tls === null
      ? common
      : {
          ...common,
          serverType: 'https',
          httpsOptions: { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) },
        },
  );
  await server.listen();
  return {
    url: urlOf(scheme, server.port),
    tunnels: () => server.stats.connectRequestCount,
    caFile: tls?.caFile ?? null,
    stop: () => server.close(true),
  };
}

function lookup(_host: string, options: { all?: boolean }, found: (...results: unknown[]) => void): void {
  if (options.all) found(null, [{ address: '127.0.0.1', family: 4 }]);
  else found(null, '127.0.0.1', 4);
}

async function startSocks(): Promise<ProxyServer> {
  let tunnels = 0;
  const sockets = new Set<Socket>();
  const server = socks.createServer({
    authenticate: (user, password, _socket, done) =>
      done(user === USER && password === PASSWORD ? undefined : new Error('wrong login')),
    connectionOptions: ({ address }, _origin, defaults, done) => {
      tunnels += 1;
      done(null, { ...defaults, host: address === HOST_BEHIND_PROXY ? '127.0.0.1' : address } as never);
    },
  }) as unknown as import('node:net').Server;
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: urlOf('socks5', (server.address() as AddressInfo).port),
    tunnels: () => tunnels,
    caFile: null,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function urlOf(scheme: string, port: number): ProxyServer['url'] {
  const own = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}@`;
  return (login = own) => `${scheme}://${login}localhost:${port}`;
}
