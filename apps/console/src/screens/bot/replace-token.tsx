import type { BotResource } from '@flotilla/contract/bots.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { looksLikeToken } from '../../parts/looks-like-token.ts';
import { useSettingsWords } from './settings-words.ts';

/** Gives the bot another token of its own. The field holds it only until the dialog closes. */
export function ReplaceToken({ bot, close }: { bot: BotResource; close: () => void }): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const [token, setToken] = useState('');
  const [isMalformed, setMalformed] = useState(false);
  const replacing = useMutation({
    mutationFn: () => call('updateBot', { id: bot.id, token: token.trim() }),
    gcTime: 0,
    onSuccess: () => {
      void queries.invalidateQueries();
      close();
    },
  });
  const refused = replacing.error instanceof CallError ? replacing.error.faults.get('token') : undefined;
  const run = () => {
    setMalformed(!looksLikeToken(token));
    if (looksLikeToken(token)) replacing.mutate();
  };
  return (
    <Confirm
      title={words.tokenTitle}
      description={words.tokenHint}
      act={words.tokenTitle}
      run={run}
      busy={replacing.isPending}
      error={refused === undefined ? replacing.error : null}
      close={close}
    >
      <Field
        label={words.tokenField}
        hint={words.tokenFieldHint}
        fault={isMalformed ? words.tokenForm : refused}
        type="password"
        autoComplete="off"
        autoFocus
        spellCheck={false}
        value={token}
        onChange={(event) => {
          setToken(event.target.value);
          setMalformed(false);
          replacing.reset();
        }}
      />
    </Confirm>
  );
}
