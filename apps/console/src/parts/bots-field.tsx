import { type ReactNode, useId } from 'react';
import { useWords } from '../words/words.tsx';
import { botFinder, useBotName } from './bot-field.tsx';
import { BotName } from './bot-name.tsx';
import { Icon } from './icon.tsx';
import { PickField } from './pick-field.tsx';
import './bots-field.css';
import './check-field.css';
import './chips.css';

type BotsProps = {
  bots: readonly number[] | null;
  choose: (bots: number[] | null) => void;
  fault?: string | null | undefined;
  /** The label, and the text for all bots. */
  label?: string;
  all?: string;
  /** The bots that are offered; absent or null: all that the caller sees. */
  among?: readonly number[] | null;
  /** More fields that name bots. */
  children?: ReactNode;
};

/** All bots, or some of them by name. */
export function BotsField({ bots, choose, fault, among = null, children, ...labels }: BotsProps): ReactNode {
  const { access: words } = useWords();
  const { label = words.bots, all = words.allBots } = labels;
  const group = useId();
  return (
    <fieldset className="bots-field">
      <legend>{label}</legend>
      <label className="check">
        <input type="radio" name={group} checked={bots === null} onChange={() => choose(null)} />
        {all}
      </label>
      <label className="check">
        <input type="radio" name={group} checked={bots !== null} onChange={() => choose([...(bots ?? [])])} />
        {words.someBots}
      </label>
      {bots !== null && (
        <>
          {bots.length > 0 && (
            <ul className="chips">
              {bots.map((id) => (
                <BotChip key={id} id={id} remove={() => choose(bots.filter((one) => one !== id))} />
              ))}
            </ul>
          )}
          <PickField
            label={words.addBot}
            chosen=""
            finder={botFinder(among)}
            fault={fault}
            choose={(option) => option && choose([...new Set([...bots, Number(option.id)])])}
          />
          {children}
        </>
      )}
    </fieldset>
  );
}

function BotChip({ id, remove }: { id: number; remove: () => void }): ReactNode {
  const words = useWords();
  const name = useBotName(String(id));
  return (
    <li className="chip">
      <bdi className="cut">{name}</bdi>
      <button type="button" aria-label={words.access.without(name)} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

type ShownProps = { bots: readonly number[] | null; labels?: readonly string[] };

/** The bots in a few words: all, none, or the one name or their number, and labels. */
export function BotsShown({ bots, labels = [] }: ShownProps): ReactNode {
  const { access: words } = useWords();
  if (bots === null) return words.allBots;
  if (bots.length + labels.length === 0) return <span className="muted">{words.noBots}</span>;
  const named = bots.length === 1 ? <BotName id={bots[0]!} /> : words.botCount(bots.length);
  if (labels.length === 0) return named;
  return (
    <span className="cut">
      {bots.length > 0 && <>{named} · </>}
      <bdi>{labels.join(' · ')}</bdi>
    </span>
  );
}
