import { type AccountResource, type accountOperations, accountResource } from '@flotilla/contract/accounts.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import { accountStore } from '@flotilla/domain/people/accounts/account-store.ts';
import { addAccount } from '@flotilla/domain/people/accounts/add-account.ts';
import { deleteAccount } from '@flotilla/domain/people/accounts/delete-account.ts';
import { seesAllBots } from '@flotilla/domain/people/accounts/scope.ts';
import { updateAccount } from '@flotilla/domain/people/accounts/update-account.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Response } from 'express';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { okWithTokens } from '../present/ok-with-tokens.ts';

export const accountHandlers: Handlers<typeof accountOperations> = {
  async listAccounts(context, { input }) {
    const { limit, offset } = input;
    const [afterId = null] = decodeCursor(input.before, ['id']) ?? [];
    const accounts = accountStore(context.db);
    const [rows, total] = await Promise.all([accounts.list({ limit: limit + 1, offset, afterId }), accounts.count()]);
    return cutPage(rows.map(presentAccount), limit, total, (account) => [account.id]);
  },

  async showAccount(context, { input, response }) {
    const account = await accountStore(context.db).findById(input.id);
    if (account === null) throw new FlotillaError('not_found', 'Account not found');
    return presentTagged(context, response, account);
  },

  async addAccount(context, { input, by, response }) {
    for (const id of input.bot_ids ?? []) requireBot(context, id);
    const identity = identityOf(context, input.oidc_subject);
    return presentTagged(context, response, await addAccount(context, by, { ...input, ...identity }));
  },

  async updateAccount(context, { input, caller, by, request, response }) {
    const { id, password: text, ...fields } = input;
    for (const botId of fields.bot_ids ?? []) requireBot(context, botId);
    const password = text === undefined ? undefined : { text, mustChange: id !== caller.account.id };
    const identity = fields.oidc_subject === undefined ? {} : identityOf(context, fields.oidc_subject);
    const check = matchOf(context, { request }, versionOf);
    const changes = { ...fields, ...identity, password, check };
    return presentTagged(context, response, await updateAccount(context, by, id, changes));
  },

  async deleteAccount(context, { input, by, request }) {
    return okWithTokens(await deleteAccount(context, by, input.id, matchOf(context, { request }, versionOf)));
  },

  async resetPassword(context, { input, caller, by }) {
    const mustChange = input.must_change_password ?? input.id !== caller.account.id;
    const password = { text: input.password, mustChange };
    const changes = { password, revoke_keys: input.revoke_keys };
    await updateAccount(context, by, input.id, changes, 'password_reset');
    return OK;
  },
};

/** The subject is one of the provider that the settings name. */
function identityOf({ config }: Context, subject: string | null): { oidc_issuer: string | null } {
  if (subject === null) return { oidc_issuer: null };
  const { oidc } = config.signIn;
  if (oidc === null) throw refusedInput('oidc_subject', 'needs the setting OIDC_ISSUER');
  return { oidc_issuer: oidc.issuer };
}

function versionOf(account: Account): Version {
  const bot_ids = account.all_bots ? null : [...account.bot_ids].sort((one, other) => one - other);
  return { kind: 'account', id: account.id, fields: settable(accountResource, { ...account, bot_ids }) };
}

function presentTagged(context: Context, response: Response, account: Account): AccountResource {
  tagAnswer(context, { response }, versionOf(account));
  return presentAccount(account);
}

export function presentAccount(account: Account): AccountResource {
  return answerOf(accountResource, { ...account, bot_ids: seesAllBots(account) ? null : [...account.bot_ids] });
}
