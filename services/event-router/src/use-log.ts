import { TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { AnotherLog, checkLog } from './check-log';
import type { RouterOptions } from './lanes/router.options';
import type { RecordedLog, RouterStore } from './store/router-store';

/** How the log differs from the recorded one; `undefined`: it is the same. */
const differenceOf = async (
  log: MessageLog,
  identity: string,
  recorded: RecordedLog,
): Promise<AnotherLog | undefined> => {
  if (recorded.identity !== identity) return new AnotherLog('the log itself has another identity');
  const count = await log.partitionsOf(TOPIC.events);
  if (recorded.partitions.some(({ partition, routed }) => partition >= count && routed > 0))
    return new AnotherLog(`it has ${String(count)} partitions, more were routed`);
  try {
    const read = log.read.bind(log, TOPIC.events);
    const present = recorded.partitions.filter(({ partition }) => partition < count);
    await Promise.all(present.map((progress) => checkLog(progress.partition, progress, read)));
    return undefined;
  } catch (error) {
    if (error instanceof AnotherLog) return error;
    throw error;
  }
};

/**
 * Checks that the stored progress belongs to this log. For another log, resets the progress if the operator has set
 * `eventsFrom`.
 *
 * @throws AnotherLog
 */
export const useLog = async (
  log: MessageLog,
  store: RouterStore,
  from: RouterOptions['eventsFrom'],
): Promise<void> => {
  const identity = await log.identity();
  for (;;) {
    const recorded = await store.log(identity);
    const difference = await differenceOf(log, identity, recorded);
    if (difference === undefined) return;
    if (from === undefined) throw difference;
    const positions =
      from === 'latest'
        ? await log.endOffsets(TOPIC.events)
        : await log.beginningOffsets(TOPIC.events);
    if (await store.beginAnew(recorded, identity, positions)) return;
  }
};
