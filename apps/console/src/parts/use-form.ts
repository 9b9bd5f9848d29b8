import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import { faultsOf } from './form-faults.ts';
import { changeShared, EditConflict, type Shared } from './shared-change.ts';
import { useEditConflict } from './use-edit-conflict.ts';

/** Faults, by the path that the api gives to the field. */
export type Faults = Readonly<Record<string, string | undefined>>;

type FormOptions<Draft extends object, Resource> = {
  /** The first values of the fields; later ones change nothing. */
  known: () => Draft;
  /** Which faults of the api, by their paths, are said at a field. */
  fields?: readonly string[];
  /** The faults that the page finds before it asks the api. */
  check?: (draft: Draft, known: Draft) => Faults;
  /**
   * Its result is kept nowhere: it may be a secret. If others change the same resource, `known` is its newest version with
   * the ETag `ifMatch`, and `draft` has their changes, too.
   */
  send: (draft: Draft, known: Draft, ifMatch?: string) => Promise<unknown>;
  /** Of a form that changes what others change, too. */
  shared?: Shared<Resource, Draft> | undefined;
  /** In place of `fields`, where other errors belong to fields, too. */
  readFaults?: (error: Error | null) => ReturnType<typeof faultsOf>;
};

type Typed = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

/** The state of a form: what its fields hold, what is wrong with them, and how it is sent. `asked` is for its frame. */
export function useForm<Draft extends object, Resource = never>({
  known: first,
  fields = [],
  check,
  send,
  shared,
  readFaults,
}: FormOptions<Draft, Resource>) {
  const [known, setKnown] = useState(first);
  const [sinceMs, setSinceMs] = useState(Date.now);
  const [draft, setDraft] = useState(known);
  const [local, setLocal] = useState<Faults>({});
  const sending = useMutation({
    mutationFn: async (change: { draft: Draft; known: Draft }) => {
      if (shared === undefined || isSame(change.draft, change.known)) await send(change.draft, change.known);
      else
        await changeShared(shared, { ...change, sinceMs }, (newest) =>
          send(newest.draft, newest.known, newest.ifMatch),
        );
    },
    onError: (error) => askAbout(error),
    gcTime: 0,
  });
  const { conflict, askAbout, forget } = useEditConflict<Draft>({
    typed: draft,
    show: setDraft,
    begin(theirs) {
      setKnown(theirs);
      setSinceMs(Date.now());
    },
    send: (mine, theirs) => sending.mutate({ draft: mine, known: theirs }),
  });
  const error = sending.error instanceof EditConflict ? null : sending.error;
  const { faults: refused, other } = (readFaults ?? ((thrown) => faultsOf(thrown, fields)))(error);
  const faults: Faults = { ...refused, ...local };
  const change = (changes: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...changes }));
    setLocal({});
    if (sending.isError) sending.reset();
  };
  const set = <Name extends keyof Draft>(name: Name, value: Draft[Name]) =>
    change({ [name]: value } as unknown as Partial<Draft>);
  const run = () => {
    const found = Object.entries(check?.(draft, known) ?? {}).filter(([, fault]) => fault !== undefined);
    setLocal(Object.fromEntries(found));
    if (found.length > 0 || sending.isPending) return;
    forget();
    sending.mutate({ draft, known });
  };
  return {
    known,
    draft,
    faults,
    change,
    /** For an input or a text area; `path` is the api's name of the field. */
    text: <Name extends keyof Draft & string>(name: Name, path: string = name) => ({
      value: draft[name] as Draft[Name] & string,
      fault: faults[path],
      onChange: ({ target: { value } }: Typed) => set(name, value as Draft[Name]),
    }),
    /** For one of a few options. */
    choice: <Name extends keyof Draft & string>(name: Name) => ({
      value: draft[name],
      choose: (value: Draft[Name]) => set(name, value),
    }),
    /** For a checkbox. */
    flag: <Name extends keyof Draft & string>(name: Name) => ({
      on: draft[name] as Draft[Name] & boolean,
      toggle: (on: boolean) => set(name, on as Draft[Name]),
    }),
    asked: {
      run,
      busy: sending.isPending,
      error: other,
      conflict,
      wrong: error ?? local,
      isDirty: conflict !== null || !isSame(draft, known),
    },
  };
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
