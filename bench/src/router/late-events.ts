import { beginProfiles, merged, type Origin, type Window } from '../cpu-origins';
import { flag } from '../table';
import type { Figures } from './figures';
import { inRounds } from './rounds';
import type { Stage } from './stage';

/** Measures rounds, and with `--profile` also the CPU of the services while late events were in flight. */
export class LateEvents {
  private windowsMs = 0;
  private origins: ReadonlyMap<Origin, number> = new Map();

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
    const results = await inRounds(async () => {
      const result = await measure();
      late.push(...(await counter.ask({ what: 'count' })).late);
      return result;
    });
    const windows = merged(late);
    this.origins = await endProfiles(windows);
    await counter.ask({ what: 'watch', first: 0, lateMs: 0 });
    this.windowsMs = windows.reduce((sum, [fromMs, toMs]) => sum + toMs - fromMs, 0);
    return results;
  }

  /** The time in which late events were in flight, and the share of it that main threads spent by origin. */
  figures(): Figures {
    if (!flag('profile')) return {};
    const shares = [...this.origins].map(([origin, micros]): [string, number] => [
      `main threads' % of that, ${origin}`,
      Math.round(micros / (10 * Math.max(1, this.windowsMs))),
    ]);
    return Object.fromEntries([
      [`ms with events on their way for ${this.lateMs} ms or more`, this.windowsMs],
      ...shares,
    ]);
  }
}
