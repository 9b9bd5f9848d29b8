import type { TopicResource } from '@flotilla/contract/topics.ts';
import type { ChatId } from './use-window.ts';

export type HeadProps = {
  chat: ChatId;
  topics: readonly TopicResource[];
  back: () => void;
  goTo: (messageId: number | undefined) => void;
  /** Null where the person is shown anyway. */
  showPerson: ((userId: number) => void) | null;
};
