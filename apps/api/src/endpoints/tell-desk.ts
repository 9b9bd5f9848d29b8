import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { announceDesk, type DeskNews } from '@flotilla/domain/records/desk/desk-news.ts';
import type { Context } from '../context.ts';

/** What was done is stored, so the call succeeds even if others are told late. */
export async function tellDesk(context: Context, news: DeskNews): Promise<void> {
  await announceDesk(context, news).catch((error: unknown) => {
    context.log.debug({ reason: String(error) }, 'what somebody did in a chat cannot be announced');
  });
}

/** The account of a caller, as others of the team know it. */
export function accountOf({ account }: Caller): { account_id: number; account: string } {
  return { account_id: account.id, account: account.display_name || account.username };
}
