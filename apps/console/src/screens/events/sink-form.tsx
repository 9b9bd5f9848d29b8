import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import type { EventKind } from '@flotilla/contract/events.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { SwitchField } from '../../parts/switch-field.tsx';
import { UrlField } from '../../parts/url-field.tsx';
import { useWords } from '../../words/words.tsx';
import { useEventsWords } from './events-words.ts';

type Draft = {
  name: string;
  target: 'chat' | 'url';
  bot: string | undefined;
  chat: string;
  url: string;
  /** null: all. */
  kinds: readonly EventKind[] | null;
  enabled: boolean;
};

function draftOf(sink: EventSinkResource | null): Draft {
  return {
    name: sink?.name ?? '',
    target: sink?.url === undefined ? 'chat' : 'url',
    bot: sink?.bot_id === undefined ? undefined : String(sink.bot_id),
    chat: sink?.chat_id === undefined ? '' : String(sink.chat_id),
    url: sink?.url ?? '',
    kinds: (sink?.kinds as EventKind[] | null | undefined) ?? null,
    enabled: sink?.enabled ?? true,
  };
}

function inputOf({ name, target, bot, chat, url, kinds, enabled }: Draft) {
  const ofChat = {
    ...(bot === undefined ? {} : { bot_id: bot }),
    ...(chat.trim() === '' ? {} : { chat_id: chat.trim() }),
  };
  return {
    ...{ name: name.trim(), enabled, kinds: kinds === null ? null : [...kinds] },
    ...(target === 'url' ? { url: url.trim() } : ofChat),
  };
}

type FormProps = { sink: EventSinkResource | null; close: () => void };

/** Adds a place that events are sent to, or changes one. */
export function SinkForm({ sink, close }: FormProps): ReactNode {
  const words = useWords();
  const eventsWords = useEventsWords();
  const { form } = eventsWords.sinks;
  const queries = useQueryClient();
  const [known] = useState(() => draftOf(sink));
  const [draft, setDraft] = useState(known);
  const change = (changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes }));
  const save = useMutation({
    mutationFn: async () => {
      const input = inputOf(draft);
      const saved =
        sink === null
          ? await call('addEventSink', input)
          : await call('updateEventSink', { id: sink.id, ...changedFields(input, inputOf(known)) });
      return saved.signing_secret;
    },
    onSuccess: async (secret) => {
      await queries.invalidateQueries({ queryKey: ['event-sinks'] });
      if (secret === undefined) close();
    },
  });
  const { faults, other } = faultsOf(save.error, ['name', 'url', 'bot_id', 'chat_id', 'kinds']);
  if (save.data !== undefined) return <Secret secret={save.data} close={close} />;
  return (
    <Dialog title={sink === null ? form.add : form.edit} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
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
              <UrlField label={form.url} hint="" fault={faults.url} url={draft.url} type={(url) => change({ url })} />
            )}
          </div>
        </ChoiceField>
        <KindsOfEvents kinds={draft.kinds} choose={(kinds) => change({ kinds })} />
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

type KindsProps = { kinds: Draft['kinds']; choose: (kinds: Draft['kinds']) => void };

function KindsOfEvents({ kinds, choose }: KindsProps): ReactNode {
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

function Secret({ secret, close }: { secret: string; close: () => void }): ReactNode {
  const { form } = useEventsWords().sinks;
  return (
    <Dialog title={form.secretTitle} description={form.secretHint} close={close}>
      <p className="sink-secret">
        <code>{secret}</code> <CopyButton text={secret} />
      </p>
      <div className="dialog-actions">
        <Button kind="primary" onClick={close}>
          {form.done}
        </Button>
      </div>
    </Dialog>
  );
}
