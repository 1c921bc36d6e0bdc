import { readFileSync } from 'node:fs';
import { type Window, withinMs } from './cpu-origins';

const SAMPLED_EVERY_MS = 5;
const NANOS_PER_MS = 1e6;

/** Milliseconds that main threads have run, and that they could have run but waited for a processor. */
export interface ProcessorTime {
  readonly ranMs: number;
  readonly waitedMs: number;
}

interface Sample extends ProcessorTime {
  readonly atMs: number;
}

/** Samples what the main threads of processes get of the processors, as Linux counts it, until it is ended. */
export class ProcessorTimes {
  private readonly samples: Sample[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pids: readonly number[]) {
    this.timer = setInterval(() => {
      this.samples.push(this.sample());
    }, SAMPLED_EVERY_MS).unref();
  }

  /** Of all processes together, within the windows, which must not overlap. */
  end(windows: readonly Window[]): ProcessorTime {
    clearInterval(this.timer);
    let [ranMs, waitedMs] = [0, 0];
    for (const [index, to] of this.samples.entries()) {
      const from = this.samples[index - 1];
      if (from === undefined) continue;
      const share = withinMs(from.atMs, to.atMs, windows) / Math.max(1, to.atMs - from.atMs);
      ranMs += share * (to.ranMs - from.ranMs);
      waitedMs += share * (to.waitedMs - from.waitedMs);
    }
    return { ranMs, waitedMs };
  }

  private sample(): Sample {
    let [ranMs, waitedMs] = [0, 0];
    for (const pid of this.pids) {
      const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
      ranMs += Number(ran) / NANOS_PER_MS;
      waitedMs += Number(waited) / NANOS_PER_MS;
    }
    return { atMs: Date.now(), ranMs, waitedMs };
  }
}
