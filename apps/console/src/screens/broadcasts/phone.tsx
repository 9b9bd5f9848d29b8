import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useBotName } from '../../parts/bot-field.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { type Draft, messageOf } from './draft.ts';
import { MessagePreview } from './message-preview.tsx';
import { filledText, NAMES } from './names.ts';

/** The message in a chat of a person, as it is typed. */
export function Phone({ draft }: { draft: Draft }): ReactNode {
  const { form: texts } = useBroadcastsWords();
  const bot = useBotName(draft.bot);
  const shown = useDeferredValue(draft);
  const [hasNames, setHasNames] = useState(true);
  const { content, file } = shown;
  const message = useMemo(() => {
    const text = filledText(shown.content, hasNames);
    return messageOf({ ...shown, content: { ...shown.content, text }, file: null });
  }, [shown, hasNames]);
  const isEmpty = content.text.trim() === '' && file === null;
  return (
    <section className="panel" aria-labelledby="broadcast-looks">
      <h2 id="broadcast-looks">{texts.looks}</h2>
      <div className="phone">
        <p className="phone-bar cut">
          <bdi>{bot}</bdi>
        </p>
        {isEmpty && <p className="muted">{texts.looksEmpty}</p>}
        {file?.picture && <img className="phone-picture" src={file.picture} alt={file.name} />}
        {file && !file.picture && (
          <p className="phone-file">
            {texts.fileKinds[file.kind]} <bdi className="muted">{file.name}</bdi>
          </p>
        )}
        {content.text.trim() !== '' && <MessagePreview bot_id={Number(shown.bot ?? 0)} {...message} />}
      </div>
      {NAMES.some((name) => content.text.includes(`{${name}`)) && (
        <CheckField label={texts.nameless} on={!hasNames} toggle={(on) => setHasNames(!on)} />
      )}
    </section>
  );
}
