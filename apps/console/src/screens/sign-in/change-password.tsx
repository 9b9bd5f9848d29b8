import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { sentenceOf } from '../../parts/failure.tsx';
import { PasswordField } from '../../parts/field.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { tooMany, Welcome } from './sign-in.tsx';

const MIN_LENGTH = 10;

/** The whole page, until a password that somebody else has set is changed. */
export function ForcedChange({ changed, leave }: { changed: () => void; leave: () => void }): ReactNode {
  const words = useWords();
  return (
    <Welcome title={words.password.title}>
      <p className="muted">{words.password.forced}</p>
      <PasswordForm changed={changed} />
      <Button kind="quiet" onClick={leave}>
        {words.account.signOut}
      </Button>
    </Welcome>
  );
}

/** Over the page, for somebody who wants another password. */
export function ChangePassword({ close }: { close: () => void }): ReactNode {
  const words = useWords();
  const [done, setDone] = useState(false);
  return (
    <Dialog title={words.password.title} close={close} className="narrow">
      {done ? (
        <>
          <p role="status">{words.password.changed}</p>
          <Button onClick={close}>{words.done}</Button>
        </>
      ) : (
        <PasswordForm changed={() => setDone(true)} />
      )}
    </Dialog>
  );
}

function PasswordForm({ changed }: { changed: () => void }): ReactNode {
  const words = useWords();
  const [old, setOld] = useState('');
  const [chosen, setChosen] = useState('');
  const change = useMutation({
    mutationFn: async () => {
      if (chosen.length < MIN_LENGTH) throw new TooShort();
      await call('changePassword', { old_password: old, new_password: chosen });
    },
    onSuccess: changed,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const faults = faultsOf(change.error, words);
  return (
    <form onSubmit={submit}>
      <PasswordField
        label={words.password.old}
        autoComplete="current-password"
        autoFocus
        required
        fault={faults.old}
        value={old}
        onChange={(event) => setOld(event.target.value)}
      />
      <PasswordField
        label={words.password.new}
        hint={words.password.hint}
        autoComplete="new-password"
        required
        fault={faults.chosen}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
      />
      <p role="alert" className="fault" hidden={faults.other === null}>
        {faults.other}
      </p>
      <Button type="submit" kind="primary" busy={change.isPending}>
        {words.password.submit}
      </Button>
    </form>
  );
}

class TooShort extends Error {}

/** Says each fault at its field; what belongs to no field stands below them. */
function faultsOf(error: Error | null, words: Words): Record<'old' | 'chosen' | 'other', string | null> {
  const none = { old: null, chosen: null, other: null };
  if (error === null) return none;
  if (error instanceof TooShort) return { ...none, chosen: words.password.short };
  if (!(error instanceof CallError)) return { ...none, other: sentenceOf(error, words) };
  if (error.status === 429) return { ...none, other: tooMany(error, words) };
  if (error.faults.has('old_password')) return { ...none, old: words.password.wrongOld };
  if (error.faults.has('new_password')) return { ...none, chosen: words.password.refused };
  return { ...none, other: sentenceOf(error, words) };
}
