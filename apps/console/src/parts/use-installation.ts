import type { UpstreamState } from '@flotilla/contract/upstreams.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from '../call.ts';
import { seesWholeFleet, useSession } from '../session.tsx';

const LOOK_AGAIN_MS = 60_000;
const REAL_PLATFORM = 'https://api.telegram.org';

const NONE: readonly UpstreamState[] = [];

type Installation = {
  /** True if the platform is Telegram itself. */
  isReal: boolean;
  /** Where the platform is; empty until it is known. */
  platformUrl: string;
  /** True if it is a copy that sends nothing. */
  isQuarantined: boolean;
  /** In a sandbox: the page on which a person writes to its bot. */
  sandbox_url: string | undefined;
  /** The Bot API servers that bots can be at. */
  upstreams: readonly UpstreamState[];
};

/** The settings of the installation for its pages; only administrators of all bots may ask. */
export function useInstallation(): Installation {
  const { account } = useSession();
  const system = useQuery({
    queryKey: ['installation'],
    queryFn: ({ signal }) => call('showSystem', {}, signal),
    enabled: seesWholeFleet(account),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const settingOf = (wanted: string) => system.data?.settings.find(({ name }) => name === wanted)?.value ?? '';
  const platformUrl = settingOf('TELEGRAM_API_URL');
  return {
    isReal: platformUrl === REAL_PLATFORM,
    platformUrl,
    isQuarantined: system.data?.quarantined ?? false,
    sandbox_url: system.data?.sandbox_url,
    upstreams: system.data?.upstreams ?? NONE,
  };
}
