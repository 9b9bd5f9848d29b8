import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../../call.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { useWords } from '../../../words/words.tsx';
import { refusalOf } from '../compose/message-refusal.ts';

/** Asks before a message is deleted for everybody. */
export function RemoveMessage({
  message,
  close,
  done,
}: {
  message: Message;
  close: () => void;
  done: () => void;
}): ReactNode {
  const words = useWords();
  const { bot_id, chat_id, id, business_connection_id } = message;
  const removing = useMutation({
    mutationFn: () =>
      call('deleteMessage', {
        bot_id,
        chat_id,
        message_id: id,
        ...(business_connection_id && { business_connection_id }),
      }),
    onSuccess: () => {
      done();
      close();
    },
  });
  return (
    <Confirm
      title={words.inbox.removeTitle}
      description={words.inbox.removeHint}
      act={words.inbox.remove}
      danger
      run={() => removing.mutate()}
      close={close}
      busy={removing.isPending}
      error={null}
    >
      {removing.isError && (
        <p role="alert" className="fault">
          {refusalOf(removing.error, words)}
        </p>
      )}
    </Confirm>
  );
}
