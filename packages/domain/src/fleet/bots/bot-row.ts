import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { ActiveProgram, StoredProgram } from './active-program.ts';
import type { Bot, BotChanges } from './bot.ts';
import type { BotRow } from './bot-store.ts';
import { fromFormerNames, toFormerNames } from './former-names.ts';
import { openColumns, SEALED_PLACES, sealColumns } from './sealed-bot.ts';
import { openSigning } from './signing.ts';
import { openTemplate, sealTemplate } from './template.ts';

type StoredPace = BotRow['pace'];

/** The bot of a row. Throws if its secrets were sealed with an unlisted key or for another row. */
export function openBot(secrets: SecretBox, stored: BotRow): Bot {
  const { token_sealed, secret_token_sealed, backend_url_sealed, signing_sealed, template_sealed, ...others } = stored;
  const { cursor_changes: _, ...row } = others;
  return {
    ...row,
    ...openColumns(secrets, { id: row.id, token_sealed, secret_token_sealed, backend_url_sealed }),
    signing: openSigning(secrets, signing_sealed, SEALED_PLACES.signing(row.id)),
    template: openTemplate(secrets, row.id, template_sealed),
    pace: fromFormerNames(row.pace),
    allowed_updates: row.allowed_updates === null ? null : (JSON.parse(row.allowed_updates) as string[]),
    programs: row.programs.map((program) => openProgram(secrets, program)),
  };
}

function openProgram(
  secrets: SecretBox,
  { backend_url_sealed, secret_token_sealed, signing_sealed, ...program }: StoredProgram,
): ActiveProgram {
  const open = (sealed: string, place: string) => (sealed === '' ? '' : secrets.open(sealed, place));
  return {
    ...program,
    backend_url: open(backend_url_sealed, SEALED_PLACES.programUrl(program.id)),
    secret_token: open(secret_token_sealed, SEALED_PLACES.programSecret(program.id)),
    signing: openSigning(secrets, signing_sealed, SEALED_PLACES.programSigning(program.id)),
  };
}

/** The columns that these changes set. Secrets are sealed for the bot's row. */
export function columnsOf(secrets: SecretBox, botId: number, changes: BotChanges) {
  const { token, secret_token, backend_url, allowed_updates, pace, labels, template, ...plain } = changes;
  return {
    ...plain,
    ...(pace !== undefined && { pace: toFormerNames(pace) as StoredPace }),
    ...(labels !== undefined && { labels: JSON.stringify([...new Set(labels)]) }),
    ...(allowed_updates !== undefined && { allowed_updates: allowed_updates && JSON.stringify(allowed_updates) }),
    ...(template !== undefined && { template_sealed: sealTemplate(secrets, botId, template) }),
    ...sealColumns(secrets, botId, { token, secret_token, backend_url }),
    ...(token !== undefined && { token_hash: sha256Hex(token) }),
  };
}
