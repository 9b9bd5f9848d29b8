import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { EntryState } from '../outbox/entry-state.tsx';
import { OUTBOX } from '../outbox/use-outbox.ts';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { contentFault, type Draft, messageOf } from './draft.ts';

const ASK_EVERY_MS = 1_000;

/** Sends the message to one chat, on the way that all the others go. */
export function TryMessage({ draft }: { draft: Draft }): ReactNode {
  const words = useBroadcastsWords();
  const { form: texts } = words;
  const title = useId();
  const [chat, setChat] = useState<string | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const { bot } = draft;
  const sending = useMutation({
    mutationFn: ({ bot_id, chat_id }: { bot_id: string; chat_id: string }) => {
      const { method, params } = messageOf(draft);
      const input = { bot_id, method, params: { chat_id: Number(chat_id), ...params } };
      return call('addOutboxEntry', { ...input, priority: 'critical' });
    },
  });
  const id = sending.data?.id;
  const entry = useQuery({
    queryKey: [OUTBOX, 'tried', id],
    queryFn: ({ signal }) => call('showOutboxEntry', { id: id! }, signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.settled_at === undefined ? ASK_EVERY_MS : false),
  });
  const test = () => {
    const wrong = chat === undefined ? texts.tryChatRequired : contentFault(draft, words).content;
    setFault(wrong);
    if (wrong === undefined && bot !== undefined && chat !== undefined) sending.mutate({ bot_id: bot, chat_id: chat });
  };
  const shown = entry.data ?? sending.data;
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{texts.tryIt}</h2>
      <p className="muted">{texts.tryHint}</p>
      {bot === undefined ? (
        <p className="muted">{texts.botRequired}</p>
      ) : (
        <>
          <ChatField
            key={bot}
            label={texts.tryChat}
            placeholder={texts.tryChatHint}
            botId={bot}
            chatId={chat}
            fault={fault}
            choose={(chosen) => {
              setChat(chosen);
              setFault(undefined);
            }}
          />
          <div className="actions">
            <Button busy={sending.isPending} onClick={test}>
              {texts.tryAct}
            </Button>
            <span role="status">{shown && <EntryState entry={shown} />}</span>
          </div>
        </>
      )}
      {sending.error && <Failure error={sending.error} />}
    </section>
  );
}
