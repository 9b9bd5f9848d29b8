import { authKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';
import type { Actor } from '../audit/actor.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { type AddingFactor, changeFactor, newRecoveryCodes, notProved } from './change-factor.ts';
import { type Passkey, passkeyStore } from './passkey-store.ts';
import { secondFactorStore } from './second-factor-store.ts';

/** Whom browsers and authenticators bind passkeys to: WebAuthn, section 5.1.2. */
export type RelyingParty = { id: string; origin: string };
type PasskeyDeps = AccountDeps & { relyingParty: RelyingParty | null };
/** A challenge proves an account, or adds a passkey in one session. */
type Challenged = { account_id: number; session: string | null };

const CHALLENGE_MS = 5 * 60_000;
const PASSKEYS_AT_MOST = 10;
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

const made = z.looseObject({
  id: z.string().min(1).max(1400),
  response: z.looseObject({ clientDataJSON: z.string() }),
});
const clientData = z.looseObject({ challenge: z.string().min(1) });

/** Loaded when it is needed: most installations never do. */
const webauthn = () => import('@simplewebauthn/server');

/** By the address that people open; null where browsers have no passkeys: over plain http, and at an IP address. */
export function relyingPartyOf(publicUrl: string | null): RelyingParty | null {
  if (publicUrl === null) return null;
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  const isSafe = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isSafe && !isAddress ? { id: hostname, origin } : null;
}

const tooMany = () => new FlotillaError('conflict', `An account can have at most ${PASSKEYS_AT_MOST} passkeys`);

/** The options with which the browser makes a passkey, as JSON. The challenge counts once, in this session. */
export async function beginPasskey(deps: PasskeyDeps, account: Account, session: string): Promise<string> {
  const rp = requireParty(deps);
  const known = await passkeyStore(deps.db).list(account.id);
  if (known.length >= PASSKEYS_AT_MOST) throw tooMany();
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Flotilla',
    rpID: rp.id,
    userName: account.username,
    userDisplayName: account.display_name || account.username,
    userID: Uint8Array.from(Buffer.from(`flotilla:${account.id}`)),
    attestationType: 'none',
    excludeCredentials: known.map(described),
    // It stands beside a password, so it need not be found without a username.
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
  });
  await keepChallenge(deps, options.challenge, { account_id: account.id, session });
  return JSON.stringify(options);
}

/**
 * Adds what the browser made, and ends every session of the account. Returns the version for new ones, and the recovery codes: none
 * if the account has some already. Throws 'bad_request' for what does not belong to the challenge, 'conflict' for a known credential, or for
 * the eleventh one.
 */
export async function addPasskey(
  deps: PasskeyDeps,
  by: Actor,
  {
    account_id,
    session,
    isProved,
    name,
    passkey,
  }: AddingFactor & { account_id: number; name: string; passkey: string },
): Promise<{ id: number; recovery_codes: string[]; sessionVersion: number }> {
  const credential = await registered(deps, { account_id, session }, passkey);
  if (credential === null)
    throw refusedInput('passkey', 'does not belong to what this session began, or came too late');
  const { codes, hashes } = newRecoveryCodes();
  const added = { id: 0, isFirst: false };
  const sessionVersion = await changeFactor(deps, by, account_id, 'second_factor_add', async (transaction) => {
    const at = new Date(deps.clock.nowMs());
    added.isFirst = await secondFactorStore(transaction).begin(account_id, null, hashes, at);
    if (!added.isFirst && !isProved) throw notProved();
    // Since this one was begun, others may have been added; from here on they wait for the row that was locked above.
    const passkeys = passkeyStore(transaction);
    if ((await passkeys.list(account_id)).length >= PASSKEYS_AT_MOST) throw tooMany();
    const id = await passkeys.insert({ account_id, name, ...credential });
    if (id === null) throw new FlotillaError('conflict', 'This passkey is known already');
    added.id = id;
    return inWords(name);
  });
  if (sessionVersion === null) throw new FlotillaError('internal', 'A passkey was not stored');
  return { id: added.id, recovery_codes: added.isFirst ? codes : [], sessionVersion };
}

/** Removes a passkey, and ends every session of the account. Returns the version for new ones; null if there is none of this id. */
export function removePasskey(deps: PasskeyDeps, by: Actor, account_id: number, id: number): Promise<number | null> {
  return changeFactor(deps, by, account_id, 'second_factor_remove', async (transaction) => {
    const name = await passkeyStore(transaction).remove(account_id, id);
    await secondFactorStore(transaction).removeEmpty(account_id);
    return name === null ? null : inWords(name);
  });
}

/** The options with which the browser uses a passkey of the account, as JSON; null if it has none. The challenge counts once, for this account. */
export async function askForPasskey(deps: PasskeyDeps, account_id: number): Promise<string | null> {
  const { relyingParty: rp } = deps;
  const known = await passkeyStore(deps.db).list(account_id);
  if (rp === null || known.length === 0) return null;
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    allowCredentials: known.map(described),
    userVerification: 'required',
  });
  await keepChallenge(deps, options.challenge, { account_id, session: null });
  return JSON.stringify(options);
}

/** True if a passkey of the account answered a challenge that was made for it. Each challenge is used up by its first answer. */
export async function provePasskey(deps: PasskeyDeps, account_id: number, passkey: string): Promise<boolean> {
  const { relyingParty: rp } = deps;
  const answer = await takeAnswer(deps, { account_id, session: null }, passkey);
  if (rp === null || answer === null) return false;
  const known = await passkeyStore(deps.db).find(account_id, answer.given.id);
  if (known === undefined) return false;
  const { verifyAuthenticationResponse } = await webauthn();
  const { public_key, counter } = known;
  const verified = await verifyAuthenticationResponse({
    response: answer.given as never,
    expectedChallenge: answer.challenge,
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    credential: { id: known.credential_id, publicKey: Uint8Array.from(public_key), counter },
    requireUserVerification: true,
  }).catch((error: unknown) => refusal(deps, error));
  if (verified === null || !verified.verified) return false;
  return passkeyStore(deps.db).use(known.id, verified.authenticationInfo.newCounter, new Date(deps.clock.nowMs()));
}

async function registered(deps: PasskeyDeps, challenged: Challenged, passkey: string) {
  const rp = requireParty(deps);
  const answer = await takeAnswer(deps, challenged, passkey);
  if (answer === null) return null;
  const { verifyRegistrationResponse } = await webauthn();
  const verified = await verifyRegistrationResponse({
    response: answer.given as never,
    expectedChallenge: answer.challenge,
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
  }).catch((error: unknown) => refusal(deps, error));
  if (verified === null || !verified.verified) return null;
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  const known = TRANSPORTS.filter((one) => transports.includes(one));
  return { credential_id: id, public_key: Buffer.from(publicKey), counter, transports: known };
}

/** The library throws for what does not match: origin, signature, counter, no verification of the person. */
function refusal({ log }: PasskeyDeps, error: unknown): null {
  log.info({ reason: error instanceof Error ? error.message : String(error) }, 'a passkey was refused');
  return null;
}

async function keepChallenge({ redis }: PasskeyDeps, challenge: string, of: Challenged): Promise<void> {
  await redis.commands.set(authKeys.passkeyChallenge(sha256Hex(challenge)), JSON.stringify(of), 'PX', CHALLENGE_MS);
}

/** The answer to a challenge, which is used up; null if it was made for something else, was used, or has ended. */
async function takeAnswer({ redis }: PasskeyDeps, { account_id, session }: Challenged, passkey: string) {
  const given = made.safeParse(parsed(passkey)).data;
  const data = parsed(Buffer.from(given?.response.clientDataJSON ?? '', 'base64url').toString());
  const challenge = clientData.safeParse(data).data?.challenge;
  if (given === undefined || challenge === undefined) return null;
  const kept = await redis.commands.getdel(authKeys.passkeyChallenge(sha256Hex(challenge)));
  const of = kept === null ? null : (JSON.parse(kept) as Challenged);
  return of?.account_id === account_id && of.session === session ? { given, challenge } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function requireParty({ relyingParty }: PasskeyDeps): RelyingParty {
  if (relyingParty !== null) return relyingParty;
  throw new FlotillaError(
    'conflict',
    'Passkeys need the setting PUBLIC_URL with https and the name of a host, or http://localhost',
  );
}

const described = ({ credential_id, transports }: Passkey) => ({ id: credential_id, transports: [...transports] });
const inWords = (name: string) => `passkey ${JSON.stringify(name)}`;
