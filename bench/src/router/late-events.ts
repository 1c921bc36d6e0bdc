import { beginProfiles, merged, type Origin, servicesOf, type Window } from '../cpu-origins';
import { type ProcessorTime, ProcessorTimes } from '../processor-times';
import { flag } from '../table';
import type { Figures } from './figures';
import { inRounds } from './rounds';
import type { Stage } from './stage';

/** Measures rounds, and with `--profile` also the CPU of the services while late events were in flight. */
export class LateEvents {
  private windowsMs = 0;
  private origins: ReadonlyMap<Origin, number> = new Map();
  private processors: ProcessorTime = { ranMs: 0, waitedMs: 0 };

  /**
   * @param first number of destinations that count.
   * @param lateMs delay from which an event is late.
   */
  constructor(
    private readonly stage: Stage,
    private readonly first: number,
    private readonly lateMs: number,
  ) {}

  /** Measures rounds, resetting the counter for each; one profile spans all rounds, since ending it takes long. */
  async inRounds<Result>(measure: () => Promise<Result>): Promise<Result[]> {
    if (!flag('profile')) return inRounds(measure);
    const { first, lateMs } = this;
    const { counter, installation } = this.stage;
    await counter.ask({ what: 'watch', first, lateMs });
    const late: Window[] = [];
    const endProfiles = beginProfiles(installation.processes);
    const processors = new ProcessorTimes(servicesOf(installation.processes));
    const results = await inRounds(async () => {
      const result = await measure();
      late.push(...(await counter.ask({ what: 'count' })).late);
      return result;
    });
    const windows = merged(late);
    this.processors = processors.end(windows);
    this.origins = await endProfiles(windows);
    await counter.ask({ what: 'watch', first: 0, lateMs: 0 });
    this.windowsMs = windows.reduce((sum, [fromMs, toMs]) => sum + toMs - fromMs, 0);
    return results;
  }

  /**
   * The time in which late events were in flight, and the share of it that main threads spent by origin. A profile counts the
   * time in which a thread waits for a processor for the code that it would run: that is taken out, and told apart.
   */
  figures(): Figures {
    if (!flag('profile')) return {};
    const { ranMs, waitedMs } = this.processors;
    const ran = ranMs / Math.max(1, ranMs + waitedMs);
    const shares = [...this.origins].map(([origin, micros]): [string, number] => [
      `main threads' % of that, ${origin}`,
      this.percent((ran * micros) / 1_000),
    ]);
    return Object.fromEntries([
      [`ms with events on their way for ${this.lateMs} ms or more`, this.windowsMs],
      ...shares,
      [`main threads' % of that, waiting for a processor`, this.percent(waitedMs)],
    ]);
  }

  /** Of the time in which late events were in flight. */
  private percent(ms: number): number {
    return Math.round((100 * ms) / Math.max(1, this.windowsMs));
  }
}
