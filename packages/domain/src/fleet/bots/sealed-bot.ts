import { configKeys } from '@flotilla/redis/keys.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { Bot } from './bot.ts';

/** The columns with a bot's secrets. '' means that it has none. */
export type SealedColumns = {
  token_sealed: string;
  secret_token_sealed: string;
  backend_url_sealed: string;
};

type Secrets = Pick<Bot, 'token' | 'secret_token' | 'backend_url'>;

/** The place that each sealed text is bound to. Stored texts depend on these names: never change them. */
export const SEALED_PLACES = {
  token: (botId: number) => `bots.token_sealed.${botId}`,
  secretToken: (botId: number) => `bots.secret_token_sealed.${botId}`,
  backendUrl: (botId: number) => `bots.backend_url_sealed.${botId}`,
  signing: (botId: number) => `bots.signing_sealed.${botId}`,
  template: (botId: number) => `bots.template_sealed.${botId}`,
  programUrl: (programId: number) => `programs.backend_url_sealed.${programId}`,
  programSecret: (programId: number) => `programs.secret_token_sealed.${programId}`,
  programSigning: (programId: number) => `programs.signing_sealed.${programId}`,
  sinkUrl: (sinkId: number) => `event_sinks.url_sealed.${sinkId}`,
  sinkSigning: (sinkId: number) => `event_sinks.signing_sealed.${sinkId}`,
  mirrored: (botId: number, revision: number) => `${configKeys.bots}.${botId}.${revision}`,
} as const;

/** The columns that these secrets set. Absent secrets keep their value. */
export function sealColumns(
  secrets: SecretBox,
  botId: number,
  { token, secret_token, backend_url }: { [Name in keyof Secrets]?: string | undefined },
): Partial<SealedColumns> {
  const seal = (plain: string, place: string) => (plain === '' ? '' : secrets.seal(plain, place));
  const columns: Partial<SealedColumns> = {};
  if (token !== undefined) columns.token_sealed = seal(token, SEALED_PLACES.token(botId));
  if (secret_token !== undefined) columns.secret_token_sealed = seal(secret_token, SEALED_PLACES.secretToken(botId));
  if (backend_url !== undefined) columns.backend_url_sealed = seal(backend_url, SEALED_PLACES.backendUrl(botId));
  return columns;
}

/** Throws if a text was sealed with an unlisted key, or for another place. */
export function openColumns(secrets: SecretBox, row: SealedColumns & { id: number }): Secrets {
  const open = (sealed: string, place: string) => (sealed === '' ? '' : secrets.open(sealed, place));
  return {
    token: secrets.open(row.token_sealed, SEALED_PLACES.token(row.id)),
    secret_token: open(row.secret_token_sealed, SEALED_PLACES.secretToken(row.id)),
    backend_url: open(row.backend_url_sealed, SEALED_PLACES.backendUrl(row.id)),
  };
}
