import { readText } from '../messages/read-text.ts';
import type { Call } from './call.ts';
import { send } from './send.ts';

export function sendMessage(call: Call): Promise<unknown> {
  return send(call, 'can_send_messages', () => readText(call.params));
}
