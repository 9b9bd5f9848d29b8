import { type BotRow, botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { baseForPushes } from '@flotilla/domain/fleet/bots/platform-webhook.ts';
import { SEALED_PLACES } from '@flotilla/domain/fleet/bots/sealed-bot.ts';
import { type Target, targetOf } from '@flotilla/domain/fleet/upstreams/upstreams.ts';
import { type PlatformClient, platformClient } from '@flotilla/telegram/platform-client.ts';
import { type DiagnosisDeps, named } from './diagnosis-deps.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const AT_ONCE = 20;
const WAIT_AT_MOST_MS = 10_000;

type Kind = 'right' | 'orphaned' | 'elsewhere' | 'absent' | 'foreign' | 'refused' | 'unanswered' | 'nowhere' | 'sealed';

/** Asks the platform for the webhook of every bot. Those of bots that were removed here cannot be asked for. */
export async function checkWebhooks(deps: DiagnosisDeps): Promise<Finding[]> {
  const clients = new Map<string, PlatformClient>();
  const clientOf = (target: Target) => {
    const key = `${target.name} ${target.isTest}`;
    const client = clients.get(key) ?? platformClient(target);
    clients.set(key, client);
    return client;
  };
  const rows = await botStore(deps.db).all();
  const found = new Map<Kind, number[]>();
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const kinds = await Promise.all(some.map((row) => kindOf(deps, clientOf, row)));
    for (const [at, kind] of kinds.entries()) found.set(kind, [...(found.get(kind) ?? []), some[at]!.id]);
  }
  const findings = FAULTS.flatMap(([kind, level, what, mend]) => {
    const ids = found.get(kind);
    return ids === undefined ? [] : [level('webhooks', `${what}: ${named(ids)}`, mend)];
  });
  return findings.length > 0 ? findings : [ok('webhooks', `those of ${rows.length} bots are as they should be`)];
}

const FAULTS: [Kind, typeof fail, string, string][] = [
  [
    'orphaned',
    fail,
    'ours is set for bots that are disabled or polled',
    'POST /api/bots/take-back; of a disabled bot, enable and disable it',
  ],
  ['elsewhere', fail, 'they lead to our address, but for another bot', 'POST /api/bots/take-back'],
  ['absent', fail, 'bots in webhook mode have none', 'upkeep sets it within minutes; else POST /api/bots/take-back'],
  ['foreign', warn, 'another service has them', 'POST /api/bots/take-back, once that service has let go'],
  ['refused', warn, 'the platform refuses the token of', 'POST /api/bots/update with the new token'],
  [
    'sealed',
    fail,
    'ENCRYPTION_KEY does not open the token of',
    'list the key that sealed it: docs/operations/backup.md',
  ],
  ['nowhere', fail, 'TELEGRAM_UPSTREAMS has no server for', 'name it there again: docs/operations/upstreams.md'],
  ['unanswered', warn, 'the platform did not answer for', 'run check-config; the platform may be slow now'],
];

async function kindOf(deps: DiagnosisDeps, clientOf: (target: Target) => PlatformClient, row: BotRow): Promise<Kind> {
  let token: string;
  try {
    token = deps.secrets.open(row.token_sealed, SEALED_PLACES.token(row.id));
  } catch {
    return 'sealed';
  }
  const target = targetOf(deps.config, row);
  if (!target.isKnown) return 'nowhere';
  const options = { timeoutMs: WAIT_AT_MOST_MS, retries: 1 };
  const answer = await clientOf(target).call(token, 'getWebhookInfo', {}, options);
  if (answer.outcome === 'refused') return answer.errorCode === 429 ? 'unanswered' : 'refused';
  if (answer.outcome !== 'ok') return 'unanswered';
  const { url = '' } = answer.result as { url?: string };
  return kindOfUrl(url, row, baseForPushes(deps.config, row));
}

function kindOfUrl(url: string, { id, webhook_mode, disabled }: BotRow, publicUrl: string | null): Kind {
  const isPushed = webhook_mode && !disabled;
  if (url === '') return isPushed ? 'absent' : 'right';
  if (publicUrl === null || !url.startsWith(`${publicUrl}/telegram/`)) return disabled ? 'right' : 'foreign';
  if (url !== `${publicUrl}/telegram/${id}`) return 'elsewhere';
  return isPushed ? 'right' : 'orphaned';
}
