import type { Producer } from 'kafkajs';
import type { NewMessage } from '../message-log';

/**
 * How long the leader may wait for the in-sync replicas. Above a broker's session timeout (9 s), after which
 * a dead replica is no longer waited for; below the request's own timeout.
 */
const ACKNOWLEDGE_TIMEOUT_MS = 12_000;

/** The partition is chosen before: kafkajs must not choose another. */
export const givenPartition = () => (args: { message: { partition?: number } }) =>
  args.message.partition ?? 0;

/**
 * One try to append to one partition, acknowledged by all in-sync replicas.
 *
 * The only call of `send`: kafkajs resolves a send over several partitions although some of them were never
 * written, when a leader moves during its retry. So it is one partition a send, without kafkajs' own retries,
 * and the answer must name the partition.
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
