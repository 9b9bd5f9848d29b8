import type { Scene } from './play.ts';

const WIDTH = 960;
const HEIGHT = 400;
const TOP = 96;
const ROW = 66;
const ADA_X = 90;
const HUB_X = 350;
const READER_X = 650;
const WAY_MS = 350;
/** The last picture stays so long before the film begins anew. */
const END_MS = 4_000;

const STYLE = `
  text { font: 15px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
  .title { font-size: 20px; font-weight: 600; } .small { font-size: 13px; fill: #59636e; } .count { font-weight: 600; }
  .box { fill: #f6f8fa; stroke: #d1d9e0; } .dead { fill: #ffebe9; stroke: #cf222e; } .red { fill: #cf222e; font-weight: 600; }
  .dot { fill: #0969da; } .done { fill: #1a7f37; } .way { stroke: #d1d9e0; stroke-dasharray: 3 5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; } .box { fill: #151b23; stroke: #3d444d; }
    .dead { fill: #3c1618; stroke: #f85149; } .red { fill: #f85149; } .dot { fill: #4493f8; } .done { fill: #3fb950; } .way { stroke: #3d444d; }
  }`;

/** Draws the scene as a moving picture that browsers and GitHub play as an image. */
export function draw(scene: Scene): string {
  const { readers, played, killedMs, backMs } = scene;
  const lastMs = Math.max(...played.map(({ answeredMs }) => answeredMs)) + WAY_MS;
  const film = filmOf(lastMs + END_MS);
  const boxes = readers.map((name, reader) => readerBox(name, rowY(reader)));
  const counts = readers.flatMap((_, reader) => countsOf(film, scene, reader));
  const dots = played.map((one) => dotOf(film, scene, one));
  const killed = film.during(
    `<rect class="dead" x="${READER_X}" y="${rowY(0) - 24}" width="270" height="48" rx="8"/>
     <text x="${READER_X + 16}" y="${rowY(0) + 5}" class="red">${readers[0]}, killed</text>`,
    killedMs,
    backMs,
  );
  const captions = [
    film.during(caption('Two agents, a flow and a person share one bot. Each sees what is for it.'), 0, killedMs),
    film.during(caption('One agent is killed (kill -9). Its questions wait, the others go on.'), killedMs, backMs),
    film.during(caption('It is back, and goes on where it was.'), backMs, lastMs),
    film.during(
      caption(`${played.length} questions, ${played.length} answers: none lost, none twice.`),
      lastMs,
      lastMs + END_MS,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Two agents, a flow and a person answer through one bot; one agent is killed and comes back, and every question is answered once">
<style>${STYLE}
${film.styles().join('\n')}
  @media (prefers-reduced-motion: reduce) { svg > g[class] { animation-play-state: paused; animation-delay: -${lastMs + WAY_MS}ms } }</style>
${readers.map((_, reader) => `<path class="way" d="M${HUB_X + 110} ${rowY(reader)}H${READER_X}"/>`).join('\n')}
<path class="way" d="M${ADA_X + 50} ${middle()}H${HUB_X - 90}"/>
<rect class="box" x="${ADA_X - 60}" y="${middle() - 30}" width="110" height="60" rx="8"/><text x="${ADA_X - 5}" y="${middle() + 5}" text-anchor="middle">people</text>
<rect class="box" x="${HUB_X - 90}" y="${TOP - 34}" width="200" height="${ROW * 4 + 2}" rx="12"/><text class="small" x="${HUB_X - 74}" y="${TOP - 14}">Flotilla, one bot</text>
${[...boxes, killed, ...counts, ...dots, ...captions].join('\n')}
</svg>
`;
}

const rowY = (reader: number) => TOP + 24 + reader * ROW;
const middle = () => TOP + ROW * 1.85;
const caption = (text: string) => `<text class="title" x="30" y="40">${text}</text>`;

function readerBox(name: string, y: number): string {
  return `<rect class="box" x="${READER_X}" y="${y - 24}" width="270" height="48" rx="8"/><text x="${READER_X + 16}" y="${y + 5}">${name}</text>`;
}

/** How many answers a reader has given, from one answer to the next. */
function countsOf(film: Film, { played }: Scene, reader: number): string[] {
  const times = played.filter((one) => one.reader === reader).map(({ answeredMs }) => answeredMs);
  times.sort((a, b) => a - b);
  return times.map((ms, index) =>
    film.during(
      `<text class="count" x="${READER_X + 254}" y="${rowY(reader) + 5}" text-anchor="end">${index + 1} ✓</text>`,
      ms,
      times[index + 1] ?? film.lengthMs,
    ),
  );
}

/** A question goes from people to its reader's row, waits there beside those before it, and goes on when it is answered. */
function dotOf(film: Film, { played }: Scene, one: Scene['played'][number]): string {
  const ahead = played.filter(
    (other) => other.reader === one.reader && other.writtenMs < one.writtenMs && other.answeredMs > one.writtenMs,
  ).length;
  const waitX = HUB_X + 84 - ahead * 22;
  return film.move('<circle class="dot" r="8"/>', [
    [one.writtenMs, ADA_X + 50, middle()],
    [one.writtenMs + WAY_MS, waitX, rowY(one.reader)],
    [Math.max(one.answeredMs - WAY_MS, one.writtenMs + WAY_MS), waitX, rowY(one.reader)],
    [Math.max(one.answeredMs, one.writtenMs + 2 * WAY_MS), READER_X, rowY(one.reader)],
  ]);
}

type Film = ReturnType<typeof filmOf>;
type Stop = [ms: number, x: number, y: number];
type Frame = [ms: number, opacity: 0 | 1, at: Stop];

/** Times of the film become percents of one endless animation for each element. */
function filmOf(lengthMs: number) {
  const styles: string[] = [];
  const percent = (ms: number) => `${((100 * ms) / lengthMs).toFixed(3)}%`;
  const add = (text: string, frames: string, timing: string) => {
    const name = `f${styles.length}`;
    styles.push(
      `@keyframes ${name} { ${frames} } .${name} { animation: ${name} ${lengthMs}ms ${timing} infinite; opacity: 0 }`,
    );
    return `<g class="${name}">${text}</g>`;
  };
  return {
    lengthMs,
    styles: () => styles,
    during(text: string, from: number, to: number): string {
      const end = to >= lengthMs ? '' : ` ${percent(to)}, 100% { opacity: 0 }`;
      return add(text, `0% { opacity: 0 } ${percent(from)} { opacity: 1 }${end}`, 'step-end');
    },
    move(text: string, stops: Stop[]): string {
      const [first, last] = [stops[0]!, stops.at(-1)!];
      const frames: Frame[] = [
        ...[0, first[0] - 1].map((ms): Frame => [ms, 0, first]),
        ...stops.map((stop): Frame => [stop[0], 1, stop]),
        ...[last[0] + 1, lengthMs].map((ms): Frame => [ms, 0, last]),
      ];
      const written = frames.map(([ms, opacity, [, x, y]]) => {
        const place = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
        return [percent(ms), `{ opacity: ${opacity}; transform: ${place} }`] as const;
      });
      return add(text, [...new Map(written)].map((one) => one.join(' ')).join(' '), 'linear');
    },
  };
}
