import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { buildConnector } from 'undici';
import { guardedLookup, portOf } from '../../fleet/backend-policy/backend-address.ts';
import type { BackendPolicy } from '../../fleet/backend-policy/backend-policy.ts';

/** How a backend that has settings of its own is connected to: a certificate that is trusted alone (PEM), an address. */
export type OwnWay = { certificate: string; ipAddress: string };

export const NO_OWN_WAY: OwnWay = { certificate: '', ipAddress: '' };

const CONNECT_DEADLINE_MS = 10_000;

/** Connects to the host of an origin, at checked addresses, or at the pinned one, which callers check before. */
export function backendConnector(
  origin: URL,
  { certificate, ipAddress }: OwnWay,
  policy: BackendPolicy,
): buildConnector.connector {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const connect = buildConnector({
    timeout: CONNECT_DEADLINE_MS,
    // The policy depends on the port, which a lookup does not get.
    lookup: guardedLookup(portOf(origin), policy),
    // A pinned connection is to an address, but the certificate is for the host of the URL.
    checkServerIdentity: (_connectedTo: string, peer: PeerCertificate) =>
      certificate === '' ? checkServerIdentity(host, peer) : checkHostOrCommonName(host, peer),
    ...(certificate === '' ? {} : { ca: certificate }),
  });
  return ipAddress === '' ? connect : (options, done) => connect({ ...options, hostname: ipAddress }, done);
}

/**
 * The platform checks in this way a certificate that was uploaded (td: SslStream.cpp, X509_check_host): the common name counts
 * unless the certificate names DNS hosts, also for an address.
 */
function checkHostOrCommonName(host: string, peer: PeerCertificate): Error | undefined {
  const fault = checkServerIdentity(host, peer);
  const isNamed = isIP(host) !== 0 && peer.subject?.CN === host && !/\bDNS:/.test(peer.subjectaltname ?? '');
  return isNamed ? undefined : fault;
}
