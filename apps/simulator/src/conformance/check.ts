/** Registers a test of one platform behaviour, unless `otherwise` lists its title. */
export type Check = (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
