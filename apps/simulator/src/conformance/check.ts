/** Registers one test of what the platform does, unless the target does that otherwise. */
export type Check = (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
