import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { looksLikeToken } from '../../parts/looks-like-token.ts';
import { useForm } from '../../parts/use-form.ts';
import { useSettingsWords } from './settings-words.ts';

/** Gives the bot another token of its own. The field holds it only until the dialog closes. */
export function ReplaceToken({ bot, close }: { bot: BotResource; close: () => void }): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const { text, asked } = useForm({
    known: () => ({ token: '' }),
    fields: ['token'],
    check: ({ token }) => ({ token: looksLikeToken(token) ? undefined : words.tokenForm }),
    async send({ token }) {
      await call('updateBot', { id: bot.id, token: token.trim() });
      void queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm title={words.tokenTitle} description={words.tokenHint} act={words.tokenTitle} close={close} {...asked}>
      <Field
        label={words.tokenField}
        hint={words.tokenFieldHint}
        type="password"
        autoComplete="off"
        autoFocus
        spellCheck={false}
        {...text('token')}
      />
    </Confirm>
  );
}
