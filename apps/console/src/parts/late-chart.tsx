import { useIsFetching } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { loadAhead } from '../load-late.ts';
import './chart.css';

type ChartPart = typeof import('./chart.tsx').Chart;

/** The chart, whose script is loaded when the lists of the page have come; while no api answers it is asked for again. */
export function LateChart(props: ComponentProps<ChartPart>): ReactNode {
  const [loaded, setLoaded] = useState<{ Chart: ChartPart } | null>(null);
  const wanted = useAfterList();
  const { at } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new data say that the api answers again
  useEffect(() => {
    if (!wanted || loaded !== null) return;
    void loadAhead(async () => setLoaded(await import('./chart.tsx')));
  }, [wanted, loaded, at]);
  const { heightPx = 200 } = props;
  const place = { minBlockSize: `calc(${heightPx}px + 2.4rem)` };
  return (
    <div className="chart-place" style={place}>
      {loaded && at.length > 0 && <loaded.Chart {...props} />}
    </div>
  );
}

/** True once the list of bots has come: it is worth more than the chart, whose script would delay it on a slow line. */
function useAfterList(): boolean {
  const waits = useIsFetching({ queryKey: ['bots'], predicate: ({ state }) => state.data === undefined }) > 0;
  const [drawn, setDrawn] = useState(false);
  if (!waits && !drawn) setDrawn(true);
  return drawn;
}
