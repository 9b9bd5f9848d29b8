import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { useNumber } from '../../../parts/time.tsx';
import { useWords } from '../../../words/words.tsx';

/** The platform gives bots no larger files. */
const LARGEST_BYTES = 20 * 1024 * 1024;
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'];

/** The file of a message: pictures are shown, all else can be downloaded. */
export function Media({ message }: { message: Message }): ReactNode {
  const [broken, setBroken] = useState(false);
  const { bot_id: botId, file_id: fileId, file_size: size = 0 } = message;
  if (fileId === undefined || message.media_type === undefined) return null;
  if (!isPicture(message) || broken || size > LARGEST_BYTES)
    return <Download message={message} url={fileUrl(botId, fileId)} />;
  return <Picture message={message} url={fileUrl(botId, fileId)} failed={() => setBroken(true)} />;
}

function Picture({ message, url, failed }: { message: Message; url: string; failed: () => void }): ReactNode {
  const { inbox: words } = useWords();
  const { width, height, media_type: type = 'photo' } = message;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={`picture ${type}`}>
      <img
        src={url}
        alt={message.text ? `${words.media[type]}: ${message.text}` : words.media[type]}
        loading="lazy"
        decoding="async"
        {...(width && height ? { width, height } : {})}
        onError={failed}
      />
    </a>
  );
}

function Download({ message, url }: { message: Message; url: string }): ReactNode {
  const { inbox: words } = useWords();
  const number = useNumber();
  const { media_type: type = 'document', file_name: name, file_size: size = 0, duration } = message;
  const facts = [
    ...(name === undefined ? [] : [words.media[type]]),
    ...(duration === undefined ? [] : [clockOf(duration)]),
    ...(size === 0 ? [] : [sizeOf(size, number, words.bytes)]),
    ...(size > LARGEST_BYTES ? [words.tooLarge] : []),
  ].join(' · ');
  const face = (
    <>
      <Icon name="download" />
      <span>
        <bdi className="file-name">{name ?? words.media[type]}</bdi>
        {facts && <small className="muted">{facts}</small>}
      </span>
    </>
  );
  if (size > LARGEST_BYTES) return <span className="file">{face}</span>;
  return (
    <a href={url} download={name ?? ''} className="file">
      {face}
    </a>
  );
}

function isPicture({ media_type: type, mime_type: mime }: Message): boolean {
  if (type === 'photo') return true;
  if (type === 'sticker') return mime === undefined || PICTURES.includes(mime);
  return type === 'document' && mime !== undefined && PICTURES.includes(mime);
}

function fileUrl(botId: number, fileId: string): string {
  return `/api/files?${new URLSearchParams({ bot_id: String(botId), file_id: fileId })}`;
}

export function sizeOf(bytes: number, number: (n: number) => string, units: readonly string[]): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${number(bytes / 1024 ** power)} ${units[power]}`;
}

function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
