import { bot as declared } from '@flotilla/contract/bots.ts';
import { settable } from '@flotilla/contract/resource.ts';
import { describeChanges, describeNew, type Shown } from '../../people/audit/describe-changes.ts';
import type { Bot } from './bot.ts';
import { maskedBackendUrl } from './masked-backend-url.ts';
import { maskedTemplate } from './template.ts';

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
  const { name, token, manage_enabled, proxy_enabled, backend_url, secret_token, ...settings } = settable(
    declared,
    bot,
  );
  return {
    name,
    username: bot.username,
    ...{ token, manage_enabled, proxy_enabled },
    backend_url: backend_url === '' ? '' : { url: backend_url, shown: maskedBackendUrl(bot) },
    secret_token,
    certificate: bot.backend_certificate,
    ip_address: bot.backend_ip_address,
    ...settings,
    owner_user_id: bot.owner_user_id,
  };
}

const SHOWN: Shown<ReturnType<typeof auditedFields>> = {
  token: 'hidden',
  secret_token: 'hidden',
  certificate: 'hidden',
  // Audit entries outlive the data of a person.
  owner_user_id: 'hidden',
  template: maskedTemplate,
  backend_url: (url) => (typeof url === 'string' ? url : url.shown),
};
