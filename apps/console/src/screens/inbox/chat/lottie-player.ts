import lottie, { type AnimationItem } from 'lottie-web/build/player/lottie_light_canvas.js';
import type { Animation } from './tgs.ts';

export type Player = Pick<AnimationItem, 'play' | 'pause' | 'destroy'>;

/**
 * Draws the first frame of an animation into the element. The policy of the page forbids WebAssembly and `eval`, so it is
 * Lottie's player without expressions.
 */
export function drawAnimation(container: HTMLElement, animation: Animation, failed: () => void): Player {
  const player = lottie.loadAnimation({
    container,
    renderer: 'canvas',
    loop: true,
    autoplay: false,
    animationData: animation,
    rendererSettings: { clearCanvas: true },
  });
  player.setSubframe(false);
  player.addEventListener('error', failed);
  player.addEventListener('data_failed', failed);
  return player;
}
