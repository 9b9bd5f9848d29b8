import type { Browser } from '@flotilla/testing/browser.ts';

/** Drawings as PNG in base64: photos that nobody has to be asked for. */
export type Drawings = { parcel: string; shoes: string; forum: string; faceOf(person: number): string };

const SKINS = ['#f2c7a5', '#d9a077', '#8d5b3e', '#f6d7bd', '#b97a56'];
const HAIRS = ['#3b2a20', '#c98f3b', '#171717', '#7a3f22', '#5b5b63'];
const SHIRTS = ['#2f6f8f', '#8a3d5c', '#3f7d4e', '#c0653b', '#5a4fa3', '#d1a62f'];
const GROUNDS = ['#cfe3ee', '#f3dccb', '#dcebd7', '#e7def4', '#f6ecc9', '#d9e1e8'];
const FACES = 12;

const PARCEL = `<rect width="960" height="720" fill="#c9b79c"/><rect y="470" width="960" height="250" fill="#8c7355"/>
<path d="M190 300 480 210l290 90v270l-290 95-290-95z" fill="#b07d48"/><path d="M190 300l290 95v270l-290-95z" fill="#c8935a"/>
<path d="M190 300 480 210l290 90-290 95z" fill="#dcab73"/><path d="M330 257l290 93v60l-36-14-20 26-24-40V376L250 281z" fill="#efe2c8" opacity=".85"/>
<path d="M640 430l60-22-30 70 44 12-84 74 26-62-40-8z" fill="#4a2f18"/><path d="M232 478l150 50v66l-150-50z" fill="#f7f3ea"/>
<path d="M250 500l60 20m-60 4l96 32m-96-8l74 25" stroke="#555" stroke-width="7"/>`;
const SHOES = `<rect width="960" height="720" fill="#e9e3da"/><ellipse cx="480" cy="560" rx="380" ry="46" fill="#cfc6b8"/>
<path d="M170 520c0-70 30-150 90-190l90 60c70 30 150 50 240 60 90 12 180 30 190 76l4 26H170z" fill="#2f6f8f"/>
<path d="M168 520h618c14 0 20 12 16 26-4 16-18 24-40 24H206c-28 0-42-20-38-50z" fill="#f5f5f2"/>
<path d="M340 384l-40 44m80-26-40 46m84-30-40 48" stroke="#f5f5f2" stroke-width="13" stroke-linecap="round"/>
<path d="M238 348c36-8 74 8 112 42l-54 50c-40-20-62-52-58-92z" fill="#24566f"/>`;
const FORUM = `<rect width="160" height="160" fill="#1f5f7a"/><path d="M80 24l46 76H80zM72 40v60H34z" fill="#fff"/><path d="M26 112h108l-20 26H46z" fill="#f0b64a"/>`;

export async function draw(browser: Browser): Promise<Drawings> {
  const page = await browser.newPage();
  const png = async (inner: string, width: number, height: number) => {
    await page.setViewportSize({ width, height });
    await page.setContent(
      `<style>body{margin:0}</style><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${inner}</svg>`,
    );
    return (await page.screenshot({ type: 'jpeg', quality: 85 })).toString('base64');
  };
  const [parcel, shoes, forum] = [await png(PARCEL, 960, 720), await png(SHOES, 960, 720), await png(FORUM, 160, 160)];
  const faces: string[] = [];
  for (let at = 0; at < FACES; at += 1) faces.push(await png(face(at), 160, 160));
  await page.close();
  return { parcel, shoes, forum, faceOf: (person) => faces[person % FACES]! };
}

function face(at: number): string {
  const of = (colours: readonly string[], step: number) => colours[(at * step) % colours.length]!;
  const long = at % 2 === 0 ? `<path d="M40 74c0-64 80-64 80 0v52H40z" fill="${of(HAIRS, 3)}"/>` : '';
  const beard = at % 4 === 3 ? `<path d="M54 82c4 44 48 44 52 0-10 14-42 14-52 0z" fill="${of(HAIRS, 3)}"/>` : '';
  return `<rect width="160" height="160" fill="${of(GROUNDS, 1)}"/>${long}
<path d="M22 170c0-62 116-62 116 0z" fill="${of(SHIRTS, 5)}"/><rect x="68" y="92" width="24" height="34" fill="${of(SKINS, 2)}"/>
<ellipse cx="80" cy="74" rx="28" ry="34" fill="${of(SKINS, 2)}"/>${beard}
<path d="M50 68c0-46 60-46 60 0-14-18-44-20-60 0z" fill="${of(HAIRS, 3)}"/>
<circle cx="70" cy="76" r="3" fill="#222"/><circle cx="90" cy="76" r="3" fill="#222"/>
<path d="M71 91q9 7 18 0" stroke="#7c3f34" stroke-width="3" fill="none" stroke-linecap="round"/>`;
}
