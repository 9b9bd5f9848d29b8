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
  /** Fields of which one means nothing without the other: both are of one version. */
  together?: readonly (readonly (keyof Draft)[])[];
  /** Its changes in the audit log. */
  audited: Pick<Input<'listAuditEntries'>, 'action' | 'bot_id'> & { isOf: (entry: AuditEntryResource) => boolean };
};

/** Somebody else changed fields of the form that the person changed, too. */
export class EditConflict<Draft> extends Error {
  override name = 'EditConflict';
  readonly theirs: Draft;
  /** The labels of the fields that others changed. */
  readonly fields: readonly string[];
  readonly entry: AuditEntryResource | undefined;
  /** Their version with what a draft changes in the one that the person began from. */
  readonly rebase: (draft: Draft) => Draft;

  constructor(conflict: Pick<EditConflict<Draft>, 'theirs' | 'fields' | 'entry' | 'rebase'>) {
    super('Changed by somebody else, too');
    this.theirs = conflict.theirs;
    this.fields = conflict.fields;
    this.entry = conflict.entry;
    this.rebase = conflict.rebase;
  }
}

type Edit<Draft> = {
  draft: Draft;
  /** What the person began from. */
  known: Draft;
  /** When that was, by the clock of this machine. */
  sinceMs: number;
};
/** The change on top of the newest version. */
type Rebased<Draft> = { draft: Draft; known: Draft; ifMatch: string | undefined };

/** Sends what the person changed, with the ETag of the newest version; throws EditConflict if others changed the same. */
export async function changeShared<Resource, Draft extends object, Result>(
  { read, draftOf, names, together = [], audited }: Shared<Resource, Draft>,
  { draft, known, sinceMs }: Edit<Draft>,
  send: (change: Rebased<Draft>) => Promise<Result>,
): Promise<Result> {
  const units = unitsOf(draft, together);
  for (let tries = 1; ; tries++) {
    const { answer, etag, servedAtMs } = await read();
    const theirs = draftOf(answer);
    const rebase = (mine: Draft): Draft => ({
      ...theirs,
      ...changesIn(unitsOf(mine, together), mine, known),
    });
    const inBoth = units.filter((unit) => differs(unit, draft, known) && differs(unit, theirs, known));
    const contested = inBoth.filter((unit) => differs(unit, draft, theirs)).flat();
    if (contested.length > 0) {
      const changed = contested.filter((name) => differs([name], theirs, known));
      const fields = [...new Set(changed.flatMap((name) => names[name] ?? []))];
      const entry = await changeOf(audited, servedAtMs - (Date.now() - sinceMs));
      throw new EditConflict({ theirs, fields, entry, rebase });
    }
    try {
      return await send({ draft: rebase(draft), known: theirs, ifMatch: etag });
    } catch (error) {
      const wasChanged = error instanceof CallError && error.code === 'precondition_failed';
      if (!wasChanged || tries === TRIES) throw error;
    }
  }
}

type Unit<Draft> = readonly (keyof Draft)[];

/** The fields that belong together, and each of the others alone. */
function unitsOf<Draft extends object>(draft: Draft, together: readonly Unit<Draft>[]): readonly Unit<Draft>[] {
  const names = Object.keys(draft) as (keyof Draft)[];
  return [...together, ...names.filter((name) => !together.some((unit) => unit.includes(name))).map((name) => [name])];
}

function changesIn<Draft>(units: readonly Unit<Draft>[], draft: Draft, known: Draft): Partial<Draft> {
  const names = units.filter((unit) => differs(unit, draft, known)).flat();
  return Object.fromEntries(names.map((name) => [name, draft[name]])) as Partial<Draft>;
}

function differs<Draft>(unit: Unit<Draft>, one: Draft, other: Draft): boolean {
  return unit.some((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** The newest change since then. Undefined if several people changed it, or the account may not read the audit log. */
async function changeOf({ isOf, ...filter }: Shared<unknown, unknown>['audited'], sinceMs: number) {
  const from = Math.floor(sinceMs / 1_000);
  const entries = await call('listAuditEntries', { ...filter, from, limit: ENTRIES }).catch(() => []);
  const [newest, ...others] = entries.filter(isOf);
  const isOne = entries.length < ENTRIES && others.every((entry) => actorOf(entry) === actorOf(newest!));
  return isOne ? newest : undefined;
}

function actorOf({ actor_kind: kind, actor_id: id }: AuditEntryResource): string {
  return `${kind} ${id}`;
}

/** True for the entries of a resource whose details begin with its kind and id. */
export function isAbout(kind: 'route' | 'program' | 'sink' | 'reply' | 'broadcast', id: number) {
  return ({ details }: AuditEntryResource): boolean => details.split(';', 1)[0] === `${kind} ${id}`;
}
