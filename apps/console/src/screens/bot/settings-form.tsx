import type { BotResource } from '@flotilla/contract/bots.ts';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import { CallError, call, callTagged } from '../../call.ts';
import { useShortcuts } from '../../keys.ts';
import { Button } from '../../parts/button.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { EditConflictNotice } from '../../parts/edit-conflict-notice.tsx';
import { Failure } from '../../parts/failure.tsx';
import { isMasked } from '../../parts/is-masked.ts';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { changeShared, EditConflict, type Shared } from '../../parts/shared-change.ts';
import { useEditConflict } from '../../parts/use-edit-conflict.ts';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { BackendTrial } from './backend-trial.tsx';
import { inputOf, type Settings, settingsOf } from './settings-draft.ts';
import { SettingsFields } from './settings-fields.tsx';
import { type SettingsWords, useSettingsWords } from './settings-words.ts';

/** Changes the settings of a bot; only what was changed is sent. */
export function SettingsForm({ bot }: { bot: BotResource }): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState<Partial<Settings>>({});
  // Of each field that is typed in: what was in it. The others show at once what other people save.
  const [before, setBefore] = useState<Partial<Settings>>({});
  const [sinceMs, setSinceMs] = useState(Date.now);
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [tried, setTried] = useState('');
  const known = settingsOf(bot);
  // A field with its old text again is as good as one that nobody typed in.
  const changes = changedFields(changedFields(draft, known), before);
  const count = Object.keys(changes).length;
  const saving = useMutation({
    mutationFn: ({ sent, from }: { sent: Partial<Settings>; from: Partial<Settings> }) =>
      changeShared(sharedBot(bot.id, queries, words), { draft: sent, known: from, sinceMs }, ({ ifMatch }) =>
        call('updateBot', { id: bot.id, ...inputOf(sent) }, undefined, { ifMatch }),
      ),
    onSuccess: (saved, { sent }) => {
      queries.setQueryData(['bot', String(bot.id)], saved);
      setBefore({});
      // Text that was typed meanwhile stays, to be saved next.
      setDraft((now) => changedFields(now, { ...known, ...before, ...sent }));
      // A wrong URL is told now, and not by the first update.
      if (sent.backend_url !== undefined || sent.secret_token !== undefined) {
        setTried(saved.backend_url === '' ? '' : `${saved.backend_url} ${Date.now()}`);
      }
      void queries.invalidateQueries();
    },
    onError: (error) => askAbout(error) || setFaults(error instanceof CallError ? error.faults : new Map()),
  });
  const send = (sent: Partial<Settings>, start: Partial<Settings>) =>
    saving.mutate({ sent, from: ofNames(sent, { ...known, ...start }) });
  const { conflict, askAbout, forget } = useEditConflict<Partial<Settings>>({
    typed: changes,
    show: (shown) => setDraft(changedFields(shown, known)),
    begin(theirs) {
      setBefore((now) => ofNames(now, theirs));
      setSinceMs(Date.now());
    },
    send: (mine, theirs) => send(changedFields(mine, theirs), theirs),
  });
  const change = (changed: Partial<Settings>) => {
    if (Object.keys(before).length === 0) setSinceMs(Date.now());
    setBefore((now) => ({ ...ofNames(changed, known), ...now }));
    setDraft((now) => ({ ...now, ...changed }));
    setFaults(new Map([...faults].filter(([path]) => !(path.split('.')[0]! in changed))));
    if (saving.isSuccess) saving.reset();
  };
  const save = () => {
    const local = localFaults(changes, words);
    setFaults(local);
    if (count === 0 || local.size > 0 || saving.isPending) return;
    forget();
    send(changes, before);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save();
  };
  const discard = () => {
    setDraft({});
    setBefore({});
    setFaults(new Map());
    forget();
    saving.reset();
  };
  useShortcuts({ 'ctrl+s': save });
  useFirstFault(form, faults);
  const isAtFields = saving.error instanceof CallError && saving.error.faults.size > 0;
  return (
    <form ref={form} className="settings-form" onSubmit={submit} noValidate>
      <SettingsFields
        settings={{ ...known, ...changes }}
        hasSecret={bot.secret_token !== ''}
        faultOf={(name) =>
          faults.get(name) ?? faults.get([...faults.keys()].find((path) => path.startsWith(`${name}.`)) ?? '')
        }
        change={change}
      />
      <div className="save-bar" data-dirty={count > 0 || undefined}>
        {tried && <BackendTrial key={tried} botId={bot.id} url={tried} />}
        {conflict && <EditConflictNotice conflict={conflict} />}
        {saving.isError && !isAtFields && !(saving.error instanceof EditConflict) && <Failure error={saving.error} />}
        <p role="status" className="muted">
          {count > 0 ? words.changes(count) : saving.isSuccess && words.saved}
        </p>
        {count > 0 && <Button onClick={discard}>{words.discard}</Button>}
        <Button type="submit" kind={count > 0 ? 'primary' : 'plain'} busy={saving.isPending}>
          {words.save}
        </Button>
      </div>
      {(count > 0 || conflict) && (
        <LeaveGuard
          title={words.leaveTitle}
          description={words.leaveHint(Math.max(1, count))}
          leave={words.leave}
          stay={words.stay}
        />
      )}
    </form>
  );
}

function ofNames(fields: Partial<Settings>, values: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in fields));
}

/** The page shows what is read, too. */
function sharedBot(id: number, queries: QueryClient, words: SettingsWords): Shared<BotResource, Partial<Settings>> {
  const plain = Object.entries(words.settings).map(([name, { label }]) => [name, label]);
  return {
    async read() {
      const found = await callTagged('showBot', { id });
      queries.setQueryData(['bot', String(id)], found.answer);
      return found;
    },
    draftOf: settingsOf,
    names: {
      ...Object.fromEntries(plain),
      ...{ labels: words.labels, template: words.template, backend_url: words.url, pace: words.sending },
      allowed_updates: words.kinds,
    },
    audited: { action: 'bot_update', bot_id: id, isOf: ({ bot_id }) => bot_id === id },
  };
}

/** The faults that the api cannot find: a text of the form that stands for a secret, or no kinds where none was meant. */
function localFaults(changes: Partial<Settings>, words: { urlMasked: string; noKind: string }): Map<string, string> {
  const faults = new Map<string, string>();
  if (changes.backend_url !== undefined && isMasked(changes.backend_url)) faults.set('backend_url', words.urlMasked);
  if (changes.allowed_updates?.length === 0) faults.set('allowed_updates', words.noKind);
  return faults;
}
