/** Runs one numbered item of the checklist, unless it is skipped for this target. */
export type ItemTest = (item: number, title: string, body: () => Promise<void>, timeoutMs?: number) => void;
