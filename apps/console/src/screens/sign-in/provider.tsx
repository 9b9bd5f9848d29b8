import type { OidcRefusal } from '@flotilla/contract/sign-in.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Answer, call } from '../../call.ts';
import { useWords } from '../../words/words.tsx';

export type Ways = Answer<'listSignInWays'>;

/** How people may sign in; undefined until it is known. */
export function useSignInWays(): Ways | undefined {
  const { data } = useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => call('listSignInWays', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** Leads to the identity provider, which brings the person back to this page. */
export function ProviderLink({ oidc }: { oidc: NonNullable<Ways['oidc']> }): ReactNode {
  const { signIn: words } = useWords();
  const here = window.location.pathname + window.location.search;
  return (
    <a className="button primary" href={`${oidc.start_url}?return_to=${encodeURIComponent(here)}`}>
      {words.by(oidc.name)}
    </a>
  );
}

/** Why the provider brought nobody back. It then leaves the address. */
export function takeRefusal(): OidcRefusal | null {
  const address = new URL(window.location.href);
  const reason = address.searchParams.get('sign_in');
  if (reason === null) return null;
  address.searchParams.delete('sign_in');
  window.history.replaceState(null, '', address.pathname + address.search);
  return REASONS.find((one) => one === reason) ?? 'failed';
}

const KNOWN: Record<OidcRefusal, true> = {
  provider_away: true,
  not_begun: true,
  denied: true,
  failed: true,
  no_account: true,
  username_taken: true,
};
const REASONS = Object.keys(KNOWN) as OidcRefusal[];
