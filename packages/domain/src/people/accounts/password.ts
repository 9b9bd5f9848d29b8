import { randomBytes } from 'node:crypto';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { hash, verify } from '@node-rs/argon2';
import type { PasswordDeps } from './account-deps.ts';
import { COMMON_PASSWORD_FAULT, isCommonPassword } from './common-password.ts';

// argon2id is the default. The cost is OWASP's first choice: 19 MiB, two passes.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const HASH_OF_NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$xIa+UEwMr4118DfEuJo+/Q$4lv4x2166H65TgTriiWd+4Xh6FOTdCNZwLwTweoSJgw';

/** An argon2id hash in PHC form, with its salt and cost inside. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** Rejects with 'bad_request', naming the input, for one of the commonest passwords. */
export async function refuseCommonPassword(input: string, password: string): Promise<void> {
  if (await isCommonPassword(password)) throw refusedInput(input, COMMON_PASSWORD_FAULT);
}

type Work = Pick<PasswordDeps, 'passwordWork'>;

/** The hash of a password that a person chose. Rejects as refuseCommonPassword does, and as WorkLimit. */
export async function hashChosenPassword({ passwordWork }: Work, input: string, password: string): Promise<string> {
  await refuseCommonPassword(input, password);
  return passwordWork(() => hashPassword(password));
}

/** Takes equally long for a missing account (`passwordHash` null) and for a wrong password. Rejects as WorkLimit. */
export async function verifyPassword(
  { passwordWork }: Work,
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const matches = await passwordWork(() => verify(passwordHash ?? HASH_OF_NOBODY, password));
  return matches && passwordHash !== null;
}

/** 120 random bits, in a form that a person can type. */
export function randomPassword(): string {
  return randomBytes(15).toString('base64url');
}
