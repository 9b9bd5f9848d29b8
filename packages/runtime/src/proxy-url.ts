/** A proxy that TELEGRAM_PROXY names, or TELEGRAM_UPSTREAMS for one server. */
export type ProxyTarget = {
  scheme: 'http' | 'https' | 'socks5';
  host: string;
  port: number;
  /** Null: the proxy asks for none. */
  login: { user: string; password: string } | null;
  /** The setting that names it, if it is not TELEGRAM_PROXY. */
  setting?: string;
};

const PORTS = { http: 80, https: 443, socks5: 1080 } as const;
const FORM = 'must be http://host:port, https://host:port or socks5://host:port, with user:password@ before the host';
const ESCAPES = 'in user and password write % / ? # @ and : as %25 %2F %3F %23 %40 and %3A';
/** RFC 1929 has one byte for each length. */
const SOCKS_LOGIN_BYTES = 255;

/** Reads a TELEGRAM_PROXY. Throws an Error that says what is wrong and never quotes a password. */
export function parseProxyUrl(text: string): ProxyTarget {
  if (!URL.canParse(text)) throw new Error(`${FORM}; ${ESCAPES}`);
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  if (!isScheme(scheme) || url.hostname === '') throw new Error(FORM);
  if (/[/?#]./.test(text.slice(text.indexOf('://') + 3))) throw new Error(`nothing may follow the port; ${ESCAPES}`);
  const port = url.port === '' ? PORTS[scheme] : Number(url.port);
  if (port === 0) throw new Error('the port must be from 1 to 65535');
  return { scheme, host: url.hostname.replace(/^\[|\]$/g, ''), port, login: loginOf(url, scheme) };
}

/** The proxy without user and password, for people to read. */
export function shownProxy({ scheme, host, port }: ProxyTarget): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function isScheme(text: string): text is ProxyTarget['scheme'] {
  return Object.hasOwn(PORTS, text);
}

function loginOf(url: URL, scheme: ProxyTarget['scheme']): ProxyTarget['login'] {
  if (url.username === '' && url.password === '') return null;
  const login = { user: unescaped(url.username), password: unescaped(url.password) };
  if (login.user === '') throw new Error('has a password without a user');
  if (scheme === 'socks5' && Object.values(login).some((part) => Buffer.byteLength(part) > SOCKS_LOGIN_BYTES)) {
    throw new Error(`user and password of a socks5 proxy have at most ${SOCKS_LOGIN_BYTES} bytes each`);
  }
  if (scheme !== 'socks5' && login.user.includes(':')) throw new Error('the user of an HTTP proxy has no colon');
  return login;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(ESCAPES);
  }
}
