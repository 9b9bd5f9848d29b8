import type { DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Failure } from '../../../parts/failure.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useWords } from '../../../words/words.tsx';
import { isOfMany, type StreamItem, streamOf } from './message-items.ts';
import { MessageView } from './message-view.tsx';
import type { MessageWindow } from './message-window.ts';
import { useNews } from './use-news.ts';
import type { Reach } from './use-window.ts';

/** How the chat moves the list. */
export type ListHandle = { show(messageId: number): boolean; toEnd(): void; focus(): void };

type ListProps = {
  window: MessageWindow;
  /** Entries among the messages, newest first. */
  log: readonly DeskEntryResource[];
  /** The message with which the list begins; its end without one. */
  start: number | undefined;
  reach: Reach;
  extend: (end: 'older' | 'newer') => void;
  /** Loads the end of the chat, which the window does not have. */
  leaveWindow: () => void;
  /** The end of the chat was on the screen. */
  seen: (window: MessageWindow) => void;
  handle: RefObject<ListHandle | null>;
};

const ESTIMATED_PX = 56;
const OVERSCAN = 5;
const PADDING_PX = 8;
/** The next page is asked for when so few items are left beyond the screen. */
const AHEAD = 12;
const END_PX = 24;
const MARKED_MS = 2_500;

/** The loaded messages, of which only those on the screen are in the page. What is looked at stays where it is. */
export function MessageList({ window, log, start, reach, extend, leaveWindow, seen, handle }: ListProps): ReactNode {
  const { inbox: words } = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [placed, setPlaced] = useState(false);
  const [marked, setMarked] = useState<number | undefined>(start);
  const items = useMemo(() => streamOf(window, log), [window, log]);
  const ofMany = useMemo(() => isOfMany(window.messages), [window.messages]);
  const follows = !window.hasNewer;
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => items[index]!.key,
    estimateSize: () => ESTIMATED_PX,
    overscan: OVERSCAN,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
    anchorTo: 'end',
    followOnAppend: follows,
    scrollEndThreshold: END_PX,
  });
  const shown = list.getVirtualItems();
  // By the sizes of this render: a message that is not in the page yet is below the end of the element.
  const [height, size, offset] = [list.scrollRect?.height, list.getTotalSize(), list.scrollOffset];
  const isAtEnd = placed && follows && size - (offset ?? 0) - (height ?? 0) <= END_PX;
  // The list gets lower while somebody writes, or an error is told, and a message may come then; its end stays on the screen. It is
  // there from now on, though the browser tells the new offset later.
  const before = useRef({ height, size, offset, isAtEnd });
  const was = before.current;
  const sticks = was.isAtEnd && (was.height !== height || (follows && was.size !== size));
  const staysAtEnd = isAtEnd || sticks || (was.isAtEnd && follows && was.offset === offset);
  const news = useNews(window, staysAtEnd, seen);

  const show = (messageId: number): boolean => {
    const at = items.findIndex(({ messages }) => messages.some(({ id }) => id === messageId));
    if (at < 0) return false;
    list.scrollToIndex(at, { align: 'center' });
    setMarked(messageId);
    return true;
  };
  useImperativeHandle(handle, () => ({
    show,
    toEnd: () => (window.hasNewer ? leaveWindow() : list.scrollToEnd()),
    focus: () => scroller.current?.focus({ preventScroll: true }),
  }));
  useLayoutEffect(() => {
    if (placed) return;
    if (start === undefined || !show(start)) list.scrollToEnd();
    setPlaced(true);
    // Its keys work at once, unless somebody has begun to do something else while it was loading.
    if (isFocusFree()) scroller.current?.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    if (sticks) list.scrollToEnd();
    before.current = { height, size, offset, isAtEnd: staysAtEnd };
  });
  useEffect(() => {
    if (marked === undefined) return;
    const timer = setTimeout(() => setMarked(undefined), MARKED_MS);
    return () => clearTimeout(timer);
  }, [marked]);

  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  // Before the list has come to its end, what is on the screen says nothing.
  const arrived = useRef(false);
  if (isAtEnd || start !== undefined || window.hasNewer) arrived.current = true;
  const wantsOlder = placed && arrived.current && window.hasOlder && first < AHEAD && reach.older === undefined;
  const wantsNewer = placed && window.hasNewer && last >= items.length - AHEAD && reach.newer === undefined;
  useEffect(() => {
    if (wantsOlder) extend('older');
    if (wantsNewer) extend('newer');
  }, [wantsOlder, wantsNewer, extend]);

  return (
    <div className="feed-frame">
      <div
        ref={scroller}
        className={`feed ${ofMany ? 'of-many' : ''}`}
        role="feed"
        aria-label={words.messages}
        aria-busy={reach.older === 'loading' || reach.newer === 'loading'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
      >
        <div className="feed-body" style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, key, start: top }) => (
            <Row key={key} item={items[index]!} index={index} top={top} marked={marked} measure={list.measureElement} />
          ))}
        </div>
      </div>
      <div className="feed-notes">
        {(['older', 'newer'] as const).map((end) => {
          const state = reach[end];
          return state instanceof Error && <Failure key={end} error={state} retry={() => extend(end)} />;
        })}
        {placed && !staysAtEnd && items.length > 0 && (
          <button type="button" className="pill" onClick={() => (window.hasNewer ? leaveWindow() : list.scrollToEnd())}>
            {news > 0 ? words.news(news) : words.toEnd}
            <Icon name="down" />
          </button>
        )}
      </div>
    </div>
  );
}

/** False while the focus is in a field, in this chat, in a menu (which would close) or in a dialog. */
function isFocusFree(): boolean {
  return !document.activeElement?.closest('input, textarea, select, .chat, .menu, dialog');
}

type RowProps = {
  item: StreamItem;
  index: number;
  top: number;
  marked: number | undefined;
  measure: (node: HTMLElement | null) => void;
};

function Row({ item, index, top, marked, measure }: RowProps): ReactNode {
  const isMarked = item.messages.some(({ id }) => id === marked);
  return (
    <article
      ref={measure}
      data-index={index}
      data-message={item.messages[0]?.id}
      data-marked={isMarked || undefined}
      className={`item ${'continues' in item && item.continues ? 'continues' : ''}`}
      tabIndex={-1}
      style={{ transform: `translateY(${top}px)` }}
    >
      <MessageView item={item} />
    </article>
  );
}
