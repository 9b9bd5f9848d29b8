/** The program that took an update alone, by the mark of its entry in the log; 0: nobody gets it. Null: others get it. */
export function ownerOf(mark: string): number | null {
  const [, owner] = /^=(\d+)$/.exec(mark) ?? [];
  return owner === undefined ? null : Number(owner);
}

/** Whether a program gets an update with this mark (packages/redis/src/scripts/lib/log.lua). */
export function isMarkedFor(mark: string, programId: number): boolean {
  const owner = ownerOf(mark);
  return owner === null ? !mark.includes(`,${programId},`) : owner === programId;
}
