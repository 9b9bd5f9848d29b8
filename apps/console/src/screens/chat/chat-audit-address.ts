import { given, readId } from '../../parts/filters.tsx';

export type ChatAuditAddress = { open?: string };

export function readChatAuditAddress(search: Record<string, unknown>): ChatAuditAddress {
  return given({ open: readId(search.open) });
}
