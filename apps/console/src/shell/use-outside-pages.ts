import { useQuery } from '@tanstack/react-query';
import { useParams, useRouterState } from '@tanstack/react-router';
import { botQuery } from '../parts/bot-query.ts';
import type { IconName } from '../parts/icon.tsx';
import { useInstallation } from '../parts/use-installation.ts';
import { useSandboxPage } from '../parts/use-sandbox-page.ts';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';

type OutsidePage = { href: string; icon: IconName; text: string };

/** Pages of ours outside of the console. */
export function useOutsidePages(): OutsidePage[] {
  const { nav } = useWords();
  const { account } = useSession();
  const sandbox = useSandboxOfBot();
  return [
    ...(sandbox === undefined ? [] : [{ href: sandbox, icon: 'phone', text: nav.sandbox } as const]),
    ...(account.role === 'admin' ? [{ href: '/admin/queues', icon: 'queues', text: nav.queues } as const] : []),
    { href: '/docs', icon: 'document', text: nav.document },
  ];
}

/** In a sandbox: the page on which a person writes to the bot that is shown, in the language and the theme of this one. */
function useSandboxOfBot(): string | undefined {
  const { sandbox_url } = useInstallation();
  const { id: shown } = useParams({ strict: false }) as { id?: string };
  const isOfBot = useRouterState({ select: ({ location }) => location.pathname.startsWith('/bots/') });
  const added = useRouterState({ select: ({ location }) => (location.search as { bot?: unknown }).bot });
  const id = shown ?? (typeof added === 'string' ? added : undefined);
  const bot = useQuery({
    ...botQuery(id ?? ''),
    enabled: sandbox_url !== undefined && isOfBot && id !== undefined,
  });
  return useSandboxPage(isOfBot ? bot.data?.username : undefined);
}
