import type { MessageLog } from '@penstock/messaging';

const DAY_MS = 86_400_000;
const TOPIC = 'bench.hop';

export interface LogTimes {
  /** Milliseconds until an append was acknowledged, and until a reader received the message. */
  readonly acknowledged: readonly number[];
  readonly received: readonly number[];
}

/** Measures single messages at a steady rate, through a log without other load. */
export const timeLogAlone = async (
  log: MessageLog,
  bytes: number,
  rate: number,
  seconds: number,
): Promise<LogTimes> => {
  await log.ensureTopics([{ name: TOPIC, partitions: 1, retention: DAY_MS }]);
  const appendedMs = new Map<string, number>();
  const [acknowledged, received]: [number[], number[]] = [[], []];
  const reader = await log.follow({
    topic: TOPIC,
    otherwise: 'end',
    onBatch: (_, records) => {
      for (const { key } of records)
        received.push(performance.now() - (appendedMs.get(key) ?? Number.NaN));
      return Promise.resolve();
    },
  });
  await reader.caughtUp();
  const value = 'x'.repeat(bytes);
  const startMs = performance.now();
  for (let nth = 0; nth < rate * seconds; nth += 1) {
    const waitMs = startMs + (nth * 1_000) / rate - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const key = String(nth);
    const fromMs = performance.now();
    appendedMs.set(key, fromMs);
    await log.append(TOPIC, [{ key, value }]);
    acknowledged.push(performance.now() - fromMs);
  }
  await reader.caughtUp();
  await reader.stop();
  return { acknowledged, received };
};
