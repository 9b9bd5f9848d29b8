type Stoppable = { exited: Promise<void>; stop(): Promise<void> };

/** The running parts of the sandbox. They are stopped in reverse order of their start. */
export type Stack = {
  add(stop: () => Promise<void>): void;
  /** Adds a part. If the part ends before it is stopped, the stack reports it, stops the rest and exits with 1. */
  watch(name: string, part: Stoppable, explain?: () => string): void;
  /** Reports progress once the work takes longer than a second. */
  step<T>(doing: string, work: Promise<T>): Promise<T>;
  report(line: string): void;
  stop(): Promise<void>;
};

const QUIET_MS = 1_000;
const STILL_THERE_MS = 5_000;

export function stack(): Stack {
  const stops: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | null = null;

  const stopAll = async () => {
    for (const stop of stops.reverse()) await stop();
  };
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  return {
    add: (stopPart) => void stops.push(stopPart),
    watch: (name, part, explain) => {
      stops.push(part.stop);
      void part.exited.then(async () => {
        if (stopping) return;
        report(explain?.() ?? `The ${name} ended by itself.`);
        await stop();
        process.exit(1);
      });
    },
    step: async (doing, work) => {
      const startedMs = Date.now();
      const first = setTimeout(() => report(`${doing} …`), QUIET_MS);
      const later = setInterval(() => {
        report(`  … still ${doing}, ${Math.round((Date.now() - startedMs) / 1_000)} s`);
      }, STILL_THERE_MS);
      return work.finally(() => {
        clearTimeout(first);
        clearInterval(later);
      });
    },
    report,
    stop,
  };
}
