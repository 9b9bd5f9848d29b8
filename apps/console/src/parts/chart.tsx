import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePreferences } from '../preferences.tsx';
import { useWords } from '../words/words.tsx';
import { useMedia } from './media.ts';
import { useNumber } from './time.tsx';

/** A line of the chart in a colour of the theme. A value is null where it is not known. */
export type Series = {
  name: string;
  color: string;
  values: readonly (number | null)[];
  /** Beside bars that are stacked: a line of its own. */
  isLine?: boolean;
};
/** A moment at which something began. */
export type Mark = { at: number; name: string };
type ChartProps = {
  label: string;
  /** Unix seconds. */
  at: readonly number[];
  series: readonly Series[];
  /** What the values are, for the axis: 'updates a minute'. */
  unit: string;
  /** Counts add up over time, levels do not. */
  of?: 'counts' | 'level';
  draw?: 'lines' | 'bars' | 'stacked';
  /** Charts with the same one stand below each other: their times and their crosshair agree. */
  together?: string | undefined;
  marks?: readonly Mark[];
  /** The last step is not over: its value still grows, so no line leads there. */
  isRunning?: boolean;
  heightPx?: number;
};

const AXIS_PX = 44;
const TOGETHER_PX = 56;
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
  const { together, marks = NO_MARKS } = props;
  const marked = useRef(marks);
  marked.current = marks;
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
      options(
        place.current!,
        { heightPx, series, unit, draw, isRunning, together, marked },
        words.language,
        setPointed,
      ),
      data(at, drawnOf(series, draw), isRunning),
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks are drawn with the data
  useEffect(
    () => plot.current?.setData(data(at, drawnOf(series, draw), isRunning)),
    [at, series, draw, isRunning, marks],
  );
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
          {pointed !== null &&
            marksAt(marks, at, pointed).map(({ at: began, name }) => ` · ${name} ${tickOf(began, words.language)}`)}
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

const NO_MARKS: readonly Mark[] = [];

/** The marks within a step. */
function marksAt(marks: readonly Mark[], at: readonly number[], index: number): readonly Mark[] {
  const [from, to] = [at[index]!, at[index + 1] ?? Number.POSITIVE_INFINITY];
  return marks.filter((mark) => mark.at >= from && mark.at < to);
}

/** Stacked bars are drawn from the highest sum down, each over the one before; then the lines. */
function drawnOf(series: readonly Series[], draw: NonNullable<ChartProps['draw']>): readonly Series[] {
  if (draw !== 'stacked') return series;
  const sums: (number | null)[][] = [];
  const bars = series.filter(({ isLine }) => !isLine);
  for (const { values } of bars) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  const stacked = bars.map((one, index) => ({ ...one, values: sums[index]! })).reverse();
  return [...stacked, ...series.filter(({ isLine }) => isLine)];
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
  shown: Required<Pick<ChartProps, 'heightPx' | 'series' | 'unit' | 'draw' | 'isRunning'>> & {
    together: string | undefined;
    marked: { readonly current: readonly Mark[] };
  },
  language: string,
  point: (at: number | null) => void,
): Plot.Options {
  const { heightPx: height, unit, draw, isRunning, together, marked } = shown;
  const series = drawnOf(shown.series, draw);
  const isBar = ({ isLine }: Series) => draw !== 'lines' && !isLine;
  const pads = draw === 'lines' && together === undefined ? 'lines' : 'bars';
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
    cursor: {
      ...{ y: false, drag: { x: false, y: false }, points: { size: 6 } },
      ...(together === undefined ? {} : { sync: { key: together } }),
    },
    scales: {
      x: {
        range: (plot, first, end) => [first - halfStep(plot, pads), end + halfStep(plot, isRunning ? 'bars' : pads)],
      },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...{ ...axis, size: TIMES_PX, ...(draw === 'bars' ? { splits: barTicks } : {}) },
        values: (_plot, moments) => moments.map((moment) => tickOf(moment, language)),
      },
      {
        ...{
          ...axis,
          size: together === undefined ? widthOf : TOGETHER_PX,
          incrs: STEPS,
          space: ROW_PX,
          label: unit,
          labelSize: UNIT_PX,
          labelGap: 0,
        },
        values: (_plot, counts) => counts.map((count) => short.format(count)),
      },
    ],
    series: [
      {},
      ...series.map((one) => {
        const stroke = colorOf(place, one.color);
        if (isBar(one)) return { stroke, fill: stroke, width: 0, paths: BARS, points: { show: false } };
        return { stroke, width: 1.5, points: { show: false, filter: lonely, size: 4, fill: stroke } };
      }),
      ...(isRunning ? series : []).map((one) => {
        const stroke = colorOf(place, one.color);
        if (isBar(one)) return { stroke, fill: ground, width: 1.5, paths: BARS, points: { show: false } };
        return { stroke, width: 0, points: { show: true, size: 7, width: 1.5, stroke, fill: ground } };
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => point(cursor.idx ?? null)],
      drawClear: isRunning ? [(plot) => shadeRunning(plot, grid)] : [],
      draw: [(plot) => drawMarks(plot, marked.current, colorOf(place, '--bad'))],
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

function halfStep({ data: [at] }: Plot, draw: NonNullable<ChartProps['draw']>): number {
  return draw !== 'lines' && at.length > 1 ? (at[1]! - at[0]!) / 2 : 0;
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

/** A dashed line with a triangle at its top where an incident began. */
function drawMarks(plot: Plot, marks: readonly Mark[], color: string): void {
  const { ctx, bbox } = plot;
  const [first = 0, last = 0] = [plot.data[0][0], plot.data[0].at(-1)];
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.setLineDash([size / 2, size / 2]);
  for (const { at } of marks) {
    if (at < first || at > last + halfStep(plot, 'bars')) continue;
    const x = plot.valToPos(at, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + 1.5 * size);
    ctx.fill();
  }
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
