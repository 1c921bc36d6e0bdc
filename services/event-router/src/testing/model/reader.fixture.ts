import type { BatchHandler } from '@penstock/messaging';
import type { SimulatedLog } from './log.fixture';
import type { ProcessClock } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';

interface Reading {
  offset: number;
  readonly leaving: AbortController;
  over: Promise<void>;
}

const RETRY_MS = 100;
const MAX_BATCH = 8;

/** The live reader of one process. */
export class SimulatedReader {
  private readonly readings = new Map<number, Reading>();

  constructor(
    private readonly simulation: Simulation,
    private readonly clock: ProcessClock,
    private readonly log: SimulatedLog,
    private readonly onBatch: BatchHandler,
  ) {}

  start(partition: number, offset: number): void {
    const before = this.stop(partition);
    const leaving = new AbortController();
    const reading: Reading = { offset, leaving, over: Promise.resolve() };
    this.readings.set(partition, reading);
    reading.over = before.then(() => this.deliver(partition, reading));
  }

  async stop(partition: number): Promise<void> {
    const reading = this.readings.get(partition);
    if (reading === undefined) return;
    this.readings.delete(partition);
    reading.leaving.abort();
    await reading.over;
  }

  private async deliver(partition: number, reading: Reading): Promise<void> {
    const { simulation, clock } = this;
    const { signal } = reading.leaving;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const rest = this.log.from(partition, reading.offset, MAX_BATCH);
      if (rest.length === 0) {
        await Promise.race([this.log.untilAppended(), aborted]);
        continue;
      }
      await clock.reach(simulation.sleep(simulation.between(0, 5)));
      if (isOver()) return;
      const records = rest.slice(0, simulation.between(1, MAX_BATCH));
      try {
        await this.onBatch(partition, records, signal);
        reading.offset = records.at(-1)!.offset + 1;
      } catch {
        await clock.reach(simulation.sleep(RETRY_MS));
      }
    }
  }
}
