import type { ReplyResource } from '@flotilla/contract/replies.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../../call.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { useDeskWords } from './desk-words.ts';
import { ReplyForm } from './reply-form.tsx';
import { REPLIES, useReplies } from './use-replies.ts';

type DialogProps = { bot_id: number; insert: (reply: ReplyResource) => void; close: () => void };
type Over = { kind: 'list' } | { kind: 'form'; reply: ReplyResource | null } | { kind: 'remove'; reply: ReplyResource };

/** The saved replies for the chats of a bot: to insert, add, change and delete. */
export function RepliesDialog({ bot_id, insert, close }: DialogProps): ReactNode {
  const words = useDeskWords();
  const replies = useReplies(bot_id, true);
  const [over, setOver] = useState<Over>({ kind: 'list' });
  const back = () => setOver({ kind: 'list' });
  if (over.kind === 'form') return <ReplyForm bot_id={bot_id} reply={over.reply} close={back} />;
  if (over.kind === 'remove') return <RemoveReply reply={over.reply} close={back} />;
  return (
    <Dialog title={words.replies} close={close}>
      {replies?.length === 0 && <p className="muted">{words.noReplies}</p>}
      {replies !== undefined && replies.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach its end
        <ul className="saved-replies" tabIndex={0} aria-label={words.replies}>
          {replies.map((reply) => (
            <li key={reply.id}>
              <div>
                <b dir="auto">{reply.name}</b>
                <p className="muted" dir="auto">
                  {reply.text}
                </p>
              </div>
              <span className="reply-acts">
                <Button onClick={() => insert(reply)}>{words.insert}</Button>
                <Button kind="quiet" onClick={() => setOver({ kind: 'form', reply })}>
                  {words.change}
                </Button>
                <Button kind="quiet" onClick={() => setOver({ kind: 'remove', reply })}>
                  {words.remove}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="dialog-actions">
        <Button kind="primary" onClick={() => setOver({ kind: 'form', reply: null })}>
          {words.add}
        </Button>
      </div>
    </Dialog>
  );
}

function RemoveReply({ reply, close }: { reply: ReplyResource; close: () => void }): ReactNode {
  const words = useDeskWords();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('deleteReply', { id: reply.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [REPLIES] });
      close();
    },
  });
  return (
    <Confirm
      title={words.removeTitle}
      description={reply.name}
      act={words.remove}
      run={() => remove.mutate()}
      close={close}
      busy={remove.isPending}
      error={remove.error}
      danger
    />
  );
}
