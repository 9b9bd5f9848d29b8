import type { ReplyResource } from '@flotilla/contract/replies.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { call } from '../../../call.ts';
import { BotsField } from '../../../parts/bots-field.tsx';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field, SelectField, TextArea } from '../../../parts/field.tsx';
import { faultsOf } from '../../../parts/form-faults.ts';
import { useFirstFault } from '../../../parts/use-first-fault.ts';
import { seesWholeFleet, useSession } from '../../../session.tsx';
import { useWords } from '../../../words/words.tsx';
import { FORMATS, type Format } from '../compose/content.ts';
import { useDeskWords } from './desk-words.ts';
import { REPLIES } from './use-replies.ts';

const NO_FAULT = {};

type FormProps = { botId: number; reply: ReplyResource | null; close: () => void };

/** Adds a saved reply, or changes one. */
export function ReplyForm({ botId, reply, close }: FormProps): ReactNode {
  const words = useWords();
  const deskWords = useDeskWords();
  const { account } = useSession();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const mode = reply?.parse_mode;
  const [draft, setDraft] = useState({
    name: reply?.name ?? '',
    text: reply?.text ?? '',
    format: (mode === 'HTML' || mode === 'MarkdownV2' ? mode : 'plain') as Format,
    bots: reply === null ? [botId] : reply.bot_ids,
  });
  const save = useMutation({
    mutationFn: () => {
      const { name, text, format, bots } = draft;
      const content = { name: name.trim(), text, parse_mode: format === 'plain' ? null : format };
      const of = seesWholeFleet(account) || reply === null ? { bot_ids: bots } : {};
      return reply === null
        ? call('addReply', { ...content, ...of })
        : call('updateReply', { id: reply.id, ...content, ...of });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [REPLIES] });
      close();
    },
  });
  const change = (changes: Partial<typeof draft>) => {
    setDraft({ ...draft, ...changes });
    if (save.isError) save.reset();
  };
  const { faults, other } = faultsOf(save.error, ['name', 'text', 'bot_ids']);
  useFirstFault(form, save.error ?? NO_FAULT);
  return (
    <Dialog title={reply === null ? deskWords.add : deskWords.edit} close={close}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <Field
          label={deskWords.name}
          hint={deskWords.nameHint}
          fault={faults.name}
          required
          maxLength={64}
          dir="auto"
          autoComplete="off"
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <TextArea
          label={deskWords.text}
          hint={deskWords.textHint}
          fault={faults.text}
          required
          rows={5}
          maxLength={4096}
          dir="auto"
          value={draft.text}
          onChange={(event) => change({ text: event.target.value })}
        />
        <SelectField
          label={deskWords.format}
          options={FORMATS.map((one) => [one, words.inbox.formats[one]] as const)}
          value={draft.format}
          choose={(format) => change({ format })}
        />
        {seesWholeFleet(account) ? (
          <BotsField
            label={deskWords.bots}
            bots={draft.bots}
            fault={faults.bot_ids}
            choose={(bots) => change({ bots })}
          />
        ) : (
          reply === null && <p className="muted">{deskWords.ofBot}</p>
        )}
        {other && <Failure error={other} />}
        <div className="dialog-actions">
          <Button onClick={close}>{words.cancel}</Button>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {deskWords.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
