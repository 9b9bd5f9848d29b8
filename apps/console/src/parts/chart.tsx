import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePreferences } from '../preferences.tsx';
import { useWords } from '../words/words.tsx';
import {
  BARS,
  barTicks,
  colorOf,
  type Drawn,
  data,
  drawMarks,
  drawnOf,
  halfStep,
  last,
  lonely,
  type Mark,
  momentOf,
  type Series,
  shadeRunning,
  tickOf,
  widthOf,
} from './chart-drawing.ts';
import { useMedia } from './media.ts';
import { useNumber } from './time.tsx';

type ChartProps = {
  label: string;
  /** Unix seconds. */
  at: readonly number[];
  series: readonly Series[];
  /** The unit, for the axis: 'updates a minute'. */
  unit: string;
  /** Counts add up over time, levels do not. */
  of?: 'counts' | 'level';
  draw?: Drawn;
  /** Charts with the same one stand below each other: their times and their crosshair agree. */
  together?: string | undefined;
  marks?: readonly Mark[];
  /** The last step is not over: its value still grows, so no line leads there. */
  isRunning?: boolean;
  heightPx?: number;
};

const TOGETHER_PX = 56;

const UNIT_PX = 18;

const TIMES_PX = 28;

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

const NO_MARKS: readonly Mark[] = [];

/** The marks within a step. */
function marksAt(marks: readonly Mark[], at: readonly number[], index: number): readonly Mark[] {
  const [from, to] = [at[index]!, at[index + 1] ?? Number.POSITIVE_INFINITY];
  return marks.filter((mark) => mark.at >= from && mark.at < to);
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
