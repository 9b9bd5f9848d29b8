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
  /** What the values are, for the axis: 'updates a minute'. */
  unit: string;
  /** Counts add up over time, levels do not. */
  of?: 'counts' | 'level';
  draw?: 'lines' | 'bars';
  /** The last step is not over: its value still grows, so no line leads there. */
  isRunning?: boolean;
  heightPx?: number;
};

const AXIS_PX = 44;
const [DIGIT_PX, TICK_GAP_PX] = [7.5, 14];
const UNIT_PX = 18;
const TIMES_PX = 28;
const TICK_PX = 64;
/** Of the lowest chart, the axis still has a second value. */
const ROW_PX = 20;
/** Steps of the counts: there is no half update. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Lines over time, with the values under the pointer or, by arrow keys, of any moment; else their sums, or the last level. */
export function Chart(props: ChartProps): ReactNode {
  const { label, at, series, unit, of = 'counts', draw = 'lines', isRunning = false, heightPx = 200 } = props;
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
      options(place.current!, { heightPx, series, unit, draw, isRunning }, words.language, setPointed),
      data(at, series, isRunning),
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
  }, [theme, isDark, names, words.language, unit, draw, isRunning]);
  useEffect(() => plot.current?.setData(data(at, series, isRunning)), [at, series, isRunning]);
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
        <span className="chart-moment">
          {moment == null ? wholeName : momentOf(moment, words.language)}
          {isRunning && pointed === at.length - 1 && ` · ${words.chart.running}`}
        </span>
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

/** Of a step that is not over, the values are points of series of their own. */
function data(at: readonly number[], series: readonly Series[], isRunning: boolean): Plot.AlignedData {
  const values = series.map((one) => [...one.values]);
  if (!isRunning) return [[...at], ...values];
  const running = values.map((known) => known.map((value, index) => (index === at.length - 1 ? value : null)));
  return [[...at], ...values.map((known) => [...known.slice(0, -1), null]), ...running];
}

function options(
  place: HTMLElement,
  shown: Required<Pick<ChartProps, 'heightPx' | 'series' | 'unit' | 'draw' | 'isRunning'>>,
  language: string,
  point: (at: number | null) => void,
): Plot.Options {
  const { heightPx: height, series, unit, draw, isRunning } = shown;
  const [ink, grid, ground] = [colorOf(place, '--muted'), colorOf(place, '--line'), colorOf(place, '--surface')];
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const axis = {
    font,
    labelFont: font,
    stroke: ink,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1, size: 4 },
  };
  const short = new Intl.NumberFormat(language, { notation: 'compact' });
  return {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: {
        range: (plot, first, end) => [first - halfStep(plot, draw), end + halfStep(plot, isRunning ? 'bars' : draw)],
      },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...{ ...axis, size: TIMES_PX, ...(draw === 'bars' ? { splits: barTicks } : {}) },
        values: (_plot, moments) => moments.map((moment) => tickOf(moment, language)),
      },
      {
        ...{ ...axis, size: widthOf, incrs: STEPS, space: ROW_PX, label: unit, labelSize: UNIT_PX, labelGap: 0 },
        values: (_plot, counts) => counts.map((count) => short.format(count)),
      },
    ],
    series: [
      {},
      ...series.map(({ color }) => {
        const stroke = colorOf(place, color);
        if (draw === 'bars') return { stroke, fill: stroke, width: 0, paths: BARS, points: { show: false } };
        return { stroke, width: 1.5, points: { show: false, filter: lonely, size: 4, fill: stroke } };
      }),
      ...(isRunning ? series : []).map(({ color }) => {
        const stroke = colorOf(place, color);
        if (draw === 'bars') return { stroke, fill: ground, width: 1.5, paths: BARS, points: { show: false } };
        return { stroke, width: 0, points: { show: true, size: 7, width: 1.5, stroke, fill: ground } };
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => point(cursor.idx ?? null)],
      drawClear: isRunning ? [(plot) => shadeRunning(plot, grid)] : [],
    },
  };
}

/** The axis of counts is as wide as its longest value: 500M, 1,2 тыс. */
function widthOf(_plot: Plot, values: readonly string[] | null): number {
  const longest = Math.max(0, ...(values ?? []).map(({ length }) => length));
  return Math.max(AXIS_PX, longest * DIGIT_PX + TICK_GAP_PX);
}

const BARS = Plot.paths.bars!({ size: [0.7, 48] });

/** Below the bars, as many as have room. */
function barTicks({ data: [at], width }: Plot): number[] {
  const step = Math.max(1, Math.ceil((at.length * TICK_PX) / width));
  return [...at].filter((_, index) => (at.length - 1 - index) % step === 0);
}

function halfStep({ data: [at] }: Plot, draw: 'lines' | 'bars'): number {
  return draw === 'bars' && at.length > 1 ? (at[1]! - at[0]!) / 2 : 0;
}

/** Shades the step that is not over. */
function shadeRunning(plot: Plot, color: string): void {
  const { ctx, bbox } = plot;
  const last = plot.data[0].at(-1);
  if (last === undefined) return;
  const from = plot.valToPos(last - halfStep(plot, 'bars'), 'x', true);
  ctx.save();
  ctx.globalAlpha = 0.4;
  ctx.fillStyle = color;
  ctx.fillRect(from, bbox.top, bbox.left + bbox.width - from, bbox.height);
  ctx.restore();
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
