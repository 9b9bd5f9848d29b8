import type { BotResource } from '@flotilla/contract/bots.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useForm } from '../../parts/use-form.ts';
import { MakeBot } from './make-bot.tsx';
import { MoveBot, useNextServers } from './move-bot.tsx';
import { ReplaceToken } from './replace-token.tsx';
import { RotateToken } from './rotate-token.tsx';
import { useSettingsWords } from './settings-words.ts';

type Act = 'make' | 'move' | 'disable' | 'rotate' | 'token' | 'delete';

/** The acts that switch the bot off or change its nature; each asks first. */
export function BotActs({ bot }: { bot: BotResource }): ReactNode {
  const words = useSettingsWords();
  const [asking, setAsking] = useState<Act | null>(null);
  const close = () => setAsking(null);
  const isMovable = useNextServers(bot).length > 0;
  return (
    <section className="panel" aria-labelledby="acts">
      <h2 id="acts">{words.acts}</h2>
      <ul className="bot-acts">
        {bot.adopts && (
          <ActRow title={words.make} hint={words.makeHint}>
            <Button onClick={() => setAsking('make')}>{words.makeAct}</Button>
          </ActRow>
        )}
        {isMovable && (
          <ActRow title={words.move} hint={words.moveHint}>
            <Button onClick={() => setAsking('move')}>{words.moveAct}</Button>
          </ActRow>
        )}
        {bot.disabled ? (
          <EnableRow bot={bot} />
        ) : (
          <ActRow title={words.disable} hint={words.disableHint}>
            <Button onClick={() => setAsking('disable')}>{words.disableAct}</Button>
          </ActRow>
        )}
        {bot.parent_bot_id !== undefined && (
          <ActRow title={words.rotate} hint={words.rotateHint}>
            <Button onClick={() => setAsking('rotate')}>{words.rotateAct}</Button>
          </ActRow>
        )}
        <ActRow title={words.token} hint={words.tokenHint}>
          <Button onClick={() => setAsking('token')}>{words.tokenAct}</Button>
        </ActRow>
        <ActRow title={words.delete} hint={words.deleteHint}>
          <Button className="danger" onClick={() => setAsking('delete')}>
            {words.deleteAct}
          </Button>
        </ActRow>
      </ul>
      {asking === 'make' && <MakeBot parent={bot} close={close} />}
      {asking === 'move' && <MoveBot bot={bot} close={close} />}
      {asking === 'rotate' && <RotateToken bot={bot} close={close} />}
      {asking === 'disable' && <Disable bot={bot} close={close} />}
      {asking === 'token' && <ReplaceToken bot={bot} close={close} />}
      {asking === 'delete' && <Delete bot={bot} close={close} />}
    </section>
  );
}

function ActRow({ title, hint, children }: { title: string; hint: string; children: ReactNode }): ReactNode {
  return (
    <li>
      <span>
        <strong>{title}</strong>
        <small className="hint">{hint}</small>
      </span>
      {children}
    </li>
  );
}

function useToggle(bot: BotResource, done: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call('toggleBotDisabled', { id: bot.id }),
    onSuccess: (changed) => {
      queries.setQueryData(['bot', String(bot.id)], changed);
      void queries.invalidateQueries();
      done();
    },
  });
}

function EnableRow({ bot }: { bot: BotResource }): ReactNode {
  const words = useSettingsWords();
  const toggle = useToggle(bot, () => {});
  return (
    <ActRow title={words.enable} hint={words.enableHint}>
      <Button kind="primary" busy={toggle.isPending} onClick={() => toggle.mutate()}>
        {words.enableAct}
      </Button>
      {toggle.isError && <Failure error={toggle.error} />}
    </ActRow>
  );
}

type AskProps = { bot: BotResource; close: () => void };

function Disable({ bot, close }: AskProps): ReactNode {
  const words = useSettingsWords();
  const { mutate, isPending, error } = useToggle(bot, close);
  return (
    <Confirm
      title={words.disableTitle(bot.name)}
      description={words.disableAsk(bot.pending_update_count)}
      act={words.disableAct}
      run={() => mutate()}
      busy={isPending}
      {...{ error, close }}
    />
  );
}

/** Needs the name of the bot, because nothing brings it back. */
function Delete({ bot, close }: AskProps): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { text, asked } = useForm({
    known: () => ({ name: '' }),
    check: ({ name }) => ({ name: name.trim() === bot.name.trim() ? undefined : words.deleteWrong }),
    async send() {
      await call('deleteBot', { id: bot.id });
      await navigate({ to: '/' });
      await queries.invalidateQueries();
    },
  });
  return (
    <Confirm
      title={words.deleteTitle(bot.name)}
      description={words.deleteAsk(bot.pending_update_count)}
      act={words.deleteRun}
      danger
      close={close}
      {...asked}
    >
      <Field
        label={words.deleteName(bot.name)}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        {...text('name')}
      />
    </Confirm>
  );
}
