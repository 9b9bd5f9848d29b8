import type { TlsFiles } from './tls-authority.ts';

/** The name that servers with TLS know themselves and each other by. */
export const TLS_HOST = 'localhost';

/** Of redis.conf: TLS on this port and nothing else, also to replicas and between the nodes of a cluster. */
export function tlsDirectives(tls: TlsFiles, port: number): Record<string, string> {
  return {
    port: '0',
    'tls-port': String(port),
    'tls-cert-file': tls.certFile,
    'tls-key-file': tls.keyFile,
    'tls-ca-cert-file': tls.caFile,
    'tls-auth-clients': 'no',
    'tls-replication': 'yes',
    'tls-cluster': 'yes',
  };
}

/** How a test talks to its own servers, whatever their certificates are. */
export function unchecked(tls: TlsFiles | undefined): { tls?: { rejectUnauthorized: false } } {
  return tls === undefined ? {} : { tls: { rejectUnauthorized: false } };
}
