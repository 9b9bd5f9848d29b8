import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, type SyntheticEvent, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { EditConflictNotice } from '../../parts/edit-conflict-notice.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { changeShared, EditConflict } from '../../parts/shared-change.ts';
import { Steps } from '../../parts/steps.tsx';
import { useEditConflict } from '../../parts/use-edit-conflict.ts';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { useTitle } from '../../parts/use-title.ts';
import { mayBroadcast, useSession } from '../../session.tsx';
import { AudienceFields } from './audience-fields.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { ConfirmBroadcast } from './confirm-broadcast.tsx';
import { broadcastOf, type Draft, type DraftFaults, faultsOfDraft, newDraft } from './draft.ts';
import { draftOfBroadcast } from './draft-of-broadcast.ts';
import { MessageFields } from './message-fields.tsx';
import { Phone } from './phone.tsx';
import { sharedBroadcast, updateBroadcast } from './shared-broadcast.ts';
import { TimingFields } from './timing-fields.tsx';
import { TryMessage } from './try-message.tsx';
import { BROADCASTS, useBroadcast } from './use-broadcasts.ts';
import './broadcasts.css';

const route = getRouteApi('/broadcasts/add');

/** Makes a broadcast in three steps, or changes one that has not begun. */
export function NewBroadcast(): ReactNode {
  const words = useBroadcastsWords();
  const { account } = useSession();
  const { bot, edit, failures, error } = route.useSearch();
  const title = edit === undefined ? words.form.title : words.form.editTitle;
  useTitle(title);
  if (!mayBroadcast(account)) return <NotFound />;
  const again = failures === undefined ? {} : failuresDraft(Number(failures), error);
  return (
    <div className="broadcasts">
      <Link to="/broadcasts" className="back">
        <Icon name="back" />
        {words.toList}
      </Link>
      <h1>{title}</h1>
      {edit === undefined ? <BroadcastForm initial={{ ...newDraft(bot), ...again }} /> : <Edited id={edit} />}
    </div>
  );
}

function Edited({ id }: { id: string }): ReactNode {
  const { form: texts } = useBroadcastsWords();
  const { data, error } = useBroadcast(id);
  if (data === undefined) return error && <Failure error={error} />;
  const draft = draftOfBroadcast(data);
  return draft === null ? <p>{texts.editByRest}</p> : <BroadcastForm initial={draft} edits={data.id} />;
}

function failuresDraft(id: number, error: string | undefined): Partial<Draft> {
  return { by: 'failures', failures: { id, ...(error === undefined ? {} : { error }) } };
}

/** The fields of each step: to go on, they must be right. */
const STEPS = [
  ['bot', 'name', 'content'],
  ['types', 'since', 'ids', 'list'],
  ['per_second', 'send_at'],
] as const satisfies readonly (readonly (keyof Draft)[])[];
const LAST = STEPS.length - 1;

function BroadcastForm({ initial: given, edits }: { initial: Draft; edits?: number }): ReactNode {
  const words = useBroadcastsWords();
  const { form: texts } = words;
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [initial, setInitial] = useState(given);
  const [sinceMs, setSinceMs] = useState(Date.now);
  const [draft, setDraft] = useState(initial);
  const [step, setStep] = useState(0);
  const [faults, setFaults] = useState<DraftFaults>({});
  const [asks, setAsks] = useState(false);
  const [sent, setSent] = useState(false);
  useFirstFault(form, faults);
  const change = (changes: Partial<Draft>) => {
    setDraft((known) => ({ ...known, ...changes }));
    setFaults((known) => Object.fromEntries(Object.entries(known).filter(([name]) => !(name in changes))));
  };
  const input = useMemo(() => broadcastOf(draft, new Date()), [draft]);
  const key = useKeyOf(input);
  const sending = useMutation({
    mutationFn: ({ known, sent }: { known: Draft; sent: Draft }) => {
      // If the answer is lost, a second press sends nothing twice.
      if (edits === undefined) return call('addBroadcast', input!, undefined, { key });
      return changeShared(sharedBroadcast(edits, words), { draft: sent, known, sinceMs }, (newest) =>
        updateBroadcast(edits, broadcastOf(newest.draft, new Date())!, newest.ifMatch),
      );
    },
    onError(error) {
      if (askAbout(error)) setAsks(false);
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: [BROADCASTS] });
      // The guard must be gone before the page is left.
      flushSync(() => setSent(true));
      void navigate({ to: '/broadcasts/$broadcast', params: { broadcast: String(id) } });
    },
  });
  const { conflict, askAbout, forget } = useEditConflict<Draft>({
    typed: draft,
    show: setDraft,
    begin(theirs) {
      setInitial(theirs);
      setSinceMs(Date.now());
    },
    send: (mine, theirs) => sending.mutate({ sent: mine, known: theirs }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    forget();
    const found = faultsOfDraft(draft, words, new Date());
    const wrong = STEPS.findIndex((names) => names.some((name) => name in found));
    sending.reset();
    if (wrong !== -1 && wrong <= step) {
      setStep(wrong);
      setFaults(Object.fromEntries(STEPS[wrong]!.flatMap((name) => (name in found ? [[name, found[name]]] : []))));
    } else if (step < LAST) {
      setStep(step + 1);
      form.current?.scrollIntoView({ block: 'start' });
    } else setAsks(true);
  };
  return (
    <form ref={form} className="broadcast-form" onSubmit={submit} noValidate>
      <Steps label={texts.steps} names={texts.stepNames} at={step} />
      <div className="broadcast-halves">
        <div className="broadcast-fields">
          {step === 0 && (
            <>
              <NameFields draft={draft} change={change} faults={faults} isFixed={edits !== undefined} />
              <MessageFields draft={draft} change={change} fault={faults.content} />
            </>
          )}
          {step === 1 && <AudienceFields draft={draft} change={change} faults={faults} />}
          {step === LAST && <TimingFields draft={draft} change={change} faults={faults} />}
          {sending.error && !asks && !(sending.error instanceof EditConflict) && <Failure error={sending.error} />}
          {conflict && <EditConflictNotice conflict={conflict} />}
          <div className="dialog-actions">
            {step > 0 && <Button onClick={() => setStep(step - 1)}>{texts.back}</Button>}
            <Button type="submit" kind="primary">
              {step < LAST ? texts.forward : draft.when === 'later' ? texts.nextLater : texts.next}
            </Button>
          </div>
        </div>
        <div className="broadcast-beside">
          <Phone draft={draft} />
          {step === 0 && <TryMessage draft={draft} />}
        </div>
      </div>
      {asks && input && (
        <ConfirmBroadcast
          input={input}
          sending={{ ...sending, mutate: () => sending.mutate({ known: initial, sent: draft }) }}
          close={() => setAsks(false)}
        />
      )}
      {(draft !== initial || conflict) && !sent && (
        <LeaveGuard title={texts.leaveTitle} description={texts.leaveHint} leave={texts.leave} stay={texts.stay} />
      )}
    </form>
  );
}

type NameProps = {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  faults: DraftFaults;
  /** The bot of a broadcast stays. */
  isFixed: boolean;
};

function NameFields({ draft, change, faults, isFixed }: NameProps): ReactNode {
  const { form: texts } = useBroadcastsWords();
  return (
    <section className="panel">
      {!isFixed && (
        <BotField
          label={texts.bot}
          hint={texts.botHint}
          fault={faults.bot}
          botId={draft.bot}
          choose={(chosen) => change({ bot: chosen })}
        />
      )}
      <Field
        label={texts.name}
        hint={texts.nameHint}
        fault={faults.name}
        dir="auto"
        autoComplete="off"
        maxLength={128}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
    </section>
  );
}

/** A name for one and the same broadcast, drawn anew when it changes. */
function useKeyOf(input: object | null): string {
  const content = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content is another broadcast
  return useMemo(() => crypto.getRandomValues(new Uint32Array(4)).join('-'), [content]);
}
