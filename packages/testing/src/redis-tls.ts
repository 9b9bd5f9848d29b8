import type { TlsFiles } from './tls-authority.ts';

/** The host name in the certificates; servers with TLS announce it. */
export const TLS_HOST = 'localhost';

/** Directives of redis.conf for TLS only: for clients, replicas and the cluster bus. */
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

/** Options of a test's own connections: they accept any certificate. */
export function unchecked(tls: TlsFiles | undefined): { tls?: { rejectUnauthorized: false } } {
  return tls === undefined ? {} : { tls: { rejectUnauthorized: false } };
}
