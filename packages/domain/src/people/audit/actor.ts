export type ActorProgram = { id: number; name: string };

/** The request by which somebody acted, and its trace, if it has one. */
export type ActorRequest = { id: string; traceparent?: string | undefined };

/** The author of an audited action. */
export type Actor = { request?: ActorRequest | undefined } & (
  | {
      kind: 'account';
      accountId: number;
      username: string;
      /** The API key that was used, or null for a session. */
      keyId: number | null;
      address: string | null;
    }
  /** The program that has the token of the entry's bot; `program` if the token is one of its own. */
  | { kind: 'bot'; address: string | null; program?: ActorProgram | undefined }
  /** Another bot, which adopts the bot of the entry. */
  | { kind: 'parent'; botId: number; username: string; address: null }
  /** Nobody was signed in: an operator at the machine, or a failed sign-in. */
  | { kind: 'nobody'; address: string | null }
);

/** True for a person who is signed in; a key may be a program. */
export function isOfPerson(by: Actor): boolean {
  return by.kind === 'account' && by.keyId === null;
}

/** The operator, acting by settings or commands. */
export const OPERATOR: Actor = { kind: 'nobody', address: null };

/** The details of an action, with the program or the parent that did it. */
export function withActor(by: Actor, details: string): string {
  if (by.kind === 'parent') return joined(`parent ${nameOf(by)}`, details);
  if (by.kind !== 'bot' || by.program === undefined) return details;
  return joined(`program ${by.program.id} (${by.program.name})`, details);
}

type Parent = Extract<Actor, { kind: 'parent' }>;

/** A parent in these texts: before its name, and its id. */
export const NAMED_PARENT = /\b(parent|Adopted by) @\w* \(bot (\d+)\)/g;

export function adoptedBy(parent: Parent): string {
  return `Adopted by ${nameOf(parent)}`;
}

function nameOf({ username, botId }: Parent): string {
  return `@${username} (bot ${botId})`;
}

function joined(who: string, details: string): string {
  return details === '' ? who : `${who}; ${details}`;
}

/** The account of an actor, as others of the team are told of it. */
export function accountOf(by: Actor): { account_id?: number; account?: string } {
  return by.kind === 'account' ? { account_id: by.accountId, account: by.username } : {};
}
