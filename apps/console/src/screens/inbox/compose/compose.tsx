import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import { CallError, call, isSignedOut } from '../../../call.ts';
import { useShortcuts } from '../../../keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { usePhone } from '../../../parts/phone.ts';
import { useWords } from '../../../words/words.tsx';
import { Quote } from '../chat/quote.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { conversationOf } from '../conversation.ts';
import { useForeignHold } from '../desk/use-foreign-hold.tsx';
import { useInsertedReplies } from '../desk/use-inserted-replies.tsx';
import { useInboxPlace } from '../inbox-place.ts';
import { Scheduled } from '../later/scheduled.tsx';
import { SendLater } from '../later/send-later.tsx';
import { useSendLater } from '../later/use-send-later.ts';
import { NoteButton } from '../notes/note-button.tsx';
import { useVoice } from '../voice/use-voice.ts';
import { VoiceButton, VoiceStrip } from '../voice/voice-strip.tsx';
import { AttachedFile } from './attached-file.tsx';
import { ComposeForm } from './compose-form.tsx';
import { type Content, parseModeOf } from './content.ts';
import { replyMarkupOf } from './markup.ts';
import { refusalOf } from './message-refusal.ts';
import { type Edited, useDraft } from './use-draft.ts';
import { useOutgoing, useSent } from './use-outgoing.ts';

type ComposeProps = {
  chat: ChatId;
  /** The username of the bot that speaks. */
  botName: string;
  handle: RefObject<ComposeHandle | null>;
  leave: () => void;
  editLast: () => void;
  writeNote: () => void;
  /** Somebody writes in the field. */
  typing: () => void;
};

export type ComposeHandle = { reply(messageId: number): void; focus(): void };

/** Writes a new message as the bot. */
export function Compose({ chat, botName, handle, leave, editLast, writeNote, typing }: ComposeProps): ReactNode {
  const words = useWords();
  const { draft, change: write, clear } = useDraft(chat);
  const change: typeof write = (changes) => {
    if (changes.text !== undefined && changes.text !== '') typing();
    write(changes);
  };
  const { files, sending, error, failed, send, attach, remove } = useOutgoing(chat);
  const voice = useVoice((file) => attach([file]));
  const isPhone = usePhone();
  const field = useRef<HTMLTextAreaElement>(null);
  useSent(chat, (_, sent) => clear(sent));
  const later = useSendLater(chat, clear);
  useImperativeHandle(handle, () => ({
    reply: (messageId) => {
      change({ replyTo: messageId });
      field.current?.focus();
    },
    focus: () => field.current?.focus(),
  }));
  const { wantsField } = useInboxPlace();
  useEffect(() => {
    if (wantsField.current) field.current?.focus();
    wantsField.current = false;
  }, [wantsField]);
  useShortcuts({
    q: () => {
      if (draft.text === '') change({ text: '/' });
      field.current?.focus();
    },
  });
  const replies = useInsertedReplies(chat, draft, change, field);
  const withoutReply = () => change({ replyTo: undefined });
  const leaveField = () => {
    // The messages take the focus if they are there already; keys of the chat work in any case.
    field.current?.blur();
    leave();
  };
  const refused = (failed === null ? error : null) ?? later.error;
  const foreign = useForeignHold(chat, () => send(draft));
  return (
    <ComposeForm
      label={words.inbox.replyAs(botName)}
      act={words.inbox.send}
      content={draft}
      change={change}
      canSend={(files.length > 0 || draft.text.trim() !== '') && !later.isPending}
      busy={sending !== null || later.isPending}
      submit={foreign.submit}
      leave={draft.replyTo === undefined ? leaveField : withoutReply}
      editLast={editLast}
      attach={attach}
      field={field}
      helper={replies.helper}
      tools={
        <>
          <VoiceButton voice={voice} />
          {replies.tool}
          <NoteButton write={writeNote} />
        </>
      }
      inlineOnly={false}
      beside={
        <SendLater
          obstacle={files.length > 0 ? 'file' : draft.text.trim() === '' ? 'empty' : null}
          schedule={(at) => later.schedule(draft, at)}
        />
      }
    >
      {foreign.question}
      <Scheduled chat={chat} />
      {replies.list}
      {draft.replyTo !== undefined && (
        <Strip title={words.inbox.answering} close={withoutReply}>
          <Quote messageId={draft.replyTo} />
        </Strip>
      )}
      <VoiceStrip voice={voice} focusField={() => isPhone || field.current?.focus()} />
      {files.length > 0 && (
        <ul className="attached">
          {files.map((file, at) => (
            <AttachedFile
              // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
              key={`${at} ${file.name}`}
              file={file}
              sent={sending?.file === file ? sending.progress : null}
              failure={failed === file && error !== null ? refusalOf(error, words) : null}
              remove={() => remove(file)}
            />
          ))}
        </ul>
      )}
      {refused && <Refusal error={refused} />}
    </ComposeForm>
  );
}

type EditProps = {
  chat: ChatId;
  edited: Edited;
  change: (changes: Partial<Content>) => void;
  done: (message: Message, saved: Content) => void;
  leave: () => void;
};

/** Changes the text or the caption of a message of the bot, and its buttons. */
export function Edit({ chat, edited, change, done, leave }: EditProps): ReactNode {
  const words = useWords();
  const { id, hasMedia, content } = edited;
  const field = useRef<HTMLTextAreaElement>(null);
  const { save, error, isPending } = useSaving((what: Content) => sendEdit(chat, id, what), done);
  useEffect(() => {
    field.current?.focus();
  }, []);
  return (
    <ComposeForm
      label={words.inbox.edit}
      act={words.inbox.save}
      content={content}
      change={change}
      canSend={content.text.trim() !== '' || hasMedia}
      busy={isPending}
      submit={() => save(content)}
      leave={leave}
      field={field}
      inlineOnly
    >
      <Strip title={words.inbox.editing} close={leave}>
        <Quote messageId={id} />
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

/** Saves once, however often and fast it is asked to; `done` is told what was saved. */
function useSaving<What>(run: (what: What) => Promise<Message>, done: (message: Message, what: What) => void) {
  const inFlight = useRef(false);
  const saving = useMutation({
    mutationFn: run,
    onSuccess: done,
    onSettled: () => {
      inFlight.current = false;
    },
  });
  const save = (what: What) => {
    if (inFlight.current) return;
    inFlight.current = true;
    saving.mutate(what);
  };
  return { save, error: saving.error, isPending: saving.isPending };
}

function sendEdit(chat: ChatId, messageId: number, { text, format, markup }: Content): Promise<Message> {
  const replyMarkup = replyMarkupOf({ ...markup, kind: 'inline' });
  const fields = { ...conversationOf(chat), message_id: messageId, text };
  const input = { ...fields, ...parseModeOf(format), ...(replyMarkup && { reply_markup: replyMarkup }) };
  return call('editMessage', input as Parameters<typeof call<'editMessage'>>[1]);
}
