import { type ReactNode, useId } from 'react';
import { findBots, useBotName } from '../../parts/bot-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PickField } from '../../parts/pick-field.tsx';
import { useWords } from '../../words/words.tsx';
import '../../parts/check-field.css';
import '../../parts/chips.css';

type BotsProps = { bots: readonly number[] | null; choose: (bots: number[] | null) => void; fault?: string | null };

/** All bots, or some of them by name. */
export function BotsField({ bots, choose, fault }: BotsProps): ReactNode {
  const { access: words } = useWords();
  const group = useId();
  return (
    <fieldset className="bots-field">
      <legend>{words.bots}</legend>
      <label className="check">
        <input type="radio" name={group} checked={bots === null} onChange={() => choose(null)} />
        {words.allBots}
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
            finder={findBots}
            fault={fault}
            choose={(option) => option && choose([...new Set([...bots, Number(option.id)])])}
          />
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

/** The bots in a few words: all, none, or the first names. */
export function BotsShown({ bots }: { bots: readonly number[] | null }): ReactNode {
  const { access: words } = useWords();
  if (bots === null) return words.allBots;
  if (bots.length === 0) return <span className="muted">{words.noBots}</span>;
  if (bots.length > 1) return words.botCount(bots.length);
  return <OneBot id={bots[0]!} />;
}

export function OneBot({ id }: { id: number }): ReactNode {
  return <bdi className="cut">{useBotName(String(id))}</bdi>;
}
