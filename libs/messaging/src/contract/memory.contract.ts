import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fresh, freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';

const VALUE_BYTES = 100_000;
const VALUES = 960;
/** Half of the log's contents, for three readers: an adapter may hold a few fetches for each. */
const MAX_GROWTH_BYTES = (VALUE_BYTES * VALUES) / 2;

const CATCH_UPS = 1_000;
/** Calls at a time: one after the other, they take half a minute on a busy machine. */
const AT_ONCE = 20;
const ROUNDS = 3;
/** Less than a closure takes. */
const MAX_BYTES_OF_ONE = 100;

const used = (): NodeJS.MemoryUsage => {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage();
};
const usedBytes = (): number => {
  const { heapUsed, external } = used();
  return heapUsed + external;
};

export const itKeepsLittleInMemory = (harness: LogHarness): void => {
  const open = opener(harness);

  it('fetches little beyond the batches in progress while handlers are slow', async () => {
    const writer = await open();
    const topic = await freshTopic(writer, 4);
    const keys = [0, 1, 2, 3].map((partition) => keyIn(partition, 4));
    for (const value of numbered(1, VALUES / 4))
      await writer.append(
        topic,
        keys.map((key) => ({ key, value: value.padEnd(VALUE_BYTES, '.') })),
      );
    const log = await open();
    const before = usedBytes();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const onBatch = () => held;

    await log.follow({ topic, maxRecords: 5, onBatch });
    await log.subscribe({ topic, group: fresh('group'), maxRecords: 5, onBatch });
    const reader = await log.readPartitions({ topic, maxRecords: 5, onBatch });
    for (const partition of [0, 1, 2, 3]) reader.start(partition, 0);
    let grownBytes = 0;
    for (let look = 0; look < 10; look += 1) {
      await sleep(300);
      grownBytes = Math.max(grownBytes, usedBytes() - before);
    }
    release();

    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('keeps no memory for completed calls of caughtUp', async () => {
    const log = await open();
    const reader = await log.follow({
      topic: await freshTopic(log, 1),
      onBatch: () => Promise.resolve(),
    });
    const catchUp = async (times: number): Promise<void> => {
      for (let nth = 0; nth < times; nth += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, () => reader.caughtUp()));
    };
    await catchUp(CATCH_UPS);
    let leastGrowth = Infinity;
    // A client in the background may take memory once; what is kept of each call grows every time.
    for (let round = 0; round < ROUNDS; round += 1) {
      // Without buffers, of which a client has more at one time than at another.
      const before = used().heapUsed;
      await catchUp(CATCH_UPS);
      leastGrowth = Math.min(leastGrowth, used().heapUsed - before);
    }
    expect(leastGrowth).toBeLessThan(CATCH_UPS * MAX_BYTES_OF_ONE);
  });
};
