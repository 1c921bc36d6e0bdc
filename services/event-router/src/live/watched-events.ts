import type { LiveInterest } from '@penstock/contracts';
import type { LaneRoutes } from '../routing/lane-routes';
import type { SourceRoutes } from '../routing/source-routes';

const hasPipeline = ({ pipelines, disabled }: LaneRoutes, id: string): boolean =>
  pipelines.some(({ state }) => state.id === id) || disabled.some((each) => each === id);

const isOf = ({ connection, pipeline }: LiveInterest, { source, lanes }: SourceRoutes): boolean =>
  (connection === null || source === connection || lanes.some(({ lane }) => lane === connection)) &&
  (pipeline === null || lanes.some((lane) => hasPipeline(lane, pipeline)));

/** Which events of a workspace are watched. */
export class WatchedEvents {
  /** A source may have many pipelines, and its routes are the same object for many events. */
  private readonly known = new WeakMap<SourceRoutes, boolean>();

  constructor(private readonly interests: readonly LiveInterest[]) {}

  /** Whether events with these routes are watched. */
  include(routes: SourceRoutes): boolean {
    const known = this.known.get(routes);
    if (known !== undefined) return known;
    const isWatched = this.interests.some((interest) => isOf(interest, routes));
    this.known.set(routes, isWatched);
    return isWatched;
  }
}
