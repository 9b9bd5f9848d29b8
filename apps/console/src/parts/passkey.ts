import { call } from '../call.ts';

/** True in browsers that have passkeys on this page. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** The person declined, took too long, or has no such passkey here: browsers do not say which. */
export class NoPasskey extends Error {}

/** The challenge of the api for a passkey of the account; null if the account has none, or the browser. */
export async function passkeyOptions(account: { username: string; password: string }): Promise<string | null> {
  if (!hasPasskeys()) return null;
  const { options } = await call('askForPasskey', account);
  return options ?? null;
}

/** Has the person use a passkey. Throws NoPasskey. */
export function provePasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
  return textOf(() => navigator.credentials.get({ publicKey }));
}

/** Has the browser make a passkey. Throws NoPasskey. */
export function makePasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  return textOf(() => navigator.credentials.create({ publicKey }));
}

async function textOf(ask: () => Promise<Credential | null>): Promise<string> {
  const credential = await ask().catch((error: unknown) => {
    if (error instanceof DOMException) throw new NoPasskey(error.message);
    throw error;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new NoPasskey();
  return JSON.stringify(credential.toJSON());
}
