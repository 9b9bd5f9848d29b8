import type { BotResource } from '@flotilla/contract/bots.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { callPage } from '../../call.ts';
import { Icon } from '../../parts/icon.tsx';
import { useWords } from '../../words/words.tsx';

const OFFERED = 10;

type ChoiceProps = { bots: readonly BotResource[]; most: number; choose: (ids: number[]) => void };

/** The chosen bots, each of which can be left out; a field adds others by name. */
export function BotChoice({ bots, most, choose }: ChoiceProps): ReactNode {
  const { live: words } = useWords();
  const ids = bots.map(({ id }) => id);
  return (
    <div className="bot-choice">
      <ul aria-label={words.chosenBots}>
        {bots.map(({ id, name }) => (
          <li key={id}>
            <bdi className="cut">{name}</bdi>
            <button
              type="button"
              aria-label={words.leaveOut(name)}
              onClick={() => choose(ids.filter((one) => one !== id))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {bots.length < most ? (
        <AddBot chosen={ids} add={(id) => choose([...ids, id])} />
      ) : (
        <span>{words.most(most)}</span>
      )}
    </div>
  );
}

function AddBot({ chosen, add }: { chosen: readonly number[]; add: (id: number) => void }): ReactNode {
  const { live: words } = useWords();
  const list = useId();
  const [typed, setTyped] = useState('');
  const found = useQuery({
    queryKey: ['bots', 'offered', typed],
    queryFn: ({ signal }) => callPage('listBots', { q: typed, limit: OFFERED }, signal),
    placeholderData: keepPreviousData,
  });
  const offered = (found.data?.rows ?? []).filter(({ id }) => !chosen.includes(id));
  const take = (text: string) => {
    const bot = offered.find(({ username }) => `@${username}` === text);
    setTyped(bot === undefined ? text : '');
    if (bot !== undefined) add(bot.id);
  };
  return (
    <>
      <input
        list={list}
        aria-label={words.addBot}
        placeholder={words.addBot}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => take(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && offered[0] && typed !== '' && take(`@${offered[0].username}`)}
      />
      <datalist id={list}>
        {offered.map(({ id, name, username }) => (
          <option key={id} value={`@${username}`}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
