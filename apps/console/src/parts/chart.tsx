import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePreferences } from '../preferences.tsx';
import { useWords } from '../words/words.tsx';
import { useMedia } from './media.ts';
import { useNumber } from './time.tsx';

/** A line of the chart in a colour of the theme. A value is null where it is not known. */
export type Series = { name: string; color: string; values: readonly (number | null)[] };
type ChartProps = {
  label: string;
  /** Unix seconds. */
  at: readonly number[];
  series: readonly Series[];
  /** Counts add up over time, levels do not. */
  of?: 'counts' | 'level';
  heightPx?: number;
};

const AXIS_PX = 44;
const TIMES_PX = 28;
/** Steps of the counts: there is no half update. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Lines over time, with the values under the pointer or, by arrow keys, of any moment; else their sums, or the last level. */
export function Chart({ label, at, series, of = 'counts', heightPx = 200 }: ChartProps): ReactNode {
  const words = useWords();
  const number = useNumber();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const { theme } = usePreferences();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const names = series.map(({ name }) => name).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: new data goes into the same plot; a theme draws it anew
  useEffect(() => {
    const made = new Plot(
      options(place.current!, heightPx, series, words.language, setPointed),
      data(at, series),
      place.current!,
    );
    plot.current = made;
    const resized = new ResizeObserver(([entry]) =>
      made.setSize({ width: entry!.contentRect.width, height: heightPx }),
    );
    resized.observe(place.current!);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [theme, isDark, names, words.language]);
  useEffect(() => plot.current?.setData(data(at, series)), [at, series]);
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || plot.current === null) return;
    event.preventDefault();
    const next = Math.min(at.length - 1, Math.max(0, (pointed ?? at.length) + step));
    plot.current.setCursor({ left: plot.current.valToPos(at[next]!, 'x'), top: 0 });
  };
  const whole = of === 'counts' ? sum : last;
  const moment = pointed === null ? null : at[pointed];
  const say = of === 'counts' ? words.chart.line : words.chart.level;
  const summary = series.map(({ name, values }) =>
    say(name, number(whole(values)), number(Math.max(0, ...values.map((value) => value ?? 0)))),
  );
  const shown = (value: number | null | undefined) => (value == null ? '–' : number(value));
  const wholeName = of === 'counts' ? words.chart.total : words.chart.last;
  return (
    <figure className="chart">
      <figcaption>
        <span className="chart-moment">{moment == null ? wholeName : momentOf(moment, words.language)}</span>
        <ul>
          {series.map(({ name, color, values }) => (
            <li key={name}>
              <svg viewBox="0 0 12 4" aria-hidden="true" style={{ color: `var(${color})` }}>
                <path d="M0 2h12" />
              </svg>
              {name} <b>{shown(pointed === null ? whole(values) : values[pointed])}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move over the moments */}
      <div ref={place} role="img" tabIndex={0} aria-label={`${label}. ${summary.join(' ')}`} onKeyDown={steer} />
    </figure>
  );
}

function sum(values: Series['values']): number {
  return values.reduce<number>((all, value) => all + (value ?? 0), 0);
}

function last(values: Series['values']): number {
  return values.findLast((value) => value !== null) ?? 0;
}

function data(at: readonly number[], series: readonly Series[]): Plot.AlignedData {
  return [[...at], ...series.map(({ values }) => [...values])];
}

function options(
  place: HTMLElement,
  height: number,
  series: readonly Series[],
  language: string,
  point: (at: number | null) => void,
): Plot.Options {
  const [ink, grid] = [colorOf(place, '--muted'), colorOf(place, '--line')];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 } };
  const short = new Intl.NumberFormat(language, { notation: 'compact' });
  return {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, size: TIMES_PX, values: (_plot, moments) => moments.map((moment) => tickOf(moment, language)) },
      { ...axis, size: AXIS_PX, incrs: STEPS, values: (_plot, counts) => counts.map((count) => short.format(count)) },
    ],
    series: [
      {},
      ...series.map(({ color }) => {
        const stroke = colorOf(place, color);
        return { stroke, width: 1.5, points: { show: false, filter: lonely, size: 4, fill: stroke } };
      }),
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  };
}

/** A value without neighbours is no line: it gets a point. */
function lonely({ data }: Plot, series: number): number[] {
  const values = data[series]!;
  return [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null);
}

/** A canvas knows no variables: the browser says what the colour is in this theme. */
function colorOf(place: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function tickOf(seconds: number, language: string): string {
  const at = new Date(seconds * 1_000);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  const form = isMidnight
    ? ({ day: 'numeric', month: 'short' } as const)
    : ({ timeStyle: 'short', hourCycle: 'h23' } as const);
  return new Intl.DateTimeFormat(language, form).format(at);
}

function momentOf(seconds: number, language: string): string {
  const form = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(language, form).format(new Date(seconds * 1_000));
}
