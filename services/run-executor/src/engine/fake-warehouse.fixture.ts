import {
  type IdentityBatch,
  type IdentityOutcome,
  type IdentityUpdate,
  type IdentityWriter,
  type Settled,
  WarehouseFault,
} from '@penstock/warehouses';

interface Identity {
  readonly timeUs: bigint;
  readonly tieBreaker: string;
  readonly value: unknown;
}

/** Identities that one piece of a purge removes. */
const PURGED_AT_ONCE = 2;

/** The identities of one pipeline and what runs have settled, as a warehouse keeps them. */
export class FakeWarehouse {
  readonly identities = new Map<string, Identity>();
  readonly seen = new Map<string, Map<string, Settled>>();
  /** Ids of which the filter has not left out every record, by run. */
  private readonly unfiltered = new Set<string>();
  /** How many identities each run has purged. */
  readonly purged = new Map<string, number>();
  /** Called before each write of a batch. */
  beforeWrite: () => Promise<void> = () => Promise.resolve();
  /** Called before each piece of a purge but the first. */
  beforePiece: () => Promise<void> = () => Promise.resolve();
  /** Of writers by their role: those of one run do not fence those of another. */
  private readonly epochs = new Map<string, number>();

  /** Values by record id. */
  get values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      [...this.identities].map(([id, { value }]) => [id, value] as const).sort(),
    );
  }

  /** Record ids that the warehouse refuses begin with `refused`. */
  writer(epoch: number, role = ''): IdentityWriter {
    const newest = (): number => Math.max(this.epochs.get(role) ?? 0, epoch);
    this.epochs.set(role, newest());
    const guarded = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        if (epoch < newest()) reject(new WarehouseFault('fenced', 'a newer epoch is there'));
        else resolve(work());
      });
    return {
      write: async (batch, before) => {
        await this.beforeWrite();
        await before;
        return guarded(() => this.write(batch));
      },
      seen: (run, ids) =>
        guarded(() => new Map([...this.of(run)].filter(([id]) => ids.includes(id)))),
      purge: async (_, run, onPiece) => {
        for (;;) {
          const { purged, isLast } = await guarded(() => this.purgePiece(run));
          if (isLast) return purged;
          await onPiece?.(purged);
          await this.beforePiece();
        }
      },
      forget: (run) => guarded(() => void this.seen.delete(run)),
    };
  }

  private of(run: string): Map<string, Settled> {
    const known = this.seen.get(run) ?? new Map<string, Settled>();
    this.seen.set(run, known);
    return known;
  }

  private write({ updates, run }: IdentityBatch): readonly IdentityOutcome[] {
    const known = this.of(run?.id ?? '');
    const settled = (id: string, as: Settled['as']): Settled => {
      const updatedAtUs = run?.times?.get(id);
      const time = updatedAtUs === undefined ? {} : { updatedAtUs };
      return { ...time, as, ...known.get(id), batch: run?.batch ?? 0 };
    };
    for (const [id, as] of run?.settled ?? []) known.set(id, settled(id, as));
    for (const id of run?.unfiltered ?? []) this.unfiltered.add(`${run?.id ?? ''}/${id}`);
    return updates.map((update) => {
      const { recordId } = update;
      const isRefused = recordId.startsWith('refused');
      if (!known.has(recordId))
        known.set(recordId, settled(recordId, isRefused ? 'Finalize' : 'Merged'));
      if (!isRefused) this.merge(update);
      return isRefused ? { refused: 'value out of range' } : {};
    });
  }

  private merge({ recordId, updatedAtUs, tieBreaker, values }: IdentityUpdate): void {
    const before = this.identities.get(recordId);
    const isNewer =
      before === undefined ||
      updatedAtUs > before.timeUs ||
      (updatedAtUs === before.timeUs && tieBreaker > before.tieBreaker);
    if (isNewer)
      this.identities.set(recordId, {
        timeUs: updatedAtUs,
        tieBreaker,
        value: values['value'] ?? values['email'],
      });
  }

  private purgePiece(run: string): { readonly purged: number; readonly isLast: boolean } {
    const known = this.of(run);
    const gone = [...this.identities.keys()].filter(
      (id) => (known.get(id)?.as ?? 'Filter') === 'Filter' && !this.unfiltered.has(`${run}/${id}`),
    );
    const piece = gone.slice(0, PURGED_AT_ONCE);
    for (const id of piece) this.identities.delete(id);
    const purged = (this.purged.get(run) ?? 0) + piece.length;
    this.purged.set(run, purged);
    return { purged, isLast: gone.length === piece.length };
  }
}
