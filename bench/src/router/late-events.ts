import { beginProfiles, merged, type Origin, type Window } from '../cpu-origins';
import { flag } from '../table';
import type { Figures } from './figures';
import { inRounds } from './rounds';
import type { Stage } from './stage';

/** Measures rounds, and with `--profile` also what the services did while late events were on their way. */
export class LateEvents {
  private windowsMs = 0;
  private origins: ReadonlyMap<Origin, number> = new Map();

  /**
   * @param first so many applications count.
   * @param lateMs what takes as long is late.
   */
  constructor(
    private readonly stage: Stage,
    private readonly first: number,
    private readonly lateMs: number,
  ) {}

  /** Measures rounds, in each of which the counter begins anew; one profile spans them, for its end takes a while. */
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

  /** For how long late events were on their way, and what share of that the main threads spent where. */
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
