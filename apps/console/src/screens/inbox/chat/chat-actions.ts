import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { createContext, use } from 'react';
import type { ChatId } from './use-window.ts';

/** Actions on messages of the shown chat. */
export type ChatActions = {
  chat: ChatId;
  reply(message: Message): void;
  edit(message: Message): void;
  remove(message: Message): void;
  pin(message: Message, pinned: boolean): void;
  isPinned(messageId: number): boolean;
  copy(text: string): void;
  /** Shows a message, wherever in the chat it is. */
  jump(messageId: number): void;
  /** A message of the chat, if it is loaded. */
  find(messageId: number): Message | undefined;
  showPerson(userId: number): void;
  /** Opens a picture of the chat large. */
  showPicture(message: Message): void;
  /** The name of a topic of the chat. */
  topicName(threadId: number): string;
};

const ActionsContext = createContext<ChatActions | null>(null);
export const ChatActionsProvider = ActionsContext.Provider;

export function useChatActions(): ChatActions {
  return use(ActionsContext)!;
}
