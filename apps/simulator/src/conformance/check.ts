/** Registers one test of what the platform does, unless the target leaves it out. */
export type Check = (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
