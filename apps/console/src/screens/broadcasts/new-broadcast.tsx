import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, type SyntheticEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { useTitle } from '../../parts/use-title.ts';
import { mayBroadcast, useSession } from '../../session.tsx';
import { AudienceFields } from './audience-fields.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { ConfirmBroadcast } from './confirm-broadcast.tsx';
import { broadcastOf, type Draft, type DraftFaults, faultsOfDraft, messageOf, newDraft } from './draft.ts';
import { MessageFields } from './message-fields.tsx';
import { MessagePreview } from './message-preview.tsx';
import { TimingFields } from './timing-fields.tsx';
import { TryMessage } from './try-message.tsx';
import { BROADCASTS } from './use-broadcasts.ts';
import './broadcasts.css';

const route = getRouteApi('/broadcasts/add');

/** Makes a broadcast: whose, to whom, what, how fast, and when. */
export function NewBroadcast(): ReactNode {
  const words = useBroadcastsWords();
  const { account } = useSession();
  useTitle(words.form.title);
  if (!mayBroadcast(account)) return <NotFound />;
  return (
    <div className="broadcasts">
      <Link to="/broadcasts" className="back">
        <Icon name="back" />
        {words.toList}
      </Link>
      <h1>{words.form.title}</h1>
      <BroadcastForm />
    </div>
  );
}

function BroadcastForm(): ReactNode {
  const words = useBroadcastsWords();
  const { form: texts } = words;
  const { bot } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(() => newDraft(bot));
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
  const shown = useDeferredValue(draft);
  const message = useMemo(() => messageOf(shown), [shown]);
  const sending = useMutation({
    // If the answer is lost, a second press sends nothing twice.
    mutationFn: () => call('addBroadcast', input!, undefined, key),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: [BROADCASTS] });
      // The guard must be gone before the page is left.
      flushSync(() => setSent(true));
      void navigate({ to: '/broadcasts/$broadcast', params: { broadcast: String(id) } });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const found = faultsOfDraft(draft, words, new Date());
    setFaults(found);
    sending.reset();
    if (Object.keys(found).length === 0) setAsks(true);
  };
  return (
    <form ref={form} className="broadcast-form" onSubmit={submit} noValidate>
      <div className="broadcast-halves">
        <div className="broadcast-fields">
          <section className="panel">
            <BotField
              label={texts.bot}
              hint={texts.botHint}
              fault={faults.bot}
              botId={draft.bot}
              choose={(chosen) => change({ bot: chosen })}
            />
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
          <AudienceFields draft={draft} change={change} faults={faults} />
          <MessageFields draft={draft} change={change} fault={faults.content} />
          <TimingFields draft={draft} change={change} faults={faults} />
        </div>
        <div className="broadcast-beside">
          <section className="panel" aria-labelledby="broadcast-looks">
            <h2 id="broadcast-looks">{texts.looks}</h2>
            {shown.content.text.trim() === '' ? (
              <p className="muted">{texts.looksEmpty}</p>
            ) : (
              <MessagePreview botId={Number(shown.bot ?? 0)} {...message} />
            )}
          </section>
          <TryMessage draft={draft} />
        </div>
      </div>
      {sending.error && !asks && <Failure error={sending.error} />}
      <div className="dialog-actions">
        <Button type="submit" kind="primary">
          {draft.when === 'later' ? texts.nextLater : texts.next}
        </Button>
      </div>
      {asks && input && <ConfirmBroadcast input={input} sending={sending} close={() => setAsks(false)} />}
      {draft.content.text.trim() !== '' && !sent && (
        <LeaveGuard title={texts.leaveTitle} description={texts.leaveHint} leave={texts.leave} stay={texts.stay} />
      )}
    </form>
  );
}

/** A name for one and the same broadcast, drawn anew when it changes. */
function useKeyOf(input: object | null): string {
  const content = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content is another broadcast
  return useMemo(() => crypto.getRandomValues(new Uint32Array(4)).join('-'), [content]);
}
