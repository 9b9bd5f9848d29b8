import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { type Answered, CallError, call, type Input } from '../call.ts';

const TRIES = 3;
/** Entries of the audit log that are looked through for the change. */
const ENTRIES = 50;

/** Something that several people change in a form. */
export type Shared<Resource, Draft> = {
  /** The resource as it is now. */
  read: () => Promise<Answered<Resource>>;
  draftOf: (resource: Resource) => Draft;
  /** The labels of the fields, by which a change is told. */
  names: { readonly [Name in keyof Draft]?: string };
  /** Its changes in the audit log. */
  audited: Pick<Input<'listAuditEntries'>, 'action' | 'bot_id'> & { isOf: (entry: AuditEntryResource) => boolean };
};

/** Somebody else changed fields of the form since it was opened. */
export class ChangedMeanwhile<Draft> extends Error {
  override name = 'ChangedMeanwhile';
  readonly theirs: Draft;
  /** The labels of these fields. */
  readonly fields: readonly string[];
  readonly entry: AuditEntryResource | undefined;

  constructor(theirs: Draft, fields: readonly string[], entry: AuditEntryResource | undefined) {
    super('Changed by somebody else meanwhile');
    this.theirs = theirs;
    this.fields = fields;
    this.entry = entry;
  }
}

/** Sends a change with the ETag of what still has the fields of `known`; throws ChangedMeanwhile if others changed one otherwise. */
export async function changeShared<Resource, Draft extends object, Result>(
  { read, draftOf, names, audited }: Shared<Resource, Draft>,
  { draft, known }: { draft: Partial<Draft>; known: Partial<Draft> },
  send: (ifMatch: string | undefined) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const { answer, etag } = await read();
    const theirs = draftOf(answer);
    const changed = (Object.keys(known) as (keyof Draft)[]).filter(
      (name) => differ(theirs[name], known[name]) && differ(theirs[name], draft[name]),
    );
    if (changed.length > 0) {
      const labels = new Set(changed.flatMap((name) => names[name] ?? []));
      throw new ChangedMeanwhile(theirs, [...labels], await lastChange(audited));
    }
    try {
      return await send(etag);
    } catch (error) {
      const wasChanged = error instanceof CallError && error.code === 'precondition_failed';
      if (!wasChanged || tries === TRIES) throw error;
    }
  }
}

/** Undefined if the account may not read the audit log. */
async function lastChange({ isOf, ...filter }: Shared<unknown, unknown>['audited']) {
  const entries = await call('listAuditEntries', { ...filter, limit: ENTRIES }).catch(() => []);
  return entries.find(isOf);
}

function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** True for the entries of a resource whose details begin with its kind and id. */
export function isAbout(kind: 'route' | 'program' | 'sink' | 'reply' | 'broadcast', id: number) {
  return ({ details }: AuditEntryResource): boolean => details.split(';', 1)[0] === `${kind} ${id}`;
}
