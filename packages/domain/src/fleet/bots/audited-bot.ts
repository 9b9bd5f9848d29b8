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
    manage_enabled: bot.manage_enabled,
    proxy_enabled: bot.proxy_enabled,
    backend_url: bot.backend_url === '' ? '' : { url: bot.backend_url, shown: maskedBackendUrl(bot) },
    secret_token: bot.secret_token,
    certificate: bot.backend_certificate,
    ip_address: bot.backend_ip_address,
    long_poll_enabled: bot.long_poll_enabled,
    webhook_mode: bot.webhook_mode,
    description: bot.description,
    max_connections: bot.max_connections,
    silent_after_s: bot.silent_after_s,
    flood: bot.flood,
    pace: bot.pace,
    allowed_updates: bot.allowed_updates,
  };
}

const SHOWN: Shown<ReturnType<typeof auditedFields>> = {
  token: 'hidden',
  secret_token: 'hidden',
  certificate: 'hidden',
  backend_url: (url) => JSON.stringify(typeof url === 'string' ? url : url.shown),
};
