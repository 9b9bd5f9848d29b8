import type { ReplyResource } from '@flotilla/contract/replies.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, callTagged } from '../../../call.ts';
import { BotsField } from '../../../parts/bots-field.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Field, SelectField, TextArea } from '../../../parts/field.tsx';
import { isAbout, type Shared } from '../../../parts/shared-change.ts';
import { useForm } from '../../../parts/use-form.ts';
import { seesWholeFleet, useSession } from '../../../session.tsx';
import { useWords } from '../../../words/words.tsx';
import { FORMATS, type Format } from '../compose/content.ts';
import { type DeskWords, useDeskWords } from './desk-words.ts';
import { REPLIES } from './use-replies.ts';

type FormProps = { bot_id: number; reply: ReplyResource | null; close: () => void };

type Draft = { name: string; text: string; format: Format; bots: number[] | null };

function draftOf({ name, text, parse_mode: mode, bot_ids }: ReplyResource): Draft {
  return { name, text, format: mode === 'HTML' || mode === 'MarkdownV2' ? mode : 'plain', bots: bot_ids };
}

/** Adds a saved reply, or changes one. */
export function ReplyForm({ bot_id, reply, close }: FormProps): ReactNode {
  const words = useWords();
  const deskWords = useDeskWords();
  const { account } = useSession();
  const queries = useQueryClient();
  const { faults, change, draft, text, choice, asked } = useForm<Draft, ReplyResource>({
    known: () => (reply === null ? { name: '', text: '', format: 'plain', bots: [bot_id] } : draftOf(reply)),
    fields: ['name', 'text', 'bot_ids'],
    shared: reply === null ? undefined : sharedReply(reply.id, deskWords),
    async send({ name, text: said, format, bots }, _known, ifMatch) {
      const content = { name: name.trim(), text: said, parse_mode: format === 'plain' ? null : format };
      const of = seesWholeFleet(account) || reply === null ? { bot_ids: bots } : {};
      if (reply === null) await call('addReply', { ...content, ...of });
      else await call('updateReply', { id: reply.id, ...content, ...of }, undefined, { ifMatch });
      await queries.invalidateQueries({ queryKey: [REPLIES] });
      close();
    },
  });
  return (
    <Confirm
      title={reply === null ? deskWords.add : deskWords.edit}
      act={deskWords.save}
      close={close}
      className=""
      {...asked}
    >
      <Field
        label={deskWords.name}
        hint={deskWords.nameHint}
        required
        maxLength={64}
        dir="auto"
        autoComplete="off"
        {...text('name')}
      />
      <TextArea
        label={deskWords.text}
        hint={deskWords.textHint}
        required
        rows={5}
        maxLength={4096}
        dir="auto"
        {...text('text')}
      />
      <SelectField
        label={deskWords.format}
        options={FORMATS.map((one) => [one, words.inbox.formats[one]] as const)}
        {...choice('format')}
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
    </Confirm>
  );
}

function sharedReply(id: number, words: DeskWords): Shared<ReplyResource, Draft> {
  return {
    read: () => callTagged('showReply', { id }),
    draftOf,
    names: { name: words.name, text: words.text, format: words.format, bots: words.bots },
    audited: { action: 'reply_update', isOf: isAbout('reply', id) },
  };
}
