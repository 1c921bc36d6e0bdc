import {
  type RecordedProfileFact,
  type ResolvedBatch,
  type Resolver,
  type SharedValue,
} from '../../platform/resolver';
import type { Writer } from '../../platform/warehouse-writer';
import { checkLimit } from '../../resolving/check-limit';
import { kindOfIdentifier } from '../../resolving/keys';
import type { Guarded } from '../layout/guard';
import type { Sessions } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { Batch } from './batch';
import { dropFacts, keepFacts, recordedFact, selectFacts } from './facts';
import { movePiece, selectMoving } from './move-events';
import { resolveBatch } from './resolve-batch';
import { ResolvingTransactions } from './resolving-transactions';
import type { Rules } from './rules';
import { selectShared } from './shared-values';
import { Stages } from './stage-tables';
import { markEmptyProfiles, selectLast, takeApartPiece } from './take-apart';
import { microseconds } from './take-dirty';

/** Pieces of events that are moved before a batch: others write in between. */
const MOST_PIECES = 5;

/** Source: `facts` of the outbox, whose numbers are whole. */
const NUMBER = /^\d{1,38}$/;

/** What a resolver needs of the warehouse. */
export interface ResolvingPlace extends Guarded {
  readonly rules: Rules;
}

/** Resolves the identities of one workspace under one epoch. */
export class SnowflakeResolver implements Resolver {
  private readonly transactions: ResolvingTransactions;
  private readonly stages = new Stages();
  /** Marks that are newer are left to the next resolution, so that this one ends however much is written meanwhile. */
  private until: string | undefined;

  constructor(
    sessions: Sessions,
    private readonly place: ResolvingPlace,
    writer: Writer,
  ) {
    this.transactions = new ResolvingTransactions(sessions, place, writer);
  }

  async pending(): Promise<number> {
    const dirty = qualified(this.place.place, '_DIRTY');
    return Number(await this.value(`SELECT COUNT(*) FROM ${dirty}`));
  }

  async takeApart(signal?: AbortSignal): Promise<void> {
    // Of identities without keys nobody would find the profile for what is to be moved.
    await this.moveEvents(Infinity, signal);
    for (let after: string | null = '0'; after !== null;)
      after = await this.takePieceApart(after, signal);
    await this.transactions.change(signal, (execute) =>
      execute(markEmptyProfiles(this.place.place)),
    );
  }

  async resolve(limit: number, signal: AbortSignal): Promise<ResolvedBatch> {
    checkLimit(limit);
    await this.moveEvents(MOST_PIECES, signal);
    this.until ??= await this.value(`SELECT ${microseconds('CURRENT_TIMESTAMP()')}`);
    const { place, rules } = this.place;
    const until = this.until;
    const batch = await this.transactions.change(
      signal,
      (execute) => resolveBatch(new Batch(execute, place, rules), limit, until),
      (session) => this.stages.provide(session),
    );
    if (batch.isLast) this.until = undefined;
    return batch;
  }

  async sharedValues(): Promise<readonly SharedValue[]> {
    const { place, rules } = this.place;
    const paths = rules.identifiers.map(
      ({ path }, index) => [kindOfIdentifier(index), path] as const,
    );
    // Without identifiers there are no such values; whether the writer may read is checked nevertheless.
    if (paths.length === 0) return this.pending().then(() => []);
    const named = new Map<string | null | undefined, string>(paths);
    const rows = await this.transactions.read(selectShared(place, rules));
    return rows.map(([kind, value, identities]) => ({
      identifier: named.get(kind) ?? '',
      value: value ?? '',
      identities: Number(identities),
    }));
  }

  async facts(limit: number): Promise<readonly RecordedProfileFact[]> {
    const rows = await this.transactions.read(selectFacts(this.place.place, limit));
    return rows.map(recordedFact);
  }

  async forgetFacts(upTo: string): Promise<void> {
    if (!NUMBER.test(upTo)) throw new RangeError(`number ${upTo}`);
    const { place } = this.place;
    await this.transactions.change(undefined, async (execute) => {
      await execute(keepFacts(place, upTo));
      await execute(dropFacts(place, upTo));
    });
  }

  /** @returns the last identity of the piece; null: there is no more */
  private takePieceApart(after: string, signal?: AbortSignal): Promise<string | null> {
    const { place } = this.place;
    return this.transactions.change(signal, async (execute) => {
      const [row] = await execute(selectLast(place), [after]);
      const last = row?.[0] ?? null;
      if (last !== null)
        for (const statement of takeApartPiece(place)) await execute(statement, [after, last]);
      return last;
    });
  }

  /** Gives events the profiles that earlier batches have given their identities. */
  private async moveEvents(mostPieces: number, signal?: AbortSignal): Promise<void> {
    for (let pieces = 0; pieces < mostPieces; pieces += 1) {
      if ((await this.value(selectMoving(this.place.place))) === '0') return;
      await this.transactions.change(signal, (execute) => movePiece(execute, this.place.place));
    }
  }

  /** The only value that a statement gives. */
  private async value(statement: string): Promise<string> {
    const [row] = await this.transactions.read(statement);
    return String(row?.[0]);
  }
}
