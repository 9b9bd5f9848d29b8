import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { SelectField, TextArea } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useWords } from '../../words/words.tsx';
import { ButtonsEditor } from '../inbox/compose/buttons-editor.tsx';
import { type Content, FORMATS } from '../inbox/compose/content.ts';
import { countButtons } from '../inbox/compose/markup.ts';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { contentFault, type Draft, PREVIEWS } from './draft.ts';
import { FileField } from './file-field.tsx';
import { NAMES, withoutFallback } from './names.ts';
import '../../parts/chips.css';
import '../inbox/compose/compose.css';

type FieldsProps = { draft: Draft; change: (changes: Partial<Draft>) => void; fault: string | undefined };

/** The text with its formatting, its link preview and its buttons. */
export function MessageFields({ draft, change, fault }: FieldsProps): ReactNode {
  const { inbox } = useWords();
  const words = useBroadcastsWords();
  const { form: texts } = words;
  const title = useId();
  const [editing, setEditing] = useState(false);
  const { content } = draft;
  const changeContent = (changes: Partial<Content>) => change({ content: { ...content, ...changes } });
  const lacking = withoutFallback(content.text);
  const buttons = countButtons(content.markup);
  const wrong = content.text.trim() === '' ? undefined : contentFault(draft, words).content;
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{texts.message}</h2>
      <TextArea
        label={texts.text}
        fault={fault ?? wrong}
        dir="auto"
        rows={6}
        spellCheck
        value={content.text}
        onChange={(event) => changeContent({ text: event.target.value })}
      />
      <div className="chips">
        {NAMES.map((name) => (
          <button
            key={name}
            type="button"
            className="chip choice"
            onClick={() => changeContent({ text: `${content.text}{${name}|${texts.fallback}}` })}
          >
            {texts.names[name]}
          </button>
        ))}
      </div>
      {lacking.length > 0 && <p className="hint">{texts.lacking(lacking.map((name) => `{${name}|…}`).join(', '))}</p>}
      {draft.bot === undefined ? (
        <p className="hint">{texts.fileAfterBot}</p>
      ) : (
        <FileField key={draft.bot} bot={draft.bot} file={draft.file} choose={(file) => change({ file })} />
      )}
      <div className="message-options">
        <SelectField
          label={texts.format}
          options={FORMATS.map((format) => [format, inbox.formats[format]] as const)}
          value={content.format}
          choose={(format) => changeContent({ format })}
        />
        <SelectField
          label={texts.preview}
          options={PREVIEWS.map((preview) => [preview, texts.previews[preview]] as const)}
          value={draft.preview}
          choose={(preview) => change({ preview })}
        />
        <Button onClick={() => setEditing(true)}>
          <Icon name="keyboard" />
          {buttons > 0 ? texts.buttons(buttons) : texts.noButtons}
        </Button>
      </div>
      <CheckField label={texts.silent} on={draft.silent} toggle={(silent) => change({ silent })} />
      {editing && (
        <ButtonsEditor
          markup={content.markup}
          inlineOnly
          save={(markup) => {
            changeContent({ markup });
            setEditing(false);
          }}
          close={() => setEditing(false)}
        />
      )}
    </section>
  );
}
