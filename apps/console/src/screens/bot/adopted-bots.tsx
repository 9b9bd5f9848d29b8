import type { BotResource } from '@flotilla/contract/bots.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { useSettingsWords } from './settings-words.ts';

/** A parent may have adopted a thousand. */
const PAGE = 20;

/** The bots that a bot adopted, as far as the account sees them; nothing if there are none. */
export function AdoptedBots({ parent }: { parent: BotResource }): ReactNode {
  const words = useSettingsWords();
  const bots = usePages<BotResource>(['bots', 'adopted', parent.id], (page, signal) =>
    callPage('listBots', { ...page, parent_bot_id: parent.id, sort: 'name', limit: PAGE }, signal),
  );
  const { rows, total, isError } = bots;
  if (rows.length === 0 && !isError) return null;
  return (
    <section className="panel" aria-labelledby="adopted">
      <h2 id="adopted">{words.adopted(total)}</h2>
      {isError && <Failure error={bots.error} retry={() => void bots.refetch()} />}
      <ul className="adopted-bots">
        {rows.map(({ id, name, username }) => (
          <li key={id}>
            <Link to="/bots/$id" params={{ id: String(id) }} className="cut">
              <bdi>{name}</bdi>
            </Link>
            <span className="muted cut">@{username}</span>
          </li>
        ))}
      </ul>
      {bots.hasNextPage && (
        <Button busy={bots.isFetchingNextPage} onClick={() => void bots.fetchNextPage()}>
          {words.adoptedMore}
        </Button>
      )}
    </section>
  );
}
