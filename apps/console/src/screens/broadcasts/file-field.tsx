import type { MessageResource } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { sendFile } from '../../send-file.ts';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { type DraftFile, FILE_METHODS, type FileKind } from './draft.ts';

type FileProps = { bot: string; file: DraftFile | null; choose: (file: DraftFile | null) => void };

/** Any medium. The platform keeps a file once it was sent, so it goes to one chat first, where it is removed again. */
export function FileField({ bot, file, choose }: FileProps): ReactNode {
  const { form: words } = useBroadcastsWords();
  const [chat, setChat] = useState<string | undefined>(undefined);
  const [sent, setSent] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const sending = useMutation({
    mutationFn: async (chosen: File) => {
      const message = await sendFile({ bot_id: bot, chat_id: chat! }, chosen, setSent);
      // The file stays with the platform; if the message stays, too, nothing is lost.
      await call('deleteMessage', { bot_id: bot, chat_id: chat!, message_id: message.id }).catch(() => {});
      return draftFile(message, chosen);
    },
    onSuccess: choose,
  });
  if (file !== null) {
    return (
      <p className="strip">
        <Icon name="attach" />
        <bdi className="cut">{file.name || words.fileKinds[file.kind]}</bdi>
        <Button kind="quiet" onClick={() => choose(null)}>
          {words.removeFile}
        </Button>
      </p>
    );
  }
  return (
    <div className="broadcast-file">
      <ChatField
        label={words.fileChat}
        hint={words.fileChatHint}
        placeholder={words.tryChatHint}
        botId={bot}
        chatId={chat}
        choose={setChat}
      />
      <Button disabled={chat === undefined || sending.isPending} onClick={() => input.current?.click()}>
        <Icon name="attach" />
        {words.file}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen) sending.mutate(chosen);
          target.value = '';
        }}
      />
      {sending.isPending && <progress value={sent} aria-label={words.file} />}
      {sending.error && <Failure error={sending.error} />}
    </div>
  );
}

function draftFile({ media_type: type, file_id = '' }: MessageResource, chosen: File): DraftFile {
  const kind = type !== undefined && type in FILE_METHODS ? (type as FileKind) : 'document';
  const picture = chosen.type.startsWith('image/') ? { picture: URL.createObjectURL(chosen) } : {};
  return { kind, file_id, name: chosen.name, ...picture };
}
