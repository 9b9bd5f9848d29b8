import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { ReactNode } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../../parts/menu.tsx';
import { useWords } from '../../../words/words.tsx';
import { useChatActions } from './chat-actions.ts';
import { isEvent } from './message-items.ts';

export function MessageMenu({ message }: { message: Message }): ReactNode {
  const { inbox: words } = useWords();
  const { reply, edit, remove, pin, copy } = useChatActions();
  return (
    <Menu label={words.messageMenu} face={<Icon name="more" />}>
      <MenuItem onClick={() => reply(message)}>{words.reply}</MenuItem>
      {isEditable(message) && <MenuItem onClick={() => edit(message)}>{words.edit}</MenuItem>}
      {message.text && <MenuItem onClick={() => copy(message.text!)}>{words.copyText}</MenuItem>}
      <MenuItem onClick={() => pin(message, true)}>{words.pin}</MenuItem>
      <MenuItem onClick={() => pin(message, false)}>{words.unpin}</MenuItem>
      <MenuLine />
      <MenuItem onClick={() => remove(message)}>{words.remove}</MenuItem>
    </Menu>
  );
}

/** Callbacks and bans have ids of ours, which the platform does not know. */
export function canAct({ id, deleted_at }: Message): boolean {
  return id > 0 && deleted_at === undefined;
}

const WITHOUT_CAPTION = ['sticker', 'video_note'];

/** The platform lets a bot edit its own texts and captions. */
export function isEditable(message: Message): boolean {
  const { outgoing, service, media_type: media = '' } = message;
  return canAct(message) && outgoing && service === undefined && !isEvent(message) && !WITHOUT_CAPTION.includes(media);
}
