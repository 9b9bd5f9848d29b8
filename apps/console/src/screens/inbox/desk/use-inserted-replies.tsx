import type { ReplyResource } from '@flotilla/contract/replies.ts';
import { type ReactNode, type RefObject, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useChatActions } from '../chat/chat-actions.ts';
import { useChat } from '../chat/use-chat.ts';
import type { ChatId } from '../chat/use-window.ts';
import type { NewMessage } from '../compose/use-draft.ts';
import { useDeskWords } from './desk-words.ts';
import { fillReply } from './fill-reply.ts';
import { RepliesDialog } from './replies-dialog.tsx';
import { type FieldHelper, useReplyPicker } from './use-reply-picker.tsx';

type Inserted = { list: ReactNode; tool: ReactNode; helper: FieldHelper };

/** Saved replies in the field of a new message: by / in an empty one, and by a button. */
export function useInsertedReplies(
  chat: ChatId,
  draft: NewMessage,
  change: (changes: Partial<NewMessage>) => void,
  field: RefObject<HTMLTextAreaElement | null>,
): Inserted {
  const words = useDeskWords();
  const known = useChat(chat);
  const { find } = useChatActions();
  const [isOpen, setOpen] = useState(false);
  // In a group it is the person who is answered.
  const answered = draft.replyTo === undefined ? undefined : find(draft.replyTo);
  const person = known?.type === 'private' ? known : (answered ?? {});
  const insert = (reply: ReplyResource) => {
    const filled = fillReply(reply, person);
    const isPlace = draft.text.startsWith('/') || draft.text.trim() === '';
    change({ format: filled.format, text: isPlace ? filled.text : `${draft.text}\n${filled.text}` });
    setOpen(false);
    field.current?.focus();
  };
  const manage = () => setOpen(true);
  const { list, ...helper } = useReplyPicker({ bot_id: chat.bot_id, text: draft.text, pick: insert, manage });
  const tool = (
    <>
      <Button kind="quiet" aria-label={words.replies} title={words.replies} onClick={manage}>
        <Icon name="document" />
      </Button>
      {isOpen && <RepliesDialog bot_id={chat.bot_id} insert={insert} close={() => setOpen(false)} />}
    </>
  );
  return { list, tool, helper };
}
