import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Answer, call } from '../../call.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';

export type LeftToken = Answer<'deleteAccount'>['program_tokens'][number];

/** After the end of an account or a key: the tokens of programs that it made and that go on, each to be revoked. */
export function LeftTokens({ tokens, close }: { tokens: readonly LeftToken[]; close: () => void }): ReactNode {
  const { access: words } = useWords();
  return (
    <Dialog title={words.leftTitle(tokens.length)} description={words.leftHint} close={close}>
      <ul className="left-tokens">
        {tokens.map((token) => (
          <LeftRow key={token.id} token={token} />
        ))}
      </ul>
      <div className="dialog-actions">
        <Button kind="primary" onClick={close}>
          {words.leftRead}
        </Button>
      </div>
    </Dialog>
  );
}

function LeftRow({ token }: { token: LeftToken }): ReactNode {
  const { access: words } = useWords();
  const { id, name, prefix, program_id: program, program_name, bot_id: bot } = token;
  const revoke = useMutation({ mutationFn: () => call('deleteProgramToken', { id }) });
  return (
    <li>
      <span>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        <code className="muted">{prefix}…</code>
        <br />
        <Link to="/bots/$id/programs" params={{ id: String(bot) }} search={{ open: String(program) }}>
          <bdi>{program_name}</bdi>
        </Link>
        {' · '}
        <BotName id={bot} />
        {revoke.isError && <Failure error={revoke.error} />}
      </span>
      {revoke.isSuccess ? (
        <span role="status">{words.leftRevoked}</span>
      ) : (
        <Button busy={revoke.isPending} onClick={() => revoke.mutate()} aria-label={words.leftRevokeOf(name)}>
          {words.leftRevoke}
        </Button>
      )}
    </li>
  );
}
