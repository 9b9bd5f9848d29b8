import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { useWords } from '../words/words.tsx';
import { Icon } from './icon.tsx';
import { type Finder, PickField } from './pick-field.tsx';
import './chips.css';

const SHOWN = 8;

/** The labels of the bots that the account sees, by a part of their names. */
const findLabels: Finder = {
  key: ['fleet', 'labels'],
  async find(q, signal) {
    const { labels } = await call('showFleet', {}, signal);
    const found = labels.filter(({ label }) => label.toLowerCase().includes(q.toLowerCase())).slice(0, SHOWN);
    return found.map(({ label }) => ({ id: label, name: label }));
  },
};

type LabelsProps = { labels: readonly string[]; choose: (labels: string[]) => void; fault?: string | null | undefined };

/** Some labels, whose bots are meant. */
export function LabelsField({ labels, choose, fault }: LabelsProps): ReactNode {
  const { access: words } = useWords();
  return (
    <>
      {labels.length > 0 && (
        <ul className="chips">
          {labels.map((label) => (
            <li key={label} className="chip">
              <bdi className="cut">{label}</bdi>
              <button
                type="button"
                aria-label={words.without(label)}
                onClick={() => choose(labels.filter((one) => one !== label))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <PickField
        label={words.addLabel}
        hint={words.addLabelHint}
        chosen=""
        finder={findLabels}
        fault={fault}
        choose={(option) => option && choose([...new Set([...labels, option.id])])}
      />
    </>
  );
}
