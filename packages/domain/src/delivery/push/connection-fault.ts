import { faultWords } from '@flotilla/telegram/server-fault.ts';
import { parseBackendUrl } from '../../fleet/backend-policy/backend-address.ts';
import type { Bot } from '../../fleet/bots/bot.ts';

type Addressed = Pick<Bot, 'backend_url' | 'backend_certificate'>;

type TlsFault =
  | 'plain-http'
  | 'self-signed'
  | 'unknown-issuer'
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-name'
  | 'old-protocol'
  | 'weak-certificate'
  | 'refused'
  | 'closed';

/** By Node's `code` of the error: names of OpenSSL's checks of a certificate, and of its reasons and alerts. */
const FAULTS: Record<string, TlsFault> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'plain-http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'plain-http',
  ERR_SSL_HTTP_REQUEST: 'plain-http',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown-issuer',
  CERT_SIGNATURE_FAILURE: 'unknown-issuer',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'wrong-name',
  'ERR_SSL_SSL/TLS_UNRECOGNIZED_NAME': 'wrong-name',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'old-protocol',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'old-protocol',
  ERR_SSL_VERSION_TOO_LOW: 'old-protocol',
  ERR_SSL_EE_KEY_TOO_SMALL: 'weak-certificate',
  ERR_SSL_CA_KEY_TOO_SMALL: 'weak-certificate',
  ERR_SSL_CA_MD_TOO_WEAK: 'weak-certificate',
  ERR_SSL_DH_KEY_TOO_SMALL: 'weak-certificate',
};
/** OpenSSL's checks for which Node has no code of their own. */
const WEAK_KEY = /\b(?:key too weak|digest algorithm too weak|md too weak)\b/;
const CLOSED_IN_HANDSHAKE = 'Client network socket disconnected before secure TLS connection was established';
/** Every other fault of TLS. Checks of a certificate have codes without a prefix, of which only words can be told. */
const OF_TLS = /^ERR_SSL_|^ERR_TLS_|^EPROTO$|CERT|_CA$|^UNSPECIFIED$/;

/**
 * Says why no answer came from a backend. For TLS it is one of a closed list of sentences that say what to change. They
 * name nothing that the backend sent, and no address that was looked up: it may be of a network that readers do not see.
 */
export function connectionFault(error: Error & { code?: string; reason?: string }, backend: Addressed): string {
  const { code = '', message } = error;
  const fault = faultOf(code, message);
  if (fault !== null) return sentenceOf(fault, backend);
  if (OF_TLS.test(code)) return `TLS with the backend failed: ${code}`;
  const words = faultWords(error);
  return words === null ? message : `No answer from the backend: ${words}`;
}

function faultOf(code: string, message: string): TlsFault | null {
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known !== undefined) return known;
  if (WEAK_KEY.test(message)) return 'weak-certificate';
  if (message === CLOSED_IN_HANDSHAKE) return 'closed';
  return /^ERR_SSL_.*_ALERT_/.test(code) ? 'refused' : null;
}

function sentenceOf(fault: TlsFault, { backend_url, backend_certificate }: Addressed): string {
  const isGiven = backend_certificate !== '';
  switch (fault) {
    case 'plain-http':
      return 'The backend answers plain http, not TLS: is its URL http:// ?';
    case 'self-signed':
      return isGiven
        ? 'The certificate of the backend is self-signed, and is not the one that setWebhook got as `certificate`'
        : 'The certificate of the backend is self-signed: give it to setWebhook as `certificate`';
    case 'unknown-issuer':
      return isGiven
        ? 'The certificate of the backend was not issued by the one that setWebhook got as `certificate`'
        : "The issuer of the backend's certificate is unknown: let the backend send the intermediate certificates too, or give the issuer's certificate to setWebhook as `certificate`";
    case 'expired':
      return 'The certificate of the backend, or of its issuer, has expired';
    case 'not-yet-valid':
      return 'The certificate of the backend is not valid yet';
    case 'wrong-name':
      return `The certificate of the backend is not for ${parseBackendUrl(backend_url)?.hostname ?? 'its host'}, the host of the URL`;
    case 'old-protocol':
      return 'The backend speaks only versions of TLS before 1.2, which are not safe';
    case 'weak-certificate':
      return 'The key or the signature of the certificate of the backend is too weak: make one with RSA of 2048 bits or more';
    case 'refused':
      return 'The backend refuses the TLS handshake: it has no certificate for this host, asks for one of ours, or accepts none of our ciphers';
    case 'closed':
      return 'The backend closed the connection during the TLS handshake: does it take https:// on this port?';
  }
}
