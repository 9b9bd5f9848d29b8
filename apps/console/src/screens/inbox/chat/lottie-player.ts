import lottie, { type AnimationItem } from 'lottie-web/build/player/lottie_light_canvas.js';
import type { Animation } from './tgs.ts';

export type Player = Pick<AnimationItem, 'play' | 'pause' | 'destroy'>;

/** A frame that takes longer blocks the page for people, and is the last one. */
const LONGEST_FRAME_MS = 500;
/** With the reading of the file. */
const LONGEST_BEGIN_MS = 2_000;
/** Frames that take longer on average leave too little of each second to the page. */
const LONGEST_AVERAGE_MS = 40;
const FRAMES_OF_AVERAGE = 20;

/**
 * Draws the first frame of an animation into the element. The policy of the page forbids WebAssembly and `eval`, so it is
 * Lottie's player without expressions.
 */
export function drawAnimation(container: HTMLElement, animation: Animation, failed: () => void): Player {
  const begunAtMs = performance.now();
  const player = lottie.loadAnimation({
    container,
    renderer: 'canvas',
    loop: true,
    autoplay: false,
    animationData: animation,
    rendererSettings: { clearCanvas: true },
  });
  player.setSubframe(false);
  // The first frame is drawn by now.
  if (performance.now() - begunAtMs > LONGEST_BEGIN_MS) queueMicrotask(failed);
  failWhenSlow(player, failed);
  player.addEventListener('error', failed);
  player.addEventListener('data_failed', failed);
  return player;
}

/** Only drawing tells the cost of a file on this machine. */
function failWhenSlow(player: AnimationItem, failed: () => void): void {
  let begunAtMs = 0;
  let averageMs = 0;
  player.addEventListener('enterFrame', () => {
    begunAtMs = performance.now();
  });
  player.addEventListener('drawnFrame', () => {
    const tookMs = performance.now() - begunAtMs;
    averageMs += (tookMs - averageMs) / FRAMES_OF_AVERAGE;
    if (tookMs <= LONGEST_FRAME_MS && averageMs <= LONGEST_AVERAGE_MS) return;
    player.pause();
    failed();
  });
}
