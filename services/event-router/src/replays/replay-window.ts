import { type Instant, instant, Refusal, TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { WindowPart } from './replay-job';

export interface WindowContext {
  readonly log: Pick<MessageLog, 'beginningOffsets' | 'offsetsAt' | 'read'>;
  /** Milliseconds for which the log keeps events. */
  readonly retentionMs: number;
  readonly wallMs: () => number;
}

/** Partitions from whose beginning records have been removed that were appended at `fromMs` or later, as far as is known. */
const oldestAfter = async (
  { log }: WindowContext,
  fromMs: number,
  keptFromMs: number,
): Promise<number | undefined> => {
  const begins = await log.beginningOffsets(TOPIC.events);
  let oldestMs: number | undefined;
  for (const [partition, begin] of begins.entries()) {
    if (begin === 0) continue;
    const { records } = await log.read(TOPIC.events, partition, begin, 1);
    const firstMs = Math.min(records[0]?.timestampMs ?? keptFromMs, keptFromMs);
    if (firstMs > fromMs) oldestMs = Math.max(oldestMs ?? firstMs, firstMs);
  }
  return oldestMs;
};

/**
 * The offsets of the events that were appended in a time, by partition.
 *
 * @throws Refusal EventsExpired when retention has removed some of them: it names the earliest time that can be replayed.
 * @throws LogUnavailable
 */
export const windowOf = async (
  context: WindowContext,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): Promise<WindowPart[]> => {
  const fromMs = Date.parse(from);
  const keptFromMs = context.wallMs() - context.retentionMs;
  // What is younger than the retention is there; a partition that has lost records since tells by its first one.
  const oldestMs = fromMs < keptFromMs ? await oldestAfter(context, fromMs, keptFromMs) : undefined;
  if (oldestMs !== undefined) {
    const message = `must be ${instant(new Date(oldestMs))} or later: retention has removed events from before`;
    throw new Refusal('EventsExpired', { details: [{ path: '/from', message }] });
  }
  const { log } = context;
  const starts = await log.offsetsAt(TOPIC.events, fromMs);
  const ends = await log.offsetsAt(TOPIC.events, Date.parse(to));
  return starts.map((start, partition) => ({
    start,
    end: Math.max(start, ends[partition] ?? start),
  }));
};
