import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import type { EventKind } from '@flotilla/contract/events.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, callTagged } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { isAbout, type Shared } from '../../parts/shared-change.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { SwitchField } from '../../parts/switch-field.tsx';
import { UrlField } from '../../parts/url-field.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { type EventsWords, useEventsWords } from './events-words.ts';
import { changesOf, draftOf, inputOf, localFaults, type SinkDraft } from './sink-draft.ts';

type FormProps = { sink: EventSinkResource | null; close: () => void };

/** Adds an event sink, or changes one. */
export function SinkForm({ sink, close }: FormProps): ReactNode {
  const words = useWords();
  const eventsWords = useEventsWords();
  const { form } = eventsWords.sinks;
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const { draft, faults, change, text, choice, flag, asked } = useForm<SinkDraft, EventSinkResource>({
    known: () => draftOf(sink),
    fields: ['name', 'url', 'bot_id', 'chat_id', 'kinds', 'awaits_minutes'],
    check: (now, known) => localFaults(now, known, words, eventsWords),
    shared: sink === null ? undefined : sharedSink(sink.id, eventsWords),
    async send(now, known, ifMatch) {
      const made = await saveSink(sink, now, known, ifMatch);
      setSecret(made);
      await queries.invalidateQueries({ queryKey: ['event-sinks'] });
      if (made === null) close();
    },
  });
  if (secret !== null) {
    return <ShownOnce title={form.secretTitle} description={form.secretHint} secret={secret} close={close} />;
  }
  return (
    <Confirm title={sink === null ? form.add : form.edit} act={form.save} close={close} className="" {...asked}>
      <Field
        label={form.name}
        hint={form.nameHint}
        required
        maxLength={128}
        dir="auto"
        autoComplete="off"
        {...text('name')}
      />
      <ChoiceField
        label={form.to}
        options={(['chat', 'url'] as const).map((one) => [one, form.targets[one], form.targetHints[one]] as const)}
        {...choice('target')}
      >
        <div className="sink-target">
          {draft.target === 'chat' ? (
            <>
              <BotField label={form.bot} fault={faults.bot_id} botId={draft.bot} choose={(bot) => change({ bot })} />
              <ChatField
                label={form.chat}
                hint={form.chatHint}
                fault={faults.chat_id}
                botId={draft.bot}
                chatId={draft.chat}
                choose={(chat = '', bot = draft.bot) => change({ chat, bot })}
              />
            </>
          ) : (
            <>
              <UrlField label={form.url} fault={faults.url} url={draft.url} type={(url) => change({ url })} />
              <CheckField label={form.audit} hint={form.auditHint} {...flag('audit')} />
            </>
          )}
        </div>
      </ChoiceField>
      <KindsOfEvents kinds={draft.kinds} choose={(kinds) => change({ kinds })} fault={faults.kinds} />
      {(draft.kinds === null || draft.kinds.includes('chat.awaits')) && (
        <Field label={form.awaits} hint={form.awaitsHint} inputMode="numeric" {...text('awaits_minutes')} />
      )}
      <CheckField label={form.enabled} {...flag('enabled')} />
    </Confirm>
  );
}

/** Returns the signing secret of a sink that just got one, else null. */
async function saveSink(
  sink: EventSinkResource | null,
  draft: SinkDraft,
  known: SinkDraft,
  ifMatch?: string,
): Promise<string | null> {
  if (sink === null) return (await call('addEventSink', inputOf(draft))).signing_secret ?? null;
  const changes = changesOf(draft, known);
  if (Object.keys(changes).length === 0) return null;
  return (await call('updateEventSink', { id: sink.id, ...changes }, undefined, { ifMatch })).signing_secret ?? null;
}

function sharedSink(id: number, { sinks: { form } }: EventsWords): Shared<EventSinkResource, SinkDraft> {
  return {
    read: () => callTagged('showEventSink', { id }),
    draftOf,
    names: {
      ...{ name: form.name, target: form.to, bot: form.bot, chat: form.chat, url: form.url, audit: form.audit },
      ...{ kinds: form.kinds, awaits_minutes: form.awaits, enabled: form.enabled },
    },
    together: [
      ['target', 'bot', 'chat'],
      ['target', 'url', 'audit'],
    ],
    audited: { action: 'sink_update', isOf: isAbout('sink', id) },
  };
}

type KindsProps = { kinds: SinkDraft['kinds']; choose: (kinds: SinkDraft['kinds']) => void; fault: string | undefined };

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
