import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { type ReactNode, useMemo } from 'react';
import { readFormatted } from '../../parts/formatted-text.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { type ChatActions, ChatActionsProvider } from '../inbox/chat/chat-actions.ts';
import type { MessageItem } from '../inbox/chat/message-items.ts';
import { MessageView } from '../inbox/chat/message-view.tsx';
import { safeLink } from '../inbox/chat/safe-link.ts';
import { useBroadcastsWords } from './broadcasts-words.ts';

type Entities = NonNullable<Message['entities']>;
type PreviewProps = { bot_id: number; method: string; params: Readonly<Record<string, unknown>> };

/** Of ids of ours: nothing can be done with this message. */
const NO_MESSAGE_ID = -1;
const ADDRESS = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/g;

/** A message as a chat shows it; what is not text stands as JSON. */
export function MessagePreview({ bot_id, method, params }: PreviewProps): ReactNode {
  const { text, caption, parse_mode } = params;
  const said = text ?? caption;
  if (typeof said !== 'string') return <JsonView value={params} />;
  return (
    <>
      <Said bot_id={bot_id} said={said} parse_mode={parse_mode} params={params} />
      {method !== 'sendMessage' && <JsonView value={params} />}
    </>
  );
}

type SaidProps = Omit<PreviewProps, 'method'> & { said: string; parse_mode: unknown };

function Said({ bot_id, said, parse_mode, params }: SaidProps): ReactNode {
  const item = useMemo(() => itemOf(bot_id, said, parse_mode, params), [bot_id, said, parse_mode, params]);
  const [message] = item.messages;
  const { is_disabled: isOff, show_above_text: isAbove } = (params.link_preview_options ?? {}) as PreviewOptions;
  const host = isOff || params.text === undefined ? null : firstHost(message);
  return (
    <ChatActionsProvider value={NO_ACTIONS}>
      <div className="message-preview">
        {host && isAbove && <LinkPreview host={host} />}
        <MessageView item={item} />
        {host && !isAbove && <LinkPreview host={host} />}
      </div>
    </ChatActionsProvider>
  );
}

type PreviewOptions = { is_disabled?: boolean; show_above_text?: boolean };

function LinkPreview({ host }: { host: string }): ReactNode {
  const { form } = useBroadcastsWords();
  return <p className="link-preview muted">{form.linkPreview(host)}</p>;
}

function itemOf(bot_id: number, said: string, parseMode: unknown, params: PreviewProps['params']): MessageItem {
  const formatted = readFormatted(said, parseMode);
  const { text, entities } = 'text' in formatted ? formatted : { text: said, entities: [] };
  const { inline_keyboard: buttons } = (params.reply_markup ?? {}) as { inline_keyboard?: Message['buttons'] };
  const message: Message = {
    ...{ id: NO_MESSAGE_ID, bot_id, chat_id: 1, outgoing: true, date: Math.floor(Date.now() / 1000) },
    ...{ text, entities: withAddresses(text, entities) },
    ...(buttons && { buttons }),
  };
  return { key: 'preview', messages: [message], startsDay: false, continues: true };
}

/** The platform makes links of addresses. */
function withAddresses(text: string, entities: Entities): Entities {
  const found = [...text.matchAll(ADDRESS)].map(({ 0: { length }, index: offset }) => ({
    type: 'url',
    offset,
    length,
  }));
  const isFree = ({ offset, length }: Entities[number]) =>
    entities.every((known) => known.offset >= offset + length || known.offset + known.length <= offset);
  return [...entities, ...found.filter(isFree)];
}

function firstHost({ text = '', entities = [] }: Message): string | null {
  const links = entities
    .toSorted((a, b) => a.offset - b.offset)
    .filter(({ type }) => type.endsWith('url') || type === 'text_link');
  for (const { offset, length, url = text.slice(offset, offset + length) } of links) {
    const link = safeLink(url);
    if (link?.startsWith('http')) return new URL(link).host;
  }
  return null;
}

const nothing = (): void => {};
const NO_ACTIONS: ChatActions = {
  chat: { bot_id: 0, chat_id: 0 },
  ...{ reply: nothing, edit: nothing, remove: nothing, pin: nothing, copy: nothing, jump: nothing },
  ...{ showPerson: nothing, showPicture: nothing },
  isPinned: () => false,
  find: () => undefined,
  topicName: String,
};
