import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { CallError, call, isSignedOut } from '../../../call.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { sendFile } from '../../../send-file.ts';
import { useWords } from '../../../words/words.tsx';
import { botApiHtml, entityTree } from '../chat/entity-tree.ts';
import { Quote } from '../chat/quote.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { AttachedFile } from './attached-file.tsx';
import { ComposeForm, type Content, type Format } from './compose-form.tsx';
import { markupOf, NO_MARKUP, replyMarkupOf } from './markup.ts';
import { refusalOf } from './message-refusal.ts';
import { useDraft } from './use-draft.ts';

type ComposeProps = {
  chat: ChatId;
  /** The username of the bot that speaks. */
  botName: string;
  handle: RefObject<ComposeHandle | null>;
  done: (message: Message) => void;
  leave: () => void;
  editLast: () => void;
};

export type ComposeHandle = { reply(messageId: number): void; focus(): void };

/** Writes a new message as the bot. */
export function Compose({ chat, botName, handle, done, leave, editLast }: ComposeProps): ReactNode {
  const words = useWords();
  const { draft, change, clear } = useDraft(chat);
  const [rest, setRest] = useState<Omit<Content, 'text'>>({ format: 'plain', markup: NO_MARKUP });
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const content = { ...rest, text: draft.text };
  const { send, error, isPending, forget } = useSending(
    () => sendNew({ chat, content, file, replyTo: draft.replyTo }, setSent),
    (message) => {
      clear();
      setRest({ format: rest.format, markup: NO_MARKUP });
      setFile(null);
      done(message);
    },
  );
  useImperativeHandle(handle, () => ({
    reply: (messageId) => {
      change({ ...draft, replyTo: messageId });
      field.current?.focus();
    },
    focus: () => field.current?.focus(),
  }));
  const withoutReply = () => change({ text: draft.text });
  return (
    <ComposeForm
      label={words.inbox.replyAs(botName)}
      act={words.inbox.send}
      content={content}
      change={({ text, ...others }) => {
        if (text !== undefined) change({ ...draft, text });
        setRest({ ...rest, ...others });
      }}
      canSend={file !== null || draft.text.trim() !== ''}
      busy={isPending}
      submit={send}
      leave={draft.replyTo === undefined ? leave : withoutReply}
      editLast={editLast}
      attach={(chosen) => {
        setFile(chosen);
        forget();
      }}
      field={field}
      inlineOnly={false}
    >
      {draft.replyTo !== undefined && (
        <Strip title={words.inbox.answering} close={withoutReply}>
          <Quote messageId={draft.replyTo} />
        </Strip>
      )}
      {file && <AttachedFile file={file} sent={isPending ? sent : null} remove={() => setFile(null)} />}
      {error && <Refusal error={error} />}
    </ComposeForm>
  );
}

type EditProps = { message: Message; done: (message: Message) => void; leave: () => void };

/** Changes the text or the caption of a message of the bot, and its buttons. */
export function Edit({ message, done, leave }: EditProps): ReactNode {
  const words = useWords();
  const [content, setContent] = useState(() => contentOf(message));
  const field = useRef<HTMLTextAreaElement>(null);
  const { send, error, isPending } = useSending(() => sendEdit(message, content), done);
  useEffect(() => {
    field.current?.focus();
  }, []);
  return (
    <ComposeForm
      label={words.inbox.edit}
      act={words.inbox.save}
      content={content}
      change={(changes) => setContent({ ...content, ...changes })}
      canSend={content.text.trim() !== '' || message.media_type !== undefined}
      busy={isPending}
      submit={send}
      leave={leave}
      field={field}
      inlineOnly
    >
      <Strip title={words.inbox.editing} close={leave}>
        <Quote messageId={message.id} />
      </Strip>
      {error && <Refusal error={error} />}
    </ComposeForm>
  );
}

function Strip({ title, close, children }: { title: string; close: () => void; children: ReactNode }): ReactNode {
  const words = useWords();
  return (
    <div className="strip">
      <span className="muted">{title}</span>
      {children}
      <Button kind="quiet" className="icon-only" aria-label={words.cancel} onClick={close}>
        <Icon name="close" />
      </Button>
    </div>
  );
}

function Refusal({ error }: { error: Error }): ReactNode {
  const words = useWords();
  if (isSignedOut(error)) return null;
  const requestId = error instanceof CallError ? error.requestId : null;
  return (
    <p role="alert" className="notice bad">
      <span>{refusalOf(error, words)}</span>
      {requestId && <small className="muted">{words.errors.request(requestId)}</small>}
    </p>
  );
}

/** Sends once, however often and fast it is asked to. */
function useSending(run: () => Promise<Message>, done: (message: Message) => void) {
  const underWay = useRef(false);
  const sending = useMutation({
    mutationFn: run,
    onSuccess: done,
    onSettled: () => {
      underWay.current = false;
    },
  });
  const send = () => {
    if (underWay.current) return;
    underWay.current = true;
    sending.mutate();
  };
  return { send, error: sending.error, isPending: sending.isPending, forget: sending.reset };
}

type NewMessage = { chat: ChatId; content: Content; file: File | null; replyTo: number | undefined };

function sendNew({ chat, content, file, replyTo }: NewMessage, progress: (sent: number) => void): Promise<Message> {
  const { text, format, markup } = content;
  const fields = {
    ...{ bot_id: chat.botId, chat_id: chat.chatId },
    ...(text === '' ? {} : { text }),
    ...parseModeOf(format),
    ...(replyTo === undefined ? {} : { reply_to_message_id: replyTo }),
  };
  const replyMarkup = replyMarkupOf(markup);
  if (file === null) {
    return call('sendMessage', { ...fields, ...(replyMarkup && { reply_markup: replyMarkup }) });
  }
  progress(0);
  return sendFile({ ...fields, reply_markup: replyMarkup && JSON.stringify(replyMarkup) }, file, progress);
}

function sendEdit(message: Message, { text, format, markup }: Content): Promise<Message> {
  const replyMarkup = replyMarkupOf({ ...markup, kind: 'inline' });
  const fields = { bot_id: message.bot_id, chat_id: message.chat_id, message_id: message.id, text };
  const input = { ...fields, ...parseModeOf(format), ...(replyMarkup && { reply_markup: replyMarkup }) };
  return call('editMessage', input as Parameters<typeof call<'editMessage'>>[1]);
}

function parseModeOf(format: Format) {
  return format === 'plain' ? {} : { parse_mode: format };
}

/** Formatted texts are edited as HTML, or the formatting would be lost. */
function contentOf({ text = '', entities = [], buttons }: Message): Content {
  const markup = markupOf(buttons);
  const isFormatted = entities.some(({ type, length }) => length > 0 && !PLAIN.includes(type));
  if (!isFormatted) return { text, format: 'plain', markup };
  return { text: botApiHtml(entityTree(text, entities)), format: 'HTML', markup };
}

/** The platform finds these by itself. */
const PLAIN = ['url', 'email', 'mention', 'hashtag', 'cashtag', 'bot_command', 'phone_number'];
