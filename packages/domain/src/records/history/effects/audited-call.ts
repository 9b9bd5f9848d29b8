import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { readInteger } from '@flotilla/telegram/platform-fields.ts';
import type { AuditTarget } from '../../../people/audit/audited-action.ts';
import { type CallParams, isTrue, readIdParam, readIdsParam, readJsonParam, readTextParam } from './call-params.ts';

export interface AuditedCall {
  action: AuditAction;
  target: AuditTarget | null;
  details: string;
}

type Reader = (params: CallParams) => AuditedCall;

/** The change of a chat by a successful call, for the audit log; null for a method that changes no chat. */
export function readAuditedCall(method: string, params: CallParams): AuditedCall | null {
  const name = method.toLowerCase();
  return Object.hasOwn(READERS, name) ? (READERS[name]?.(params) ?? null) : null;
}

/**
 * A message that an account sent or edited through the bot. What the bot's programs send is in the history only, with
 * the program: among an entry for each, nobody would find what people did.
 */
export function readAuditedMessage(method: string, result: unknown): AuditedCall | null {
  const name = method.toLowerCase();
  const verb = /^(send|copy|forward|edit)/.exec(name)?.[1];
  const [message] = Array.isArray(result) ? result : [result];
  if (verb === undefined || typeof message !== 'object' || message === null) return null;
  const id = readInteger({ ...message }, 'message_id');
  if (id === null) return null;
  return { action: verb === 'edit' ? 'edit' : 'send', target: target('message', id), details: '' };
}

const GENERAL = 'general topic';

const READERS: Record<string, Reader> = {
  banchatmember: (params) => ofUser('ban', params, withUntil(params, revokes(params))),
  kickchatmember: (params) => ofUser('ban', params, withUntil(params, revokes(params))),
  banchatsenderchat: (params) => ofSenderChat('ban', params),
  unbanchatmember: (params) => ofUser('unban', params),
  unbanchatsenderchat: (params) => ofSenderChat('unban', params),
  restrictchatmember: (params) => ofUser('restrict', params, readRestriction(params)),
  promotechatmember: readPromotion,
  setchatadministratorcustomtitle: (params) => ofUser('title', params, text(params, 'custom_title')),
  setchatmembertag: (params) => ofUser('member_tag', params, text(params, 'tag')),
  approvechatjoinrequest: (params) => ofUser('approve', params),
  declinechatjoinrequest: (params) => ofUser('decline', params),
  pinchatmessage: (params) => ofMessages('pin', params),
  unpinchatmessage: (params) => ofMessages('unpin', params),
  unpinallchatmessages: () => ofChat('unpin_all'),
  unpinallforumtopicmessages: (params) => ofChat('unpin_all', topic(params)),
  unpinallgeneralforumtopicmessages: () => ofChat('unpin_all', GENERAL),
  deletemessage: (params) => ofMessages('delete', params),
  deletemessages: (params) => ofMessages('delete', params),
  approvesuggestedpost: (params) => ofMessages('approve', params),
  declinesuggestedpost: (params) => ofMessages('decline', params),
  deletebusinessmessages: (params) => ofMessages('delete', params),
  setchattitle: (params) => ofChat('title', text(params, 'title')),
  setchatdescription: (params) => ofChat('description', text(params, 'description')),
  setchatphoto: () => ofChat('photo', 'set'),
  deletechatphoto: () => ofChat('photo', 'removed'),
  setchatpermissions: (params) => ofChat('permissions', permissions(params)),
  setchatstickerset: (params) => ofChat('sticker_set', text(params, 'sticker_set_name')),
  deletechatstickerset: () => ofChat('sticker_set', 'removed'),
  createchatinvitelink: (params) => ofChat('invite_link', joined('created', text(params, 'name'))),
  createchatsubscriptioninvitelink: (params) => ofChat('invite_link', joined('created', text(params, 'name'))),
  editchatinvitelink: (params) => ofChat('invite_link', joined('edited', text(params, 'name'))),
  editchatsubscriptioninvitelink: (params) => ofChat('invite_link', joined('edited', text(params, 'name'))),
  revokechatinvitelink: () => ofChat('invite_link', 'revoked'),
  exportchatinvitelink: () => ofChat('invite_link', 'exported'),
  createforumtopic: (params) => ofChat('topic', joined('created', text(params, 'name'))),
  editforumtopic: (params) => ofChat('topic', joined('edited', topic(params), text(params, 'name'))),
  closeforumtopic: (params) => ofChat('topic', joined('closed', topic(params))),
  reopenforumtopic: (params) => ofChat('topic', joined('reopened', topic(params))),
  deleteforumtopic: (params) => ofChat('topic', joined('deleted', topic(params))),
  editgeneralforumtopic: (params) => ofChat('topic', joined('edited', GENERAL, text(params, 'name'))),
  closegeneralforumtopic: () => ofChat('topic', joined('closed', GENERAL)),
  reopengeneralforumtopic: () => ofChat('topic', joined('reopened', GENERAL)),
  hidegeneralforumtopic: () => ofChat('topic', joined('hidden', GENERAL)),
  unhidegeneralforumtopic: () => ofChat('topic', joined('shown', GENERAL)),
  leavechat: () => ofChat('leave'),
};

// The platform's API demotes by a promotion without rights.
function readPromotion(params: CallParams): AuditedCall {
  const rights = Object.keys(params).filter((name) => /^(can_|is_anonymous$)/.test(name) && isTrue(params, name));
  return ofUser(rights.length === 0 ? 'demote' : 'promote', params, rights.sort().join(', '));
}

function readRestriction(params: CallParams): string {
  return [withUntil(params, ''), permissions(params)].filter((part) => part !== '').join('; ');
}

/** Only what members may do; the platform takes all else from them. */
function permissions(params: CallParams): string {
  const given = readJsonParam(params, 'permissions');
  const rights = Object.entries(given ?? {}).filter(([name, allowed]) => name.startsWith('can_') && allowed === true);
  return `permissions: ${
    rights
      .map(([name]) => name)
      .sort()
      .join(', ') || 'none'
  }`;
}

function ofUser(action: AuditAction, params: CallParams, details = ''): AuditedCall {
  return { action, target: target('user', readIdParam(params, 'user_id')), details };
}

function ofSenderChat(action: AuditAction, params: CallParams): AuditedCall {
  return { action, target: target('user', readIdParam(params, 'sender_chat_id')), details: 'sender chat' };
}

function ofChat(action: AuditAction, details = ''): AuditedCall {
  return { action, target: null, details };
}

function ofMessages(action: AuditAction, params: CallParams): AuditedCall {
  const one = readIdParam(params, 'message_id');
  const ids = one === null ? readIdsParam(params, 'message_ids') : [one];
  // Only the newest pinned message need not be named.
  const unnamed = action === 'unpin' ? 'newest message' : '';
  const details = ids.length === 0 ? unnamed : `message ${ids.join(', ')}`;
  return { action, target: target('message', ids[0] ?? null), details };
}

function target(kind: 'user' | 'message', id: number | null): AuditedCall['target'] {
  return id === null ? null : { kind, id };
}

function withUntil(params: CallParams, details: string): string {
  const untilS = readIdParam(params, 'until_date') ?? 0;
  // Date covers 8.64e12 s either way; a date beyond it is as good as for ever.
  const until = untilS > 0 && untilS < 8.64e12 ? `until ${new Date(untilS * 1000).toISOString()}` : '';
  return joined(until, details);
}

function revokes(params: CallParams): string {
  return isTrue(params, 'revoke_messages') ? 'messages removed' : '';
}

function topic(params: CallParams): string {
  const id = readIdParam(params, 'message_thread_id');
  return id === null ? '' : `topic ${id}`;
}

function text(params: CallParams, name: string): string {
  return readTextParam(params, name) ?? '';
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}
