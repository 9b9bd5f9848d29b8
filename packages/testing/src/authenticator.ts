import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

type Options = { challenge: string; rp?: { id: string }; rpId?: string };
/** Departures from what an honest authenticator does. */
type Forgery = { origin?: string; rpId?: string; counter?: number; verified?: boolean; challenge?: string };

export type Authenticator = {
  /** Answers the options of a registration, as the browser's `toJSON` does. */
  register(options: string, forged?: Forgery): string;
  /** Answers the options of a sign-in. Its counter rises with each. */
  prove(options: string, forged?: Forgery): string;
};

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const CREDENTIAL_INCLUDED = 64;

/** An authenticator with one passkey (ES256, no attestation) and the browser before it: WebAuthn, section 6. */
export function authenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  const key = new Map<number, number | Buffer>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]);
  let uses = 0;

  const dataOf = (rpId: string, { counter = uses, verified = true }: Forgery, credential: Buffer | null) => {
    const flags = USER_PRESENT | (verified ? USER_VERIFIED : 0) | (credential === null ? 0 : CREDENTIAL_INCLUDED);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const parts = [createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count];
    return Buffer.concat(credential === null ? parts : [...parts, credential]);
  };
  const clientData = (type: string, options: Options, forged: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: forged.challenge ?? options.challenge,
        origin: forged.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const answer = (response: Record<string, unknown>) =>
    JSON.stringify({
      ...{ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' },
      ...{ response, clientExtensionResults: {}, authenticatorAttachment: 'platform' },
    });

  return {
    register(text, forged = {}) {
      const options = JSON.parse(text) as Options;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, cbor(key)]);
      const authData = dataOf(forged.rpId ?? options.rp!.id, forged, credential);
      const object = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', options, forged).toString('base64url'),
        attestationObject: cbor(object).toString('base64url'),
        transports: ['internal'],
      });
    },
    prove(text, forged = {}) {
      const options = JSON.parse(text) as Options;
      uses += 1;
      const data = dataOf(forged.rpId ?? options.rpId!, forged, null);
      const client = clientData('webauthn.get', options, forged);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256').update(signed).sign(privateKey).toString('base64url'),
      });
    },
  };
}

/** The part of CBOR (RFC 8949) that an authenticator needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Buffer) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, pairs.length), ...pairs.flat().map(cbor)]);
}

function head(major: number, value: number): Buffer {
  const kind = major << 5;
  if (value < 24) return Buffer.from([kind | value]);
  return value < 256 ? Buffer.from([kind | 24, value]) : Buffer.from([kind | 25, value >> 8, value & 255]);
}
