export const ROW_KINDS = ['update', 'call', 'attempt'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export type LiveFilter = { bots?: string; kind?: RowKind; chat?: string; q?: string };

export function readLiveFilter({ bots, kind, chat, q }: Record<string, unknown>): LiveFilter {
  const known = ROW_KINDS.find((one) => one === kind);
  return {
    ...(typeof bots === 'string' && /^[1-9]\d*(,[1-9]\d*)*$/.test(bots) ? { bots } : {}),
    ...(known === undefined ? {} : { kind: known }),
    ...(typeof chat === 'string' && /^-?\d+$/.test(chat) ? { chat } : {}),
    ...(typeof q === 'string' && q.trim() !== '' ? { q } : {}),
  };
}
