import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { sentenceOf } from '../../parts/failure.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { BrandMark } from '../../parts/icon.tsx';
import { NoPasskey, passkeyOptions, provePasskey } from '../../parts/passkey.ts';
import { useTitle } from '../../parts/use-title.ts';
import { PreferencesMenu } from '../../shell/preferences-menu.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { ProviderLink, takeRefusal, useSignInWays } from './provider.tsx';
import './sign-in.css';

type Enter = (account: AccountResource) => void;

/** The whole page, for somebody who is not signed in. */
export function SignIn({ enter, linkEnded }: { enter: Enter; linkEnded: boolean }): ReactNode {
  const words = useWords();
  const [refusal] = useState(takeRefusal);
  return (
    <Welcome title={words.signIn.title}>
      {linkEnded && <p className="fault">{words.signIn.linkEnded}</p>}
      {refusal !== null && (
        <p role="alert" className="fault">
          {words.signIn.refusals[refusal]}
        </p>
      )}
      <Ways enter={enter} />
      <details className="muted">
        <summary>{words.signIn.help}</summary>
        <p>{words.signIn.helpText}</p>
      </details>
    </Welcome>
  );
}

/** Over the page of somebody whose session has ended. */
export function SignInAgain({ username, enter }: { username: string; enter: Enter }): ReactNode {
  const words = useWords();
  return (
    <Dialog title={words.signIn.again} description={words.signIn.ended} className="narrow">
      <Ways username={username} enter={enter} />
    </Dialog>
  );
}

/** The identity provider first, where there is one. Where passwords are off, the form is for the local administrator. */
function Ways(form: { username?: string; enter: Enter }): ReactNode {
  const { signIn: words } = useWords();
  const ways = useSignInWays();
  if (ways?.oidc === undefined) return <SignInForm {...form} />;
  return (
    <>
      <ProviderLink oidc={ways.oidc} />
      {ways.password ? (
        <SignInForm {...form} />
      ) : (
        <details>
          <summary className="muted">{words.localAdmin}</summary>
          <SignInForm {...form} />
        </details>
      )}
    </>
  );
}

/** One card in the middle of the page. */
export function Welcome({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const words = useWords();
  // Or the tab would go on naming the bot or the chat of whoever signed out.
  useTitle(title);
  return (
    <main className="welcome">
      <div className="card">
        <header>
          <span className="brand">
            <BrandMark />
            {words.product}
          </span>
          <PreferencesMenu />
        </header>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

function SignInForm({ username: known = '', enter }: { username?: string; enter: Enter }): ReactNode {
  const words = useWords();
  const [username, setUsername] = useState(known);
  const [password, setPassword] = useState('');
  /** Null until the account turns out to need more than a password. */
  const [code, setCode] = useState<string | null>(null);
  /** The challenge for a passkey of the account; each counts once. Null: it has none. */
  const [options, setOptions] = useState<string | null>(null);
  const attempt = useMutation({
    mutationFn: async (asked: string | null) => {
      const proof = asked === null ? (code ? { code } : {}) : { passkey: await provePasskey(asked) };
      return call('login', { username, password, ...proof });
    },
    async onError(error) {
      if (!needsCode(error)) return;
      setCode((typed) => typed ?? '');
      setOptions(await passkeyOptions({ username, password }).catch(() => null));
    },
    onSuccess: ({ user, ...session }) => enter({ ...user, ...session }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    attempt.mutate(null);
  };
  const wasGuess = code !== '' || attempt.variables !== null;
  const refusal = attempt.isError ? refusalOf(attempt.error, wasGuess, words) : null;
  return (
    <form onSubmit={submit}>
      <Field
        label={words.signIn.username}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={known === ''}
        required
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <PasswordField
        label={words.signIn.password}
        name="password"
        autoComplete="current-password"
        autoFocus={known !== ''}
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {code !== null && (
        <Field
          label={words.signIn.code}
          hint={words.signIn.codeHint}
          autoComplete="one-time-code"
          autoFocus
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      <p role="alert" className="fault" hidden={refusal === null}>
        {refusal}
      </p>
      {options !== null && (
        <Button onClick={() => attempt.mutate(options)} busy={attempt.isPending}>
          {words.signIn.passkey}
        </Button>
      )}
      <Button type="submit" kind="primary" busy={attempt.isPending}>
        {words.signIn.submit}
      </Button>
    </form>
  );
}

function needsCode(error: Error): boolean {
  return error instanceof CallError && error.code === 'second_factor_needed';
}

/** Null for an account that needs more than a password, before that was given. */
function refusalOf(error: Error, wasGuess: boolean, words: Words): string | null {
  if (error instanceof NoPasskey) return words.signIn.noPasskey;
  if (needsCode(error)) return wasGuess ? words.signIn.codeWrong : null;
  const status = error instanceof CallError ? error.status : null;
  if (status === 401) return words.signIn.wrong;
  if (status === 403) return words.signIn.passwordsOff;
  if (status === 429) return tooMany(error as CallError, words);
  return sentenceOf(error, words);
}

/** The same limit counts wrong guesses of the current password. */
export function tooMany({ retryAfterS }: CallError, words: Words): string {
  return words.signIn.limited(Math.ceil((retryAfterS ?? 60) / 60));
}
