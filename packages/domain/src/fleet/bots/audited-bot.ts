import { describeChanges, describeNew, type Shown } from '../../people/audit/describe-changes.ts';
import type { Bot } from './bot.ts';
import { maskedBackendUrl } from './masked-backend-url.ts';

/** Describes a change of a bot for the audit log; '' if nothing changed. */
export function describeBotChanges(before: Bot, after: Bot): string {
  return describeChanges(auditedFields(before), auditedFields(after), SHOWN);
}

/** Describes the settings of a new bot for the audit log. */
export function describeNewBot(bot: Bot): string {
  return describeNew(auditedFields(bot), SHOWN);
}

/** The names are those of the REST interface. */
function auditedFields(bot: Bot) {
  return {
    name: bot.name,
    username: bot.username,
    token: bot.token,
    manage_enabled: bot.manageEnabled,
    proxy_enabled: bot.proxyEnabled,
    backend_url: bot.backendUrl === '' ? '' : { url: bot.backendUrl, shown: maskedBackendUrl(bot) },
    secret_token: bot.secretToken,
    certificate: bot.backendCertificate,
    ip_address: bot.backendIpAddress,
    long_poll_enabled: bot.longPollEnabled,
    webhook_mode: bot.webhookMode,
    description: bot.description,
    max_connections: bot.maxConnections,
    silent_after_s: bot.silentAfterS,
    flood: bot.flood,
    pace: bot.pace,
    allowed_updates: bot.allowedUpdates,
  };
}

const SHOWN: Shown<ReturnType<typeof auditedFields>> = {
  token: 'hidden',
  secret_token: 'hidden',
  certificate: 'hidden',
  backend_url: (url) => JSON.stringify(typeof url === 'string' ? url : url.shown),
};
