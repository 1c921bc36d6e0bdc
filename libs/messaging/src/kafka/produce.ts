import type { Producer } from 'kafkajs';
import type { NewMessage } from '../message-log';

/**
 * Time that the leader may wait for the in-sync replicas. Above a broker's session timeout (9 s), after which a dead
 * replica is no longer waited for; below the time-out of the request itself.
 */
const ACKNOWLEDGE_TIMEOUT_MS = 12_000;

/** A partitioner that keeps the partition which was chosen before. */
export const givenPartition = () => (args: { message: { partition?: number } }) =>
  args.message.partition ?? 0;

/**
 * Makes one attempt to append to one partition, acknowledged by all in-sync replicas.
 *
 * This is the only call of `send`: kafkajs resolves a send over several partitions although some of them were never
 * written, when a leader moves during its retry. Therefore each send has one partition and no retries by kafkajs, and
 * the answer must name the partition.
 *
 * @returns the offset of the first message; the others follow it.
 */
export const produce = async (
  producer: Pick<Producer, 'send'>,
  topic: string,
  partition: number,
  messages: readonly NewMessage[],
): Promise<number> => {
  const answers = await producer.send({
    topic,
    acks: -1,
    timeout: ACKNOWLEDGE_TIMEOUT_MS,
    messages: messages.map(({ key, value }) => ({ key, value, partition })),
  });
  const [answer] = answers;
  const offset = Number(answer?.baseOffset);
  const names = answers.length === 1 && answer?.partition === partition && answer.errorCode === 0;
  if (!names || !Number.isSafeInteger(offset) || offset < 0)
    throw new Error(`no acknowledgement for partition ${partition} of ${topic}`);
  return offset;
};
