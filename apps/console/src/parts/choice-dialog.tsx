import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import './choice-dialog.css';

type ChoiceProps<Value extends string> = {
  title: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  choose: (value: Value) => void;
  close: () => void;
};

/** One of many options, where a menu would have too little room. */
export function ChoiceDialog<Value extends string>(props: ChoiceProps<Value>): ReactNode {
  const { title, options, value, choose, close } = props;
  return (
    <Dialog title={title} close={close} className="narrow">
      <ul className="choice-list">
        {options.map(([option, text]) => (
          <li key={option}>
            <button
              type="button"
              className="button quiet"
              aria-pressed={option === value}
              onClick={() => {
                close();
                choose(option);
              }}
            >
              <bdi className="cut">{text}</bdi>
              {option === value && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
