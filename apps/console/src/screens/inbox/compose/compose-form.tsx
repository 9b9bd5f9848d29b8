import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { usePhone } from '../../../parts/phone.ts';
import { usePreferences } from '../../../preferences.tsx';
import { useWords } from '../../../words/words.tsx';
import type { FieldHelper } from '../desk/use-reply-picker.tsx';
import { ButtonsEditor } from './buttons-editor.tsx';
import { type Content, FORMATS, type Format } from './content.ts';
import { countButtons } from './markup.ts';
import { useGrowingField } from './use-growing-field.ts';
import './compose.css';

type FormProps = {
  label: string;
  act: string;
  content: Content;
  change: (changes: Partial<Content>) => void;
  /** Above the field: the answered or edited message, the file, the error. */
  children: ReactNode;
  canSend: boolean;
  busy: boolean;
  submit: () => void;
  /** Escape, and the arrow up in an empty field. */
  leave: () => void;
  editLast?: () => void;
  attach?: (files: readonly File[]) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** A list above the field that takes keys first. */
  helper?: FieldHelper;
  /** More buttons below the field. */
  tools?: ReactNode;
  /** Stands before the button that sends. */
  beside?: ReactNode;
  /** Reply keyboards go with new messages only. */
  inlineOnly: boolean;
};

const MOST_ROWS = 8;

export function ComposeForm(props: FormProps): ReactNode {
  const { label, act, content, change, children, canSend, busy, leave, editLast, attach, field, helper, tools } = props;
  const { inbox: words } = useWords();
  const [editingButtons, setEditingButtons] = useState(false);
  const isPhone = usePhone();
  const [hasTools, setTools] = useState(false);
  useGrowingField(field, content.text);
  const files = useRef<HTMLInputElement>(null);
  const { text, format, markup } = content;
  const { enterSends, choose } = usePreferences();
  const submit = () => canSend && props.submit();
  const keys = (event: KeyboardEvent) => {
    if (helper?.keys(event)) return;
    const acts: [boolean, (() => unknown) | undefined][] = [
      [event.key === 'Enter' && (event.ctrlKey || event.metaKey || (enterSends && !event.shiftKey)), submit],
      [event.key === 'Escape', leave],
      [event.key === 'ArrowUp' && text === '', editLast],
    ];
    const [, run] = acts.find(([pressed]) => pressed) ?? [];
    if (run === undefined || event.nativeEvent.isComposing) return;
    event.preventDefault();
    run();
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (attach === undefined || pasted.length === 0) return;
    attach(pasted);
    event.preventDefault();
  };
  const buttons = countButtons(markup);
  return (
    <form
      className="compose"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      <div className="compose-line">
        {isPhone && (
          <Button
            kind="quiet"
            className="icon-only"
            aria-label={words.more}
            aria-expanded={hasTools}
            onClick={() => setTools(!hasTools)}
          >
            <Icon name="plus" />
          </Button>
        )}
        <textarea
          ref={field}
          aria-label={label}
          placeholder={label}
          dir="auto"
          rows={Math.min(MOST_ROWS, text.split('\n').length)}
          value={text}
          onChange={(event) => change({ text: event.target.value })}
          {...helper?.aria}
          onFocus={() => setTools(false)}
          onKeyDown={keys}
          onPaste={paste}
        />
        {isPhone && (
          <Button type="submit" kind="primary" className="icon-only" aria-label={act} busy={busy} disabled={!canSend}>
            <Icon name="outbox" />
          </Button>
        )}
      </div>
      <div className="compose-tools" hidden={isPhone && !hasTools}>
        {attach && (
          <>
            <input
              ref={files}
              type="file"
              multiple
              hidden
              onChange={({ target }) => {
                attach([...(target.files ?? [])]);
                setTools(false);
                target.value = '';
              }}
            />
            <Button kind="quiet" aria-label={words.attach} title={words.attach} onClick={() => files.current?.click()}>
              <Icon name="attach" />
            </Button>
          </>
        )}
        <Button
          kind="quiet"
          aria-label={words.addButtons}
          title={words.addButtons}
          onClick={() => setEditingButtons(true)}
        >
          <Icon name="keyboard" />
          {buttons > 0 && <span className="count">{buttons}</span>}
        </Button>
        {tools}
        <select
          aria-label={words.format}
          title={words.format}
          value={format}
          onChange={(event) => change({ format: event.target.value as Format })}
        >
          {FORMATS.map((one) => (
            <option key={one} value={one}>
              {words.formats[one]}
            </option>
          ))}
        </select>
        {!isPhone && (
          <button
            type="button"
            className="compose-gap muted"
            aria-label={enterSends ? words.enterSends : words.ctrlEnterSends}
            title={enterSends ? words.enterSends : words.ctrlEnterSends}
            onClick={() => choose({ enterSends: !enterSends })}
          >
            {!enterSends && <kbd>Ctrl</kbd>} <kbd>⏎</kbd>
          </button>
        )}
        {props.beside}
        {!isPhone && (
          <Button type="submit" kind="primary" busy={busy} disabled={!canSend}>
            {act}
          </Button>
        )}
      </div>
      {editingButtons && (
        <ButtonsEditor
          markup={markup}
          inlineOnly={props.inlineOnly}
          save={(changed) => {
            change({ markup: changed });
            setEditingButtons(false);
          }}
          close={() => setEditingButtons(false)}
        />
      )}
    </form>
  );
}
