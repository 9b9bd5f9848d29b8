import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { NotFound } from '../../parts/not-found.tsx';
import { Steps } from '../../parts/steps.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { seesWholeFleet, useSession } from '../../session.tsx';
import { useAddBotWords } from './add-bot-words.ts';
import { ConnectProgram } from './connect-program.tsx';
import { TokenForm } from './token-form.tsx';
import './add-bot.css';

const route = getRouteApi('/bots/add');

/** Leads from a token to the first update of a bot. */
export function AddBot(): ReactNode {
  const words = useAddBotWords();
  const { account } = useSession();
  const { bot } = route.useSearch();
  // Only while this page is open: the line that starts the program is copied with it.
  const [added, setAdded] = useState<{ bot: string; token: string }>();
  useTitle(words.title);
  if (!seesWholeFleet(account)) return <NotFound title={words.notYours} hint="" />;
  return (
    <div className="add-bot">
      <Steps label={words.steps} names={[words.stepToken, words.stepProgram]} at={bot === undefined ? 0 : 1} />
      {bot === undefined ? (
        <TokenForm added={(id, token) => setAdded({ bot: id, token })} />
      ) : (
        <ConnectProgram key={bot} id={bot} token={added?.bot === bot ? added.token : undefined} />
      )}
    </div>
  );
}
