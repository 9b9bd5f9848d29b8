/** Acts at once, and again after a while for what was not to be seen yet; calls in between act together. */
export function atOnceAndAfter(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let called = false;
  const wait = () => {
    timer = setTimeout(() => {
      timer = undefined;
      act();
      if (called) wait();
      called = false;
    }, ms);
  };
  return () => {
    if (timer !== undefined) {
      called = true;
      return;
    }
    act();
    wait();
  };
}
