import type { ConnectionId, Integrations } from '@penstock/contracts';

/** The names of a destination that an event's `integrations` may use. */
export interface NamedDestination {
  readonly lane: ConnectionId;
  /** Code of the connector. */
  readonly connector: string;
  readonly label: string;
}

/** Whether the event's `integrations` exclude the destination: its own entry takes precedence over `All`. */
export const isOptedOut = (
  integrations: Integrations | null,
  { lane, connector, label }: NamedDestination,
): boolean => {
  if (integrations === null) return false;
  const own = [lane, connector, label].find((name) => Object.hasOwn(integrations, name));
  return integrations[own ?? 'All'] === false;
};

const NONE: ReadonlySet<ConnectionId> = new Set();

/** Number of cached values of `integrations`; events of a source have few different ones. */
const MAX_KNOWN = 1_000;

/** Computes which of some destinations an event opts out of. */
export class OptOuts {
  private readonly byChoice = new Map<string, ReadonlySet<ConnectionId>>();
  private readonly byLanes = new Map<string, ReadonlySet<ConnectionId>>();

  constructor(private readonly destinations: readonly NamedDestination[]) {}

  /** The lanes that the event opts out of. Equal sets are usually the same object, so that callers can cache by it. */
  of(integrations: Integrations | null): ReadonlySet<ConnectionId> {
    if (integrations === null) return NONE;
    const choice = JSON.stringify(integrations);
    const known = this.byChoice.get(choice);
    if (known !== undefined) return known;
    this.makeRoom();
    const lanes = this.shared(this.optedOut(integrations));
    this.byChoice.set(choice, lanes);
    return lanes;
  }

  private optedOut(integrations: Integrations): ConnectionId[] {
    const found = this.destinations.filter((each) => isOptedOut(integrations, each));
    return found.map(({ lane }) => lane);
  }

  private shared(lanes: readonly ConnectionId[]): ReadonlySet<ConnectionId> {
    if (lanes.length === 0) return NONE;
    const key = lanes.join();
    const known = this.byLanes.get(key) ?? new Set(lanes);
    this.byLanes.set(key, known);
    return known;
  }

  private makeRoom(): void {
    if (this.byChoice.size < MAX_KNOWN) return;
    this.byChoice.clear();
    this.byLanes.clear();
  }
}
