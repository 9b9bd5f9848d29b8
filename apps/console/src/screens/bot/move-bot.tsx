import type { MovePlan } from '@flotilla/contract/bot-moves.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Told } from '../../parts/told.tsx';
import { useInstallation } from '../../parts/use-installation.ts';
import { useSettingsWords } from './settings-words.ts';

/** The Bot API servers that a bot can be moved to, by their names. While it moves, its present one cancels that. */
export function useNextServers(bot: BotResource): string[] {
  const { upstreams } = useInstallation();
  const leavesOut = bot.moving?.to ?? bot.upstream;
  return upstreams.flatMap(({ name, url }) => (url === '' || name === leavesOut ? [] : [name]));
}

/** Shows what the move would do before it begins, since sends of the bot wait meanwhile. */
export function MoveBot({ bot, close }: { bot: BotResource; close: () => void }): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const servers = useNextServers(bot);
  const [picked, pick] = useState('');
  const upstream = servers.includes(picked) ? picked : (servers[0] ?? '');
  const plan = useQuery({
    queryKey: ['move-plan', bot.id, upstream],
    queryFn: async ({ signal }) => (await call('moveBot', { id: bot.id, upstream, dry_run: true }, signal)).plan,
    enabled: upstream !== '',
    gcTime: 0,
  });
  const move = useMutation({
    mutationFn: () => call('moveBot', { id: bot.id, upstream }),
    onSuccess: () => {
      void queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm
      title={words.move}
      description={words.moveHint}
      act={words.moveRun}
      run={() => move.mutate()}
      busy={move.isPending}
      isDisabled={plan.data === undefined || plan.data.obstacles.length > 0}
      error={move.error}
      close={close}
    >
      <ChoiceField
        label={words.moveTo}
        options={servers.map((name) => [name, name] as const)}
        value={upstream}
        choose={pick}
      />
      <div role="status" className="move-plan">
        {plan.data ? <Plan plan={plan.data} /> : !plan.isError && <p className="muted">{words.moveAsks}</p>}
      </div>
      {plan.isError && <Failure error={plan.error} retry={() => void plan.refetch()} />}
    </Confirm>
  );
}

function Plan({ plan: { steps, obstacles, notes } }: { plan: MovePlan }): ReactNode {
  return (
    <>
      {obstacles.map((obstacle) => (
        <p key={obstacle} className="notice bad">
          <Told text={obstacle} />
        </p>
      ))}
      <ol>
        {steps.map(({ step, text }) => (
          <li key={step}>
            <Told text={text} />
          </li>
        ))}
      </ol>
      {notes.map((note) => (
        <p key={note} className="hint">
          <Told text={note} />
        </p>
      ))}
    </>
  );
}
