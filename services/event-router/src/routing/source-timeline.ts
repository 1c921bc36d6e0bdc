import type { ConfigurationHistory, ConnectionId, Span } from '@penstock/contracts';
import type { SourceRoutes } from './source-routes';

interface Stretch extends Span {
  readonly routes: SourceRoutes;
  /** The destinations that the source is linked to, existing or not. */
  readonly links: readonly ConnectionId[];
  readonly weight: number;
}

/** Number of cached stretches: readers at so many different places in the log find their routes. */
export const MAX_STRETCHES = 8;

/** Cached routes of a source, each for a range of positions (a stretch) in which they do not change. */
export class SourceTimeline {
  /** The most recently used one comes first. */
  private readonly stretches: Stretch[] = [];
  private revision = -1;

  constructor(
    private readonly source: ConnectionId,
    private readonly history: ConfigurationHistory,
  ) {}

  /** Number of lanes and pipelines in it, for {@link RecentlyUsed}. */
  get weight(): number {
    return this.stretches.reduce((sum, { weight }) => sum + weight, 1);
  }

  at(position: number): SourceRoutes | undefined {
    if (this.revision !== this.history.revision) this.end();
    const index = this.stretches.findIndex(
      ({ from, until }) => from <= position && position < until,
    );
    const found = this.stretches[index];
    if (index > 0 && found !== undefined) {
      this.stretches.splice(index, 1);
      this.stretches.unshift(found);
    }
    return found?.routes;
  }

  add(position: number, links: readonly ConnectionId[], routes: SourceRoutes): void {
    const span = this.history.routesSpanAt(this.source, position);
    const weight = routes.lanes.reduce(
      (sum, { pipelines, disabled }) => sum + 1 + pipelines.length + disabled.length,
      1,
    );
    this.stretches.unshift({ ...span, routes, links, weight });
    this.stretches.splice(MAX_STRETCHES);
  }

  /** Ends open stretches in which something that concerns the source has been changed since. */
  private end(): void {
    this.revision = this.history.revision;
    for (const [index, stretch] of this.stretches.entries()) {
      if (stretch.until !== Infinity || !this.isChangedIn(stretch)) continue;
      const { until } = this.history.routesSpanAt(this.source, stretch.from);
      this.stretches[index] = { ...stretch, until };
    }
  }

  private isChangedIn({ from, links }: Stretch): boolean {
    return (
      this.history.changedAt(this.source) > from ||
      links.some((link) => this.history.changedAt(link) > from)
    );
  }
}
