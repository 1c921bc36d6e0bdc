import type { Outcome } from '@penstock/connectors';
import type { RecordValue } from '@penstock/schema';
import { WarehouseFault } from '@penstock/warehouses';
import type { PreparedEvent } from '../sending/destination';
import { identityUpdate } from './identity-update';
import type { Writers } from './opened-warehouse';

/** Events of one pipeline in a batch, with their indexes in it. */
interface Group {
  readonly first: PreparedEvent;
  readonly indexes: number[];
}

/** By pipeline; versions of a pipeline are written together. */
const groupsOf = (events: readonly PreparedEvent[]): readonly Group[] => {
  const groups = new Map<string, Group>();
  events.forEach((event, index) => {
    const group = groups.get(event.pipeline);
    if (group === undefined) groups.set(event.pipeline, { first: event, indexes: [index] });
    else group.indexes.push(index);
  });
  return [...groups.values()];
};

interface Written {
  readonly refused?: string;
}

/** Writes what fits the schema of profiles as it is now. */
const writeIdentities = async (
  { state }: PreparedEvent,
  events: readonly PreparedEvent[],
  { identities, fit }: Writers,
): Promise<readonly Written[]> => {
  const problems = events.map(({ outSchema }) => fit.problemOf(outSchema));
  const fitting = events.filter((_, at) => problems[at] === undefined);
  const written = await identities.write({
    pipeline: state.id,
    connection: state.connection,
    updates: fitting.map(({ event, values, outSchema }) =>
      identityUpdate(event, values, outSchema),
    ),
  });
  let next = 0;
  return problems.map((problem) =>
    problem === undefined ? (written[next++] ?? {}) : { refused: problem },
  );
};

const writeGroup = (
  { first, indexes }: Group,
  events: readonly PreparedEvent[],
  writers: Writers,
): Promise<readonly Written[]> => {
  const own = indexes.flatMap((index) => events[index] ?? []);
  return first.state.target === 'Event'
    ? writers.events.write(own.map(({ event }): RecordValue => event))
    : writeIdentities(first, own, writers);
};

const outcomeOf = ({ refused }: Written): Outcome =>
  refused === undefined ? { kind: 'delivered' } : { kind: 'rejected', reason: refused };

/** A warehouse that is away, in another mode, or of another version holds all events back, whatever is in them. */
const outage = (reason: string): Outcome => ({
  kind: 'unavailable',
  reason,
  notSent: true,
  isOutage: true,
});

/** The outcomes of a batch, which are found out pipeline by pipeline. */
export class BatchOutcomes {
  private readonly known = new Map<number, Outcome>();
  private isOfIdentities = false;

  constructor(private readonly events: readonly PreparedEvent[]) {}

  /** Whether identities were written, as far as it is known. */
  get hasIdentities(): boolean {
    return this.isOfIdentities;
  }

  /**
   * Writes what has no outcome yet.
   *
   * @throws WarehouseFault
   */
  async write(writers: Writers): Promise<void> {
    for (const group of groupsOf(this.events)) {
      if (this.known.has(group.indexes[0] ?? 0)) continue;
      const outcomes = await writeGroup(group, this.events, writers);
      this.isOfIdentities ||= group.first.state.target === 'User';
      group.indexes.forEach((index, at) => this.known.set(index, outcomeOf(outcomes[at] ?? {})));
    }
  }

  /** Of all events; those that were not written wait for the warehouse. @param fault why they were not. */
  list(fault?: WarehouseFault): readonly Outcome[] {
    const reason = fault?.message ?? '';
    return this.events.map((_, index) => this.known.get(index) ?? outage(reason));
  }
}
