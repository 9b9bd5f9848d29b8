import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Answer, call, callPage } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useToast } from '../../parts/undo-toast.tsx';
import { ChatAround } from './chat-around.tsx';
import { CANCELLABLE, RESENDABLE } from './entry-state.tsx';
import { conditionsOf, type OutboxFilter } from './outbox-filter.ts';
import { type OutboxWords, useOutboxWords } from './outbox-words.ts';
import { inputOf, isUncounted, OUTBOX, useCounted } from './use-outbox.ts';

/** Entries that were chosen one by one, or all that a filter matches. */
export type Chosen = { entries: readonly Entry[] } | { filter: OutboxFilter };
type ChangeAnswer = Answer<'cancelOutboxEntries'>;
type ActProps = { chosen: Chosen; close: () => void; done: (sentence: string) => void };

export type Act = 'cancel' | 'release' | 'resend';

/** The api takes at most so many ids, and gives so many rows at once. */
const MOST_IDS = 1_000;
const PAGE = 200;

/** Says how many entries would be cancelled, and asks before they are. */
function CancelEntries(props: ActProps): ReactNode {
  const { cancel } = useOutboxWords();
  return <ChangeEntries {...props} operation="cancelOutboxEntries" texts={cancel} leave={cancel.keep} danger />;
}

/** The same of what is held: an admin lets it go out. */
function ReleaseEntries(props: ActProps): ReactNode {
  const { release } = useOutboxWords();
  return <ChangeEntries {...props} operation="releaseOutboxEntries" texts={release} danger={false} />;
}

type ChangeProps = ActProps & {
  operation: 'cancelOutboxEntries' | 'releaseOutboxEntries';
  texts: Pick<OutboxWords['release'], 'title' | 'hint' | 'submit' | 'done'>;
  leave?: string;
  danger: boolean;
};

function ChangeEntries({ chosen, close, done, operation, texts, leave, danger }: ChangeProps): ReactNode {
  const words = useOutboxWords();
  const counted = useCounted();
  const input = 'entries' in chosen ? { ids: idsOf(chosen.entries) } : { filter: changeFilterOf(chosen.filter) };
  const found = useQuery({
    queryKey: [OUTBOX, operation, input],
    queryFn: () => call(operation, { ...input, dry_run: true }),
    gcTime: 0,
  });
  const count = found.data && found.data.matched - found.data.refused;
  const undo = operation === 'cancelOutboxEntries' && 'entries' in chosen ? restoreOf(chosen.entries) : undefined;
  const acting = useAct(() => call(operation, input), texts.done, done, undo);
  return (
    <Ask
      title={count === undefined ? texts.submit : texts.title(count)}
      hint={count === 0 ? words.nothing : texts.hint}
      {...{ acting, close, counted: found, count }}
      texts={{ act: texts.submit, ...(leave === undefined ? {} : { leave }) }}
      refused={found.data?.refused ?? 0}
      danger={danger}
    >
      {isUncounted(count) && count !== undefined && <p className="warning">{words.moreMatch(counted(count))}</p>}
    </Ask>
  );
}

/** Says how many entries would be sent again, and what may have been sent already; then asks. */
function ResendEntries({ chosen, close, done }: ActProps): ReactNode {
  const words = useOutboxWords();
  const number = useNumber();
  const known = 'entries' in chosen ? chosen.entries : undefined;
  const found = useQuery({
    queryKey: [OUTBOX, 'resend-count', chosen],
    queryFn: ({ signal }) =>
      'entries' in chosen
        ? { entries: chosen.entries, total: chosen.entries.length }
        : firstEntries(chosen.filter, signal),
    gcTime: 0,
  });
  const able = found.data?.entries.filter(({ state }) => RESENDABLE.includes(state));
  const inDoubt = able?.filter(({ state }) => state === 'in_doubt') ?? [];
  const acting = useAct(() => call('resendOutboxEntries', { ids: idsOf(able ?? []) }), words.resend.done, done);
  const [one] = inDoubt;
  return (
    <Ask
      title={able === undefined ? words.resend.submit : words.resend.title(able.length)}
      hint={able?.length === 0 ? words.nothing : words.resend.hint}
      {...{ acting, close, counted: found, count: able?.length }}
      texts={{ act: words.resend.submit }}
      refused={(known?.length ?? 0) - (known === undefined ? 0 : (able?.length ?? 0))}
      danger={inDoubt.length > 0}
    >
      {found.data && found.data.total > MOST_IDS && <p className="warning">{words.resend.first(number(MOST_IDS))}</p>}
      {inDoubt.length > 0 && (
        <p className="warning">
          <Icon name="warning" />
          {able?.length === 1 ? words.resend.thisInDoubt : words.resend.inDoubt(inDoubt.length)}
        </p>
      )}
      {inDoubt.length === 1 && one && <ChatAround entry={one} />}
    </Ask>
  );
}

type AskProps = {
  title: string;
  hint: string;
  texts: { act: string; leave?: string };
  acting: ReturnType<typeof useAct>;
  counted: { isPending: boolean; error: Error | null; refetch: () => unknown };
  /** Undefined while it is counted. */
  count: number | undefined;
  refused: number;
  close: () => void;
  danger: boolean;
  children?: ReactNode;
};

function Ask(props: AskProps): ReactNode {
  const { title, hint, texts, acting, counted, count, refused, close, danger, children } = props;
  const words = useOutboxWords();
  return (
    <Confirm
      title={title}
      description={hint}
      act={texts.act}
      // Beside "cancel the sending", "cancel" could be taken for it.
      leave={texts.leave}
      danger={danger}
      run={() => (count === 0 ? close() : count !== undefined && acting.mutate())}
      close={close}
      busy={acting.isPending || counted.isPending}
      error={acting.error}
      className=""
    >
      {counted.isPending && <p className="muted">{words.counting}</p>}
      {counted.error && <Failure error={counted.error} retry={() => void counted.refetch()} />}
      {refused > 0 && <p className="muted">{words.refused(refused)}</p>}
      {children}
    </Confirm>
  );
}

function useAct(
  run: () => Promise<ChangeAnswer>,
  sentence: (n: number) => string,
  done: (sentence: string) => void,
  undo?: () => Promise<unknown>,
) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: run,
    onSuccess: (answer) => {
      const readAgain = () => queries.invalidateQueries({ queryKey: [OUTBOX] });
      void readAgain();
      if (undo === undefined || answer.done === 0) return done(sentence(answer.done));
      toast({ text: sentence(answer.done), undo: () => undo().finally(readAgain) });
      done('');
    },
  });
}

/** Undoes the cancelling of entries; undefined for those of a broadcast, which are not restored. Rejects if one of them cannot be. */
function restoreOf(entries: readonly Entry[]): (() => Promise<void>) | undefined {
  if (entries.some((entry) => entry.broadcast_id !== undefined)) return undefined;
  return async () => {
    const { refused } = await call('restoreOutboxEntries', { ids: idsOf(entries) });
    if (refused > 0) throw new Error(`${refused} entries were not restored`);
  };
}

function idsOf(entries: readonly Entry[]): number[] {
  return entries.map(({ id }) => id);
}

/** Without a state, the api chooses what waits, or what is held. */
function changeFilterOf(filter: OutboxFilter) {
  const { state } = filter;
  return state !== undefined && CANCELLABLE.includes(state) ? inputOf(filter) : conditionsOf(filter);
}

/** The newest entries that match, as many as can be sent again at once. */
async function firstEntries(filter: OutboxFilter, signal: AbortSignal) {
  const entries: Entry[] = [];
  let page = await callPage('listOutbox', { ...inputOf(filter), limit: PAGE }, signal);
  const { total } = page;
  entries.push(...page.rows);
  while (page.next !== null && entries.length < MOST_IDS) {
    page = await callPage('listOutbox', { ...inputOf(filter), limit: PAGE, before: page.next }, signal);
    entries.push(...page.rows);
  }
  return { entries, total };
}

export const ASKED = {
  cancel: CancelEntries,
  release: ReleaseEntries,
  resend: ResendEntries,
} as const satisfies Record<Act, (props: ActProps) => ReactNode>;
