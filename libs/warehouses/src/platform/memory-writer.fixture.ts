import type { PipelineId } from '@penstock/contracts';
import type { RecordValue, Value } from '@penstock/schema';
import { isDeepStrictEqual } from 'node:util';
import { momentText } from '../merging/identity-state';
import type { EventOutcome, EventWriter } from './event-writer';
import type { MatchWriter } from './match-writer';
import type { Eraser } from './eraser';
import type { Remover } from './remover';
import type { Resolver } from './resolver';
import { WarehouseFault } from './warehouse';
import {
  type IdentityBatch,
  type IdentityOutcome,
  type IdentityUpdate,
  type IdentityWriter,
  MAX_BATCH,
  type RunOfBatch,
  type Settled,
  type WarehouseWriter,
  type Writer,
  type WriterOptions,
} from './warehouse-writer';

/** An identity as every implementation shows it to the contract. */
export interface ShownIdentity {
  readonly pipeline: string;
  readonly connection: string;
  readonly recordId: string;
  readonly anonymous: boolean;
  readonly anonymousIds: readonly string[];
  readonly previousIds: readonly string[];
  readonly updatedAtUs: bigint;
  readonly run: string | null;
  /** Leaf values by column; without those that are null. */
  readonly values: Readonly<Record<string, unknown>>;
}

interface Kept {
  readonly pipeline: string;
  readonly recordId: string;
  readonly anonymous: boolean;
  connection: string;
  run: string | null;
  readonly updates: IdentityUpdate[];
}

const NUL = '\u0000';

const bytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

const compare = (one: IdentityUpdate, other: IdentityUpdate): number => {
  if (one.updatedAtUs !== other.updatedAtUs) return one.updatedAtUs < other.updatedAtUs ? -1 : 1;
  return bytes(one.tieBreaker, other.tieBreaker);
};

/** Records are the only values without a prototype of their own: see `newRecord`. */
const isRecord = (value: Value): value is RecordValue =>
  typeof value === 'object' &&
  value !== null &&
  (value as { readonly constructor?: unknown }).constructor === undefined;

const leaves = (values: RecordValue, at = ''): [string, Value][] =>
  Object.entries(values).flatMap(([name, value]): [string, Value][] => {
    if (value === undefined) return [];
    return isRecord(value) ? leaves(value, `${at}${name}_`) : [[`${at}${name}`, value]];
  });

/** Linked ids, by the earliest update that names each. */
const linked = (
  updates: readonly IdentityUpdate[],
  of: 'anonymousId' | 'previousId',
): readonly string[] => {
  const ids = updates.flatMap((update) => (update.kind === 'event' ? [update[of]] : []));
  return [...new Set(ids)].filter((id) => id !== undefined);
};

/** The state of the sorted order, as the specification words it; of equal updates the first is applied last. */
const shown = ({ updates, ...kept }: Kept): ShownIdentity => {
  const sorted = [...updates].reverse().sort(compare);
  const values = new Map<string, Value>();
  for (const update of sorted) {
    if (update.kind === 'record') values.clear();
    for (const [column, value] of leaves(update.values)) values.set(column, value);
  }
  return {
    ...kept,
    anonymousIds: linked(sorted, 'anonymousId'),
    previousIds: [...linked(sorted, 'previousId')].sort(bytes),
    updatedAtUs: sorted.at(-1)?.updatedAtUs ?? 0n,
    values: Object.fromEntries(values),
  };
};

/** Whether a record without an update time, which has that of its run, says what is known already. */
const isKnownAlready = (updates: readonly IdentityUpdate[], update: IdentityUpdate): boolean => {
  if (update.kind !== 'record' || momentText(update.updatedAtUs) !== update.tieBreaker)
    return false;
  const [newest] = [...updates].sort(compare).reverse();
  if (newest?.kind !== 'record') return false;
  const said = (of: IdentityUpdate) =>
    new Map(leaves(of.values).filter(([, value]) => value !== null));
  return isDeepStrictEqual(said(newest), said(update));
};

/** What a warehouse holds; several writers may share it. */
export class MemoryWarehouse {
  readonly fences = new Map<string, number>();
  /** By source and message id. */
  readonly events = new Map<string, RecordValue>();
  readonly seen = new Map<string, Map<string, Settled>>();
  /** Ids of which the filter has not left out every record, by run. */
  readonly unfiltered = new Set<string>();
  /** How many identities each run has purged. */
  readonly purged = new Map<string, number>();
  readonly kept = new Map<string, Kept>();
  owner = '';
  schemaVersion = 1;

  identities(): readonly ShownIdentity[] {
    return [...this.kept.values()].map(shown);
  }
}

const hasNul = ({ recordId, values }: IdentityUpdate): boolean =>
  recordId.includes(NUL) ||
  leaves(values).some(([, value]) => typeof value === 'string' && value.includes(NUL));

const timed = ({ times }: RunOfBatch, id: string): Pick<Settled, 'updatedAtUs'> => {
  const updatedAtUs = times?.get(id);
  return updatedAtUs === undefined ? {} : { updatedAtUs };
};

class MemoryIdentityWriter implements IdentityWriter {
  constructor(
    private readonly warehouse: MemoryWarehouse,
    private readonly writer: Writer,
    private readonly options: WriterOptions,
  ) {}

  async write(
    batch: IdentityBatch,
    before?: Promise<unknown>,
  ): Promise<readonly IdentityOutcome[]> {
    await before;
    return this.done(() => {
      const { updates, run } = batch;
      if (updates.length > MAX_BATCH || (run?.settled.size ?? 0) > MAX_BATCH)
        throw new RangeError(`a batch has at most ${MAX_BATCH} records`);
      const known = this.seenIn(run?.id ?? '');
      const earlier = new Map(known);
      if (run !== undefined)
        for (const [id, as] of run.settled)
          known.set(id, { ...timed(run, id), as, ...known.get(id), batch: run.batch });
      for (const id of run?.unfiltered ?? [])
        this.warehouse.unfiltered.add(`${run?.id ?? ''}/${id}`);
      return updates.map((update) => this.outcome(batch, update, earlier));
    });
  }

  seen(run: string, recordIds: readonly string[]): Promise<ReadonlyMap<string, Settled>> {
    return this.done(() => {
      const known = this.seenIn(run);
      return new Map([...known].filter(([id]) => recordIds.includes(id)));
    });
  }

  purge(pipeline: string, run: string): Promise<number> {
    return this.done(() => {
      const known = this.seenIn(run);
      if (known.size === 0) return 0;
      const gone = [...this.warehouse.kept].filter(
        ([, { recordId, anonymous, ...kept }]) =>
          kept.pipeline === pipeline &&
          !anonymous &&
          (known.get(recordId)?.as ?? 'Filter') === 'Filter' &&
          !this.warehouse.unfiltered.has(`${run}/${recordId}`),
      );
      for (const [key] of gone) this.warehouse.kept.delete(key);
      const purged = (this.warehouse.purged.get(run) ?? 0) + gone.length;
      this.warehouse.purged.set(run, purged);
      return purged;
    });
  }

  forget(run: string): Promise<void> {
    return this.done(() => {
      this.warehouse.seen.delete(run);
      this.warehouse.purged.delete(run);
    });
  }

  private outcome(
    { pipeline, connection, run }: IdentityBatch,
    update: IdentityUpdate,
    before: Map<string, Settled>,
  ): IdentityOutcome {
    const { recordId } = update;
    const earlier = run && before.get(recordId);
    const refused = hasNul(update) ? { refused: 'holds NUL' } : {};
    if (run !== undefined) {
      const as = refused.refused === undefined ? 'Merged' : 'Finalize';
      const known = this.seenIn(run.id);
      const settled = known.get(recordId) ?? {
        ...{ as, batch: run.batch },
        ...timed(run, recordId),
      };
      known.set(recordId, settled);
      if (!before.has(recordId)) before.set(recordId, settled);
    }
    if (refused.refused === undefined) {
      const anonymous = update.kind === 'event' && update.anonymous;
      const key = JSON.stringify([pipeline, anonymous, recordId]);
      const kept = this.warehouse.kept.get(key) ?? {
        ...{ pipeline, connection, recordId, anonymous, run: null },
        updates: [],
      };
      if (!isKnownAlready(kept.updates, update)) kept.updates.push(update);
      kept.connection = connection;
      kept.run = run?.id ?? kept.run;
      this.warehouse.kept.set(key, kept);
    }
    return { ...refused, ...(earlier && { before: earlier }) };
  }

  private seenIn(run: string): Map<string, Settled> {
    const known = this.warehouse.seen.get(run) ?? new Map<string, Settled>();
    if (run !== '') this.warehouse.seen.set(run, known);
    return known;
  }

  private done<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.warehouse.fences.get(this.writer.role) !== this.writer.epoch)
        throw new WarehouseFault('fenced', 'another writer has taken the role over');
      if (this.warehouse.schemaVersion !== this.options.profiles.version)
        throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
      resolve(work());
    });
  }
}

class MemoryEventWriter implements EventWriter {
  constructor(
    private readonly warehouse: MemoryWarehouse,
    private readonly writer: Writer,
  ) {}

  async write(events: readonly RecordValue[]): Promise<readonly EventOutcome[]> {
    await Promise.resolve();
    const { fences, events: kept } = this.warehouse;
    if (events.length > MAX_BATCH) throw new RangeError(`a batch has at most ${MAX_BATCH} events`);
    if (fences.get(this.writer.role) !== this.writer.epoch)
      throw new WarehouseFault('fenced', 'another writer has taken the role over');
    return events.map((event) => {
      const key = JSON.stringify([event['connectionId'], event['messageId']]);
      if (!kept.has(key)) kept.set(key, event);
      return {};
    });
  }
}

/** Writes into memory what a warehouse would hold. */
export class MemoryWriter implements WarehouseWriter {
  /** Nothing is staged. */
  readonly dropLeftOvers = (): Promise<readonly string[]> => Promise.resolve([]);

  constructor(
    private readonly warehouse: MemoryWarehouse,
    private readonly options: WriterOptions,
  ) {}

  async begin(writer: Writer): Promise<IdentityWriter> {
    await this.take(writer);
    return new MemoryIdentityWriter(this.warehouse, writer, this.options);
  }

  async beginEvents(writer: Writer): Promise<EventWriter> {
    await this.take(writer);
    return new MemoryEventWriter(this.warehouse, writer);
  }

  /** Profiles are made in a database only. */
  beginResolution(): Promise<Resolver> {
    return Promise.reject(new WarehouseFault('unsupported', 'nothing is resolved in memory'));
  }

  /** As is {@link beginResolution}. */
  beginErasure(): Promise<Eraser> {
    return Promise.reject(new WarehouseFault('unsupported', 'nobody is erased in memory'));
  }

  /** As is {@link beginResolution}. */
  beginRemoval(): Promise<Remover> {
    return Promise.reject(new WarehouseFault('unsupported', 'nothing is removed in memory'));
  }

  /** As is {@link beginResolution}. */
  pipelines(): Promise<readonly PipelineId[]> {
    return Promise.reject(new WarehouseFault('unsupported', 'nothing is removed in memory'));
  }

  /** As is {@link beginResolution}. */
  beginMatches(): Promise<MatchWriter> {
    return Promise.reject(new WarehouseFault('unsupported', 'nobody is matched in memory'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async take(writer: Writer): Promise<void> {
    const { owner, fences, schemaVersion } = this.warehouse;
    const { role, epoch } = writer;
    await Promise.resolve();
    if (!Number.isSafeInteger(epoch) || epoch < 1) throw new RangeError(`epoch ${epoch}`);
    if (owner !== this.options.workspace)
      throw new WarehouseFault('foreign', 'warehouse of another workspace');
    if (schemaVersion !== this.options.profiles.version)
      throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
    if ((fences.get(role) ?? 0) > epoch)
      throw new WarehouseFault('fenced', 'another writer has taken the role over');
    fences.set(role, epoch);
  }
}
