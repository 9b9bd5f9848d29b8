import type { FleetProcess } from './fleet-process.ts';

/** A metric's value in one process: the sum over the series that carry these labels; undefined when there is none. */
export async function readMetric(
  process: Pick<FleetProcess, 'metricsPort'>,
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const response = await fetch(`http://127.0.0.1:${process.metricsPort}/metrics`);
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const values = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
