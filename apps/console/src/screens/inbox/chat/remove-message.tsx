import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../../call.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { useWords } from '../../../words/words.tsx';
import { refusalOf } from '../compose/message-refusal.ts';
import { conversationOfMessage } from '../conversation.ts';

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
  const removing = useMutation({
    mutationFn: () =>
      call('deleteMessage', {
        ...conversationOfMessage(message),
        message_id: message.id,
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
