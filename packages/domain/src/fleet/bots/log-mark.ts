/** The program that took an update alone, by the mark of its entry in the log; 0: nobody gets it. Null: others get it. */
export function ownerOf(mark: string): number | null {
  const [, owner] = /^=(\d+)$/.exec(mark) ?? [];
  return owner === undefined ? null : Number(owner);
}

/** True of an update of a chat that a person had taken over. */
export function isHeldMark(mark: string): boolean {
  return mark.startsWith('h,');
}

/** True if a program gets an update with this mark (packages/redis/src/scripts/lib/log.lua). */
export function isMarkedFor(mark: string, programId: number): boolean {
  const owner = ownerOf(mark);
  return owner === null ? mark.includes(`,${programId},`) === isHeldMark(mark) : owner === programId;
}
