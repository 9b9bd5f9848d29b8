import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { ActiveProgram, StoredProgram } from './active-program.ts';
import type { Bot, BotChanges } from './bot.ts';
import type { BotRow } from './bot-store.ts';
import { openColumns, SEALED_PLACES, sealColumns } from './sealed-bot.ts';
import { openSigning } from './signing.ts';

/** Decrypts a stored row. Throws if its secrets were sealed with an unlisted key or for another row. */
export function botFromRow(secrets: SecretBox, row: BotRow): Bot {
  return {
    id: row.id,
    telegramId: row.telegram_id,
    ...openColumns(secrets, row),
    tokenHash: row.token_hash,
    name: row.name,
    username: row.username,
    source: row.source,
    manageEnabled: row.manage_enabled,
    proxyEnabled: row.proxy_enabled,
    longPollEnabled: row.long_poll_enabled,
    webhookMode: row.webhook_mode,
    disabled: row.disabled,
    backendCertificate: row.backend_certificate,
    backendIpAddress: row.backend_ip_address,
    signing: openSigning(secrets, row.signing_sealed, SEALED_PLACES.signing(row.id)),
    description: row.description,
    maxConnections: row.max_connections,
    silentAfterS: row.silent_after_s,
    flood: row.flood,
    pace: row.pace,
    allowedUpdates: row.allowed_updates === null ? null : (JSON.parse(row.allowed_updates) as string[]),
    namedKinds: row.named_kinds,
    rules: row.rules,
    routedTo: row.routed_to,
    asks: row.asks,
    programs: row.programs.map((program) => openProgram(secrets, program)),
    registrationId: row.registration_id,
    revision: row.revision,
    reservedUpdateId: row.reserved_update_id,
    createdAt: row.created_at,
  };
}

function openProgram(
  secrets: SecretBox,
  { backendUrlSealed, secretTokenSealed, signingSealed, ...program }: StoredProgram,
): ActiveProgram {
  const open = (sealed: string, place: string) => (sealed === '' ? '' : secrets.open(sealed, place));
  return {
    ...program,
    backendUrl: open(backendUrlSealed, SEALED_PLACES.programUrl(program.id)),
    secretToken: open(secretTokenSealed, SEALED_PLACES.programSecret(program.id)),
    signing: openSigning(secrets, signingSealed, SEALED_PLACES.programSigning(program.id)),
  };
}

/** The columns that these changes set. Secrets are sealed for the bot's row. */
export function rowFromChanges(secrets: SecretBox, botId: number, changes: BotChanges) {
  const { token, allowedUpdates } = changes;
  return {
    ...present('name', changes.name),
    ...present('username', changes.username),
    ...present('manage_enabled', changes.manageEnabled),
    ...present('proxy_enabled', changes.proxyEnabled),
    ...present('long_poll_enabled', changes.longPollEnabled),
    ...present('webhook_mode', changes.webhookMode),
    ...present('disabled', changes.disabled),
    ...present('backend_certificate', changes.backendCertificate),
    ...present('backend_ip_address', changes.backendIpAddress),
    ...present('description', changes.description),
    ...present('max_connections', changes.maxConnections),
    ...present('silent_after_s', changes.silentAfterS),
    ...present('flood', changes.flood),
    ...present('pace', changes.pace),
    ...(allowedUpdates === undefined
      ? {}
      : { allowed_updates: allowedUpdates === null ? null : JSON.stringify(allowedUpdates) }),
    ...sealColumns(secrets, botId, changes),
    ...(token === undefined ? {} : { token_hash: sha256Hex(token) }),
  };
}

function present<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V });
}
