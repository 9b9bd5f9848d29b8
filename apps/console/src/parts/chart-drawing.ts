import Plot from 'uplot';

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

export type Drawn = 'lines' | 'bars' | 'stacked';

const AXIS_PX = 44;

const DIGIT_PX = 7.5;

const TICK_GAP_PX = 14;

const TICK_PX = 64;

export function last(values: Series['values']): number {
  return values.findLast((value) => value !== null) ?? 0;
}

/** Stacked bars are drawn from the highest sum down, each over the one before; then the lines. */
export function drawnOf(series: readonly Series[], draw: Drawn): readonly Series[] {
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
export function data(at: readonly number[], series: readonly Series[], isRunning: boolean): Plot.AlignedData {
  const values = series.map((one) => [...one.values]);
  if (!isRunning) return [[...at], ...values];
  const running = values.map((known) => known.map((value, index) => (index === at.length - 1 ? value : null)));
  return [[...at], ...values.map((known) => [...known.slice(0, -1), null]), ...running];
}

/** The axis of counts is as wide as its longest value: 500M, 1,2 тыс. */
export function widthOf(_plot: Plot, values: readonly string[] | null): number {
  const longest = Math.max(0, ...(values ?? []).map(({ length }) => length));
  return Math.max(AXIS_PX, longest * DIGIT_PX + TICK_GAP_PX);
}

export const BARS = Plot.paths.bars!({ size: [0.7, 48] });

/** Below the bars, as many as have room. */
export function barTicks({ data: [at], width }: Plot): number[] {
  const step = Math.max(1, Math.ceil((at.length * TICK_PX) / width));
  return [...at].filter((_, index) => (at.length - 1 - index) % step === 0);
}

export function halfStep({ data: [at] }: Plot, draw: Drawn): number {
  return draw !== 'lines' && at.length > 1 ? (at[1]! - at[0]!) / 2 : 0;
}

/** Shades the step that is not over. */
export function shadeRunning(plot: Plot, color: string): void {
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
export function drawMarks(plot: Plot, marks: readonly Mark[], color: string): void {
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
export function lonely({ data }: Plot, series: number): number[] {
  const values = data[series]!;
  return [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null);
}

/** A canvas knows no variables: the browser says what the colour is in this theme. */
export function colorOf(place: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function tickOf(seconds: number, language: string): string {
  const at = new Date(seconds * 1_000);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  const form = isMidnight
    ? ({ day: 'numeric', month: 'short' } as const)
    : ({ timeStyle: 'short', hourCycle: 'h23' } as const);
  return new Intl.DateTimeFormat(language, form).format(at);
}

export function momentOf(seconds: number, language: string): string {
  const form = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(language, form).format(new Date(seconds * 1_000));
}
