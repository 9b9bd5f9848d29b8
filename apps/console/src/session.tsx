import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, Fragment, type ReactNode, use, useState } from 'react';
import { call, isSignedOut } from './call.ts';
import { forgetDrafts } from './drafts.ts';
import { Dialog } from './parts/dialog.tsx';
import { Failure } from './parts/failure.tsx';
import { ForcedChange } from './screens/sign-in/change-password.tsx';
import { SignIn, SignInAgain } from './screens/sign-in/sign-in.tsx';
import { useWords } from './words/words.tsx';

/** The query of the account that is signed in; null: nobody is. */
export const SESSION = ['session'] as const;
const CHECK_EVERY_MS = 60_000;
/** While nobody knows who is signed in, because the api does not answer. */
const ASK_AGAIN_MS = 5_000;

type Session = { account: AccountResource; leave(): void };
const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  return use(SessionContext)!;
}

/** A bot that is added belongs to nobody's list, so only those who see all bots add some. */
export function addsBots({ role, bot_ids }: AccountResource): boolean {
  return role === 'admin' && bot_ids === null;
}

/** Shows the page to whoever is signed in. When the session ends, the page stays below the sign-in. */
export function SessionGate({ children }: { children: ReactNode }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const session = useQuery({
    queryKey: SESSION,
    queryFn: readAccount,
    refetchInterval: ({ state }) => (state.data === undefined ? ASK_AGAIN_MS : CHECK_EVERY_MS),
  });
  const [account, setAccount] = useState<AccountResource | null>(null);
  const signedIn = session.data ?? null;
  if (signedIn !== null && signedIn !== account) setAccount(signedIn);

  const enter = (entered: AccountResource) => {
    // What another account loaded is not for this one.
    if (account !== null && account.id !== entered.id) queries.clear();
    queries.setQueryData(SESSION, entered);
    void queries.invalidateQueries();
  };
  const leaving = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      if (account !== null) forgetDrafts(account.id);
      setAccount(null);
      queries.clear();
      queries.setQueryData(SESSION, null);
    },
  });
  const leave = () => leaving.mutate();

  if (session.data === undefined && session.isError) {
    return <Failure error={session.error} retry={() => void session.refetch()} whole />;
  }
  if (session.data === undefined) return null;
  if (account === null) return <SignIn enter={enter} />;
  if (signedIn?.must_change_password) {
    return <ForcedChange leave={leave} changed={() => enter({ ...signedIn, must_change_password: false })} />;
  }
  return (
    <SessionContext value={{ account, leave }}>
      <Fragment key={account.id}>{children}</Fragment>
      {leaving.isError && (
        <Dialog title={words.account.signOut} close={leaving.reset} className="narrow">
          <Failure error={leaving.error} retry={leave} />
        </Dialog>
      )}
      {signedIn === null && <SignInAgain username={account.username} enter={enter} />}
    </SessionContext>
  );
}

async function readAccount({ signal }: { signal: AbortSignal }): Promise<AccountResource | null> {
  try {
    return await call('showOwnAccount', {}, signal);
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

/** A session that has ended already is as good as one that ends now. */
async function endSession(): Promise<void> {
  try {
    await call('logout', {});
  } catch (error) {
    if (!isSignedOut(error)) throw error;
  }
}
