import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useWords } from '../../../words/words.tsx';
import { type EditedButton, type Markup, newButton } from './markup.ts';

type EditorProps = { markup: Markup; inlineOnly: boolean; save: (markup: Markup) => void; close: () => void };

/** Rows of buttons: under the message, or in place of the keyboard. */
export function ButtonsEditor({ markup, inlineOnly, save, close }: EditorProps): ReactNode {
  const words = useWords();
  const { inbox } = words;
  const [kind, setKind] = useState(markup.kind);
  const [rows, setRows] = useState(markup.rows.length > 0 ? markup.rows : [[newButton()]]);
  const changeRow = (at: number, row: EditedButton[]) =>
    setRows(rows.map((one, index) => (index === at ? row : one)).filter(({ length }) => length > 0));
  const isWhole = rows.flat().every(({ text }) => text.trim() !== '');
  return (
    <Confirm
      title={inbox.buttonsTitle}
      act={words.done}
      run={() => save({ kind, rows })}
      close={close}
      isDisabled={!isWhole}
      isDirty={kind !== markup.kind || rows !== markup.rows}
      className="buttons-dialog"
    >
      {!inlineOnly && (
        <fieldset className="button-kinds">
          <legend className="unseen">{inbox.buttonsTitle}</legend>
          {(['inline', 'keyboard'] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="kind" checked={kind === one} onChange={() => setKind(one)} />
              {inbox.markupKinds[one]}
            </label>
          ))}
        </fieldset>
      )}
      <ol className="button-rows">
        {rows.map((row, at) => (
          <li key={row[0]!.key} aria-label={inbox.row(String(at + 1))}>
            {row.map((button) => (
              <ButtonFields
                key={button.key}
                button={button}
                isInline={kind === 'inline'}
                change={(changed) =>
                  changeRow(
                    at,
                    row.map((one) => (one === button ? changed : one)),
                  )
                }
                remove={() =>
                  changeRow(
                    at,
                    row.filter((one) => one !== button),
                  )
                }
              />
            ))}
            <Button kind="quiet" onClick={() => changeRow(at, [...row, newButton()])}>
              <Icon name="plus" />
              {inbox.addButton}
            </Button>
          </li>
        ))}
      </ol>
      <Button className="add-row" onClick={() => setRows([...rows, [newButton()]])}>
        <Icon name="plus" />
        {inbox.addRow}
      </Button>
    </Confirm>
  );
}

type FieldsProps = {
  button: EditedButton;
  isInline: boolean;
  change: (button: EditedButton) => void;
  remove: () => void;
};

function ButtonFields({ button, isInline, change, remove }: FieldsProps): ReactNode {
  const { inbox: words } = useWords();
  const { text, kind, value } = button;
  return (
    <div className={`button-fields ${isInline ? '' : 'text-only'}`}>
      <input
        aria-label={words.buttonText}
        placeholder={words.buttonText}
        dir="auto"
        maxLength={256}
        value={text}
        onChange={(event) => change({ ...button, text: event.target.value })}
      />
      {isInline && kind === 'other' && <span className="muted">{words.otherButton}</span>}
      {isInline && kind !== 'other' && (
        <>
          <select
            aria-label={words.buttonAct}
            value={kind}
            onChange={(event) => change({ ...button, kind: event.target.value as 'url' | 'callback' })}
          >
            <option value="callback">{words.buttonKinds.callback}</option>
            <option value="url">{words.buttonKinds.url}</option>
          </select>
          <input
            type={kind === 'url' ? 'url' : 'text'}
            aria-label={words.buttonKinds[kind]}
            placeholder={kind === 'url' ? 'https://' : words.sameAsText}
            required={kind === 'url'}
            value={value}
            onChange={(event) => change({ ...button, value: event.target.value })}
          />
        </>
      )}
      <Button kind="quiet" className="icon-only" aria-label={words.removeButton} onClick={remove}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
