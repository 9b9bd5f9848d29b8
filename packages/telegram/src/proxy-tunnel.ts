import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, isIPv6, type Socket } from 'node:net';
import type { ProxyTarget } from '@flotilla/runtime/proxy-url.ts';
import { messageOf } from './server-fault.ts';

/** The code of an error that says, for an operator, why the proxy gave no way to the platform. */
export const PROXY_FAILED = 'PROXY_FAILED';

type Destination = { host: string; port: number };

const OPEN_WITHIN_MS = 10_000;
const AWAY = 'the proxy could not be reached';

/**
 * Opens a connection through a proxy. It is a tunnel in every case, so the platform sees the same bytes as without the
 * proxy, and the proxy looks up the host. Rejects with an Error of code PROXY_FAILED, without user and password.
 */
export async function openTunnel(proxy: ProxyTarget, to: Destination): Promise<Socket> {
  const opening = proxy.scheme === 'socks5' ? throughSocks(proxy, to) : throughHttp(proxy, to);
  const socket = await opening.catch((error: Error & { code?: string; shown?: string }) => {
    if (error.code !== PROXY_FAILED) throw error;
    const setting = ` (${proxy.setting ?? 'TELEGRAM_PROXY'})`;
    throw failed(error.message + setting, `${error.shown}${setting}`);
  });
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

function throughHttp(proxy: ProxyTarget, to: Destination): Promise<Socket> {
  const { scheme, host, port, login } = proxy;
  const authority = authorityOf(to);
  const basic = login && Buffer.from(`${login.user}:${login.password}`).toString('base64');
  const connect = (scheme === 'https' ? httpsRequest : httpRequest)({
    host,
    port,
    // Without it, node:https would expect the certificate of the host in the header.
    servername: isIP(host) === 0 ? host : '',
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(basic && { 'proxy-authorization': `Basic ${basic}` }) },
    agent: false,
  });
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => connect.destroy(failed('the proxy did not answer in time')), OPEN_WITHIN_MS);
    connect.on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      clearTimeout(deadline);
      if (head.length > 0) socket.unshift(head);
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(refusedBy(proxy, authority, statusCode));
    });
    connect.on('error', (error: Error & { code?: string }) => {
      clearTimeout(deadline);
      if (error.code === PROXY_FAILED) return reject(error);
      reject(httpFailure(error));
    });
    connect.end();
  });
}

function httpFailure(error: Error & { code?: string }): Error {
  if (error.code?.startsWith('HPE_')) return failed('the answer is not that of a proxy');
  // Some proxies do so when they cannot reach the host.
  if (error.code === 'ECONNRESET') return failed('the proxy closed the connection without an answer');
  return failed(`${AWAY}: ${messageOf(error)}`, AWAY);
}

function refusedBy({ login }: ProxyTarget, authority: string, status: number): Error {
  // tinyproxy answers a wrong password with 401.
  if (status !== 407 && status !== 401) return noWay(authority, `status ${status}`);
  return failed(
    login === null ? 'the proxy wants a user and a password' : 'the proxy refuses the user or the password',
  );
}

async function throughSocks({ host, port, login }: ProxyTarget, destination: Destination): Promise<Socket> {
  const { SocksClient } = await import('socks');
  try {
    const { socket } = await SocksClient.createConnection({
      proxy: { host, port, type: 5, ...(login && { userId: login.user, password: login.password }) },
      command: 'connect',
      destination,
      timeout: OPEN_WITHIN_MS,
    });
    return socket;
  } catch (error) {
    // The error of the library has the password among its fields.
    throw socksFailure(messageOf(error), authorityOf(destination), login !== null);
  }
}

/** The library tells its errors apart by their texts only (its constants.ts). */
function socksFailure(message: string, authority: string, hasLogin: boolean): Error {
  // The library has an internal error if a proxy sends more than its refusal.
  if (/authentication failed|internal error/i.test(message))
    return failed('the proxy refuses the user or the password');
  if (/no accepted authentication type/i.test(message)) {
    return failed(hasLogin ? 'the proxy refuses the user or the password' : 'the proxy wants a user and a password');
  }
  if (/timed out/i.test(message)) return failed('the proxy did not answer in time');
  if (/invalid Socks5/i.test(message)) return failed('the answer is not that of a socks5 proxy');
  const refused = /proxy rejected connection - (\w+)/i.exec(message);
  return refused === null ? failed(`${AWAY}: ${message}`, AWAY) : noWay(authority, refused[1]!);
}

function noWay(authority: string, why: string): Error {
  return failed(`the proxy gives no way to ${authority} (${why})`, `the proxy gives no way to the server (${why})`);
}

function authorityOf({ host, port }: Destination): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** `shown`: the same without addresses. */
function failed(reason: string, shown = reason): Error & { code: string; shown: string } {
  return Object.assign(new Error(reason), { code: PROXY_FAILED, shown });
}
