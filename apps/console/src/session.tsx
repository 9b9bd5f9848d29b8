import type { AccountResource } from '@flotilla/contract/accounts.ts';
import type { OwnAccountResource } from '@flotilla/contract/sign-in.ts';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, Fragment, lazy, type ReactNode, Suspense, use, useEffect, useRef, useState } from 'react';
import { CallError, call, isSignedOut } from './call.ts';
import { forgetDrafts } from './drafts.ts';
import { takeEarly } from './early.ts';
import { loadLate } from './load-late.ts';
import { Dialog } from './parts/dialog.tsx';
import { Failure } from './parts/failure.tsx';
import { ForcedChange } from './screens/sign-in/change-password.tsx';
import { SignIn, SignInAgain } from './screens/sign-in/sign-in.tsx';
import { useWords } from './words/words.tsx';

/** Few people ever see it. */
const ForcedFactor = lazy(async () => ({
  default: (await loadLate(() => import('./screens/second-factor/forced-factor.tsx'))).ForcedFactor,
}));

/** The query of the account that is signed in; null: nobody is. */
export const SESSION = ['session'] as const;
const CHECK_EVERY_MS = 60_000;
/** While nobody knows who is signed in, because the api does not answer. */
const ASK_AGAIN_MS = 5_000;
const LINK = /^#sign-in=([\w-]+)$/;
/** On it the tabs of a browser tell each other that somebody signed in or out. */
const CHANGES = 'flotilla-session';
/** Who signed out. Null: somebody signed in. */
type Change = { left: number } | null;

type Session = { account: AccountResource; leave(): void };
const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  return use(SessionContext)!;
}

/** An administrator of all bots: may add bots and accounts, and see what concerns no single bot. */
export function seesWholeFleet({ role, bot_ids }: AccountResource): boolean {
  return role === 'admin' && bot_ids === null;
}

/** True if the account may send one message to many chats. */
export function mayBroadcast({ role, rights }: AccountResource): boolean {
  return role === 'admin' || rights.includes('broadcast');
}

/** Shows the page to whoever is signed in. When the session ends, the page stays below the sign-in. */
export function SessionGate({ children }: { children: ReactNode }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const shown = useRef<number | null>(null);
  const linkEnded = useRef(false);
  const session = useQuery({
    queryKey: SESSION,
    queryFn: async ({ signal }) => {
      const token = takeLink();
      if (token !== null) linkEnded.current = !(await enterByLink(token));
      const found = await readAccount(signal);
      // Somebody else may have signed in by another tab, and what was loaded before is not for them.
      if (found !== null && shown.current !== null && found.id !== shown.current) forgetAnswers(queries);
      return found;
    },
    refetchInterval: ({ state }) => (state.data === undefined ? ASK_AGAIN_MS : CHECK_EVERY_MS),
  });
  const [account, setAccount] = useState<AccountResource | null>(null);
  const signedIn = session.data ?? null;
  if (signedIn !== null && signedIn !== account) setAccount(signedIn);
  shown.current = account?.id ?? null;
  const forget = (left: number) => {
    forgetDrafts(left);
    setAccount(null);
    forgetAnswers(queries);
    queries.setQueryData(SESSION, null);
    // An answer from before the sign-out would show the page again.
    void queries.cancelQueries({ queryKey: SESSION });
  };
  // A link that is pasted into an open tab loads no page.
  useEffect(() => {
    const look = () => LINK.test(window.location.hash) && void queries.invalidateQueries({ queryKey: SESSION });
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, [queries]);
  const tellTabs = useTabs((change) => {
    // A session that merely ended keeps the page for what was typed; whoever signs out leaves nothing in any tab.
    if (change !== null && change.left === account?.id) forget(change.left);
    else void queries.invalidateQueries({ queryKey: SESSION });
  });

  const enter = (entered: AccountResource) => {
    if (account !== null && account.id !== entered.id) forgetAnswers(queries);
    queries.setQueryData(SESSION, entered);
    void queries.invalidateQueries();
    tellTabs(null);
  };
  const leaving = useMutation({
    mutationFn: (_left: number) => endSession(),
    onSuccess: (_, left) => {
      forget(left);
      tellTabs({ left });
    },
  });
  const leave = () => account !== null && leaving.mutate(account.id);

  if (session.data === undefined && session.isError) {
    return <Failure error={session.error} retry={() => void session.refetch()} whole />;
  }
  if (session.data === undefined) return null;
  if (account === null) return <SignIn enter={enter} linkEnded={linkEnded.current} />;
  if (signedIn?.must_change_password) {
    return <ForcedChange leave={leave} changed={() => enter({ ...signedIn, must_change_password: false })} />;
  }
  if (signedIn !== null && isFactorMissing(signedIn)) {
    return (
      <Suspense>
        <ForcedFactor leave={leave} done={() => void queries.invalidateQueries({ queryKey: SESSION })} />
      </Suspense>
    );
  }
  return (
    <SessionContext value={{ account, leave }}>
      <Fragment key={account.id}>{children}</Fragment>
      {leaving.isError && (
        <Dialog title={words.account.signOut} close={leaving.reset} className="narrow">
          <Failure error={leaving.error} retry={leave} isAct />
        </Dialog>
      )}
      {signedIn === null && <SignInAgain username={account.username} enter={enter} />}
    </SessionContext>
  );
}

/** True until the account has the second factor that its session needs. */
function isFactorMissing(account: AccountResource | OwnAccountResource): boolean {
  return 'second_factor_missing' in account;
}

/** Of whom the page showed until now. */
function forgetAnswers(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  queries.getMutationCache().clear();
}

/** Hears when another tab says that somebody signed in or out there; returns what says so to the others. */
function useTabs(changed: (change: Change) => void): (change: Change) => void {
  const latest = useRef(changed);
  latest.current = changed;
  const channel = useRef<BroadcastChannel | null>(null);
  useEffect(() => {
    const opened = new BroadcastChannel(CHANGES);
    opened.onmessage = ({ data }: MessageEvent<Change>) => latest.current(data);
    channel.current = opened;
    return () => opened.close();
  }, []);
  return (change) => channel.current?.postMessage(change);
}

/** The token of a one-time link in the address, which then leaves the address and the history of the browser. */
function takeLink(): string | null {
  const token = LINK.exec(window.location.hash)?.[1] ?? null;
  if (token !== null) window.history.replaceState(null, '', window.location.pathname);
  return token;
}

/** False if the link was used, or has ended. */
async function enterByLink(token: string): Promise<boolean> {
  // It was asked who is signed in before this link was used.
  takeEarly('/api/auth/me');
  try {
    await call('signInByLink', { token });
    return true;
  } catch (error) {
    if (error instanceof CallError && error.status < 500) return false;
    throw error;
  }
}

async function readAccount(signal: AbortSignal): Promise<AccountResource | null> {
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
