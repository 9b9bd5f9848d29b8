/** Why an update was given up, in one of few words; the reason itself names status codes, hosts and chats. */
export type KindOfReason = 'expired' | 'begun_too_often' | 'refused' | 'unreachable' | 'unstorable';

export function kindOfReason(reader: string, reason: string): KindOfReason {
  if (reason.startsWith('expired before')) return 'expired';
  if (reason.startsWith('its handling was begun')) return 'begun_too_often';
  // What rules could not send names each destination with its own reason.
  if (reader === 'rules') return 'refused';
  return reason.startsWith('Wrong response') ? 'refused' : 'unreachable';
}
