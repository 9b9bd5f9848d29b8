export type Row = { what: string; figure: string; target?: string };

/** Prints the figures of one subject as aligned lines, each with its target where there is one. */
export function report(subject: string, rows: Row[]): void {
  const width = Math.max(...rows.map((row) => row.what.length));
  process.stdout.write(`\n${subject}\n`);
  for (const { what, figure, target } of rows) {
    process.stdout.write(`  ${what.padEnd(width)}  ${figure}${target ? `   (target ${target})` : ''}\n`);
  }
}

export const perSecond = (count: number): string => `${Math.round(count).toLocaleString('en')}/s`;
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
export const ratio = (value: number): string => value.toFixed(2);
