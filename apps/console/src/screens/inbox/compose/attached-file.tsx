import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useNumber } from '../../../parts/time.tsx';
import { useWords } from '../../../words/words.tsx';
import { sizeOf } from '../chat/files.ts';

/** The api takes no larger files. */
const LARGEST_BYTES = 50 * 1024 * 1024;

type AttachedProps = {
  file: File;
  /** From 0 to 1; null while it is not sent. */
  sent: number | null;
  /** Why it was not sent. */
  failure: string | null;
  remove: () => void;
};

export function AttachedFile({ file, sent, failure, remove }: AttachedProps): ReactNode {
  const { inbox: words } = useWords();
  const number = useNumber();
  const preview = usePreview(file);
  return (
    <li className="strip">
      {preview && isPicture(file) ? <img className="preview" src={preview} alt="" /> : <Icon name="attach" />}
      <span className="attached-name">
        <bdi className="cut">{file.name}</bdi>
        <small className="muted">{sizeOf(file.size, number, words.bytes)}</small>
        {preview && !isPicture(file) && (
          // biome-ignore lint/a11y/useMediaCaption: nobody has written any
          <audio src={preview} controls aria-label={words.listen(file.name)} />
        )}
        {file.size > LARGEST_BYTES && <small className="fault">{words.refusals.tooLarge}</small>}
        {failure !== null && (
          <small className="fault" role="alert">
            {failure}
          </small>
        )}
      </span>
      {sent !== null && <progress value={sent} aria-label={words.sending} />}
      {sent === null && (
        <Button kind="quiet" className="icon-only" aria-label={words.removeFile(file.name)} onClick={remove}>
          <Icon name="close" />
        </Button>
      )}
    </li>
  );
}

function isPicture({ type }: File): boolean {
  return type.startsWith('image/');
}

/** The address of a picture or a sound that lies in the browser only. */
function usePreview(file: File): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!isPicture(file) && !file.type.startsWith('audio/')) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => {
      URL.revokeObjectURL(made);
      setAddress(null);
    };
  }, [file]);
  return address;
}
