import { linkOptions } from '@tanstack/react-router';

/** The search of the address of a conversation in the inbox, or of a message there. */
export function searchOf({ connection, around }: { connection?: string | undefined; around?: number | undefined }) {
  return {
    ...(connection === undefined ? {} : { connection }),
    ...(around === undefined ? {} : { around: String(around) }),
  };
}

type Chat = { bot_id: number; id: number; business_connection_id?: string | undefined };

/** The address of a conversation in the inbox. */
export function linkToInbox({ bot_id, id, business_connection_id: connection }: Chat) {
  const params = { botId: String(bot_id), chatId: String(id) };
  return linkOptions({ to: '/inbox/$botId/$chatId', params, search: searchOf({ connection }) });
}
