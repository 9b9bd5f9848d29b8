import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';

const ReplaceToken = lazy(() => import('./replace-token.tsx').then((file) => ({ default: file.ReplaceToken })));

/** The action that brings the updates of the bot back, where one click can. */
export function IntakeRemedy({ bot, kind }: { bot: BotResource; kind: AttentionKind | undefined }): ReactNode {
  const isAdmin = useSession().account.role === 'admin';
  if (kind === 'foreign_webhook') return <TakeBack bot={bot} />;
  if (kind !== 'token_revoked' || !isAdmin) return null;
  return bot.parent_bot_id === undefined ? <NewToken bot={bot} /> : <Rotate bot={bot} />;
}

function TakeBack({ bot }: { bot: BotResource }): ReactNode {
  const { bot: words } = useWords();
  const queries = useQueryClient();
  const takeBack = useMutation({
    mutationFn: () => call('takeBackBot', { id: bot.id }),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      <Button onClick={() => takeBack.mutate()} busy={takeBack.isPending}>
        {words.takeBack}
      </Button>
      {takeBack.isError && <Failure error={takeBack.error} />}
    </>
  );
}

/** The bot that manages it gets its present token, or another one. */
function Rotate({ bot }: { bot: BotResource }): ReactNode {
  const { bot: words } = useWords();
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => call('rotateToken', { id: bot.id }),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      <Button onClick={() => rotate.mutate()} busy={rotate.isPending}>
        {words.rotateToken}
      </Button>
      {rotate.isError && <Failure error={rotate.error} />}
    </>
  );
}

function NewToken({ bot }: { bot: BotResource }): ReactNode {
  const { bot: words } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.replaceToken}</Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ReplaceToken bot={bot} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
