import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import type { EventKind } from '@flotilla/contract/events.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { SwitchField } from '../../parts/switch-field.tsx';
import { UrlField } from '../../parts/url-field.tsx';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { useWords } from '../../words/words.tsx';
import { useEventsWords } from './events-words.ts';
import { changesOf, type Draft, draftOf, inputOf, localFaults, type SinkFaults } from './sink-draft.ts';

type FormProps = { sink: EventSinkResource | null; close: () => void };

/** Adds an event sink, or changes one. */
export function SinkForm({ sink, close }: FormProps): ReactNode {
  const words = useWords();
  const eventsWords = useEventsWords();
  const { form } = eventsWords.sinks;
  const queries = useQueryClient();
  const [known] = useState(() => draftOf(sink));
  const [draft, setDraft] = useState(known);
  const [secret, setSecret] = useState<string | null>(null);
  const [local, setLocal] = useState<SinkFaults>({});
  const fields = useRef<HTMLFormElement>(null);
  const save = useMutation({
    // The result stays here: a cache of results would keep the secret.
    mutationFn: async () => {
      const made = await saveSink(sink, draft, known);
      setSecret(made);
      return { isDone: made === null };
    },
    onSuccess: async ({ isDone }) => {
      await queries.invalidateQueries({ queryKey: ['event-sinks'] });
      if (isDone) close();
    },
  });
  const change = (changes: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...changes }));
    setLocal({});
    if (save.isError) save.reset();
  };
  const submit = () => {
    const found = localFaults(draft, known, words, eventsWords);
    setLocal(found);
    if (Object.keys(found).length === 0 && !save.isPending) save.mutate();
  };
  const { faults: refused, other } = faultsOf(save.error, [
    'name',
    'url',
    'bot_id',
    'chat_id',
    'kinds',
    'awaits_minutes',
  ]);
  const faults = { ...refused, ...local };
  useFirstFault(fields, save.error ?? local);
  if (secret !== null) {
    return <ShownOnce title={form.secretTitle} description={form.secretHint} secret={secret} close={close} />;
  }
  return (
    <Dialog title={sink === null ? form.add : form.edit} close={close}>
      <form
        ref={fields}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label={form.name}
          hint={form.nameHint}
          fault={faults.name}
          required
          maxLength={128}
          dir="auto"
          autoComplete="off"
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <ChoiceField
          label={form.to}
          options={(['chat', 'url'] as const).map((one) => [one, form.targets[one], form.targetHints[one]] as const)}
          value={draft.target}
          choose={(target) => change({ target })}
        >
          <div className="sink-target">
            {draft.target === 'chat' ? (
              <>
                <BotField label={form.bot} fault={faults.bot_id} botId={draft.bot} choose={(bot) => change({ bot })} />
                <Field
                  label={form.chat}
                  hint={form.chatHint}
                  fault={faults.chat_id}
                  inputMode="text"
                  value={draft.chat}
                  onChange={(event) => change({ chat: event.target.value })}
                />
              </>
            ) : (
              <>
                <UrlField label={form.url} fault={faults.url} url={draft.url} type={(url) => change({ url })} />
                <CheckField
                  label={form.audit}
                  hint={form.auditHint}
                  on={draft.audit}
                  toggle={(audit) => change({ audit })}
                />
              </>
            )}
          </div>
        </ChoiceField>
        <KindsOfEvents kinds={draft.kinds} choose={(kinds) => change({ kinds })} fault={faults.kinds} />
        {(draft.kinds === null || draft.kinds.includes('chat.awaits')) && (
          <Field
            label={form.awaits}
            hint={form.awaitsHint}
            fault={faults.awaits_minutes}
            inputMode="numeric"
            value={draft.awaitsMinutes}
            onChange={(event) => change({ awaitsMinutes: event.target.value })}
          />
        )}
        <CheckField label={form.enabled} on={draft.enabled} toggle={(enabled) => change({ enabled })} />
        {other && <Failure error={other} />}
        <div className="dialog-actions">
          <Button onClick={close}>{words.cancel}</Button>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {form.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the signing secret of a sink that just got one, else null. */
async function saveSink(sink: EventSinkResource | null, draft: Draft, known: Draft): Promise<string | null> {
  if (sink === null) return (await call('addEventSink', inputOf(draft))).signing_secret ?? null;
  const changes = changesOf(draft, known);
  if (Object.keys(changes).length === 0) return null;
  return (await call('updateEventSink', { id: sink.id, ...changes })).signing_secret ?? null;
}

type KindsProps = { kinds: Draft['kinds']; choose: (kinds: Draft['kinds']) => void; fault: string | undefined };

function KindsOfEvents({ kinds, choose, fault }: KindsProps): ReactNode {
  const words = useEventsWords();
  const { form } = words.sinks;
  const all = Object.entries(words.kinds) as [EventKind, string][];
  return (
    <>
      <SwitchField
        label={form.someKinds}
        hint={form.someKindsHint}
        on={kinds !== null}
        toggle={(some) => choose(some ? all.map(([kind]) => kind) : null)}
        fault={fault}
      />
      {kinds !== null && (
        <fieldset className="event-kinds">
          <legend className="unseen">{form.kinds}</legend>
          {all.map(([kind, name]) => (
            <CheckField
              key={kind}
              label={name}
              on={kinds.includes(kind)}
              toggle={(on) => choose(all.flatMap(([one]) => ((one === kind ? on : kinds.includes(one)) ? [one] : [])))}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}
