import { type Client, escapeLiteral } from 'pg';
import {
  MAX_RESOLVED,
  type RecordedProfileFact,
  type ResolvedBatch,
  type Resolver,
  type SharedValue,
} from '../../platform/resolver';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import { checkLimit } from '../../resolving/check-limit';
import { qualified } from '../sql/names';
import type { Sessions } from '../sessions/sessions';
import type { Guarded } from '../layout/guard';
import { Batch, waySettings } from './batch';
import { aloneResolving } from './beside-resolution';
import { keepFacts, selectFacts } from './facts';
import { indexChanges, unlessRead } from './index-identifiers';
import { movePiece, PIECE } from './move-events';
import { resolveBatch } from './resolve-batch';
import { ResolvingTransactions } from './resolving-transactions';
import type { Rules } from './rules';
import { selectShared } from './shared-values';
import { stagesOf } from './stage-tables';
import { markEmptyProfiles, takeApartPiece } from './take-apart';
import { unlocked } from './unlocked';

/** Pieces of events that are moved before a batch: as many identities as a batch may have. */
const MOST_PIECES = MAX_RESOLVED / PIECE.identities;

/** What a resolver needs of the warehouse. */
export interface ResolvingPlace extends Guarded {
  readonly rules: Rules;
  /** Seconds by which the server's clock is ahead of this one. */
  readonly aheadSeconds: number;
}

/** Resolves the identities of one workspace under one epoch. */
export class PostgresqlResolver implements Resolver {
  private readonly transactions: ResolvingTransactions;
  private isIndexed = false;
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
    const [row] = await this.transactions.read<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM ${this.table('_dirty')}`,
    );
    return row?.count ?? 0;
  }

  async takeApart(signal?: AbortSignal): Promise<void> {
    // Of identities without keys nobody would find the profile for what is to be moved.
    await this.moveEvents(Infinity, signal);
    for (let after: string | null = '0'; after !== null;) {
      const piece: readonly string[] = [
        aloneResolving(this.place.schema),
        ...waySettings('looksUp'),
        takeApartPiece(this.place.schema, after),
      ];
      const [row] = await unlocked(
        () => this.transactions.changeBy<{ last: string | null }>(signal, piece),
        signal,
      );
      after = row?.last ?? null;
    }
    // Beside writers: they give no identity a profile.
    const mark = [...waySettings('joins'), markEmptyProfiles(this.place.schema)];
    await unlocked(() => this.transactions.changeBy(signal, mark), signal);
  }

  async resolve(limit: number, signal: AbortSignal): Promise<ResolvedBatch> {
    checkLimit(limit);
    await this.moveEvents(MOST_PIECES, signal);
    this.until ??= await this.now();
    const { until } = this;
    const batch = await unlocked(() => this.resolveBatch(limit, until, signal), signal);
    if (batch.isLast) {
      this.until = undefined;
      // Profiles are sooner written before there are indexes than with them.
      await this.index(signal);
    }
    return batch;
  }

  async sharedValues(): Promise<readonly SharedValue[]> {
    return this.transactions.read<SharedValue>(selectShared(this.place.schema, this.place.rules));
  }

  async facts(limit: number): Promise<readonly RecordedProfileFact[]> {
    return this.transactions.read<RecordedProfileFact>(selectFacts(this.place.schema, limit));
  }

  async forgetFacts(upTo: string): Promise<void> {
    await this.transactions.changeBy(undefined, [
      keepFacts(this.place.schema, `${escapeLiteral(upTo)}::bigint`),
    ]);
  }

  /** By the server's clock. */
  private async now(): Promise<string> {
    const [row] = await this.transactions.read<{ now: string }>(
      'SELECT clock_timestamp()::text AS now',
    );
    return row?.now ?? 'infinity';
  }

  private table(name: string): string {
    return qualified(this.place.schema, name);
  }

  /** Gives events the profiles that earlier batches have given their identities. */
  private async moveEvents(mostPieces: number, signal?: AbortSignal): Promise<void> {
    const move = [...waySettings('looksUp'), movePiece(this.place.schema, PIECE)];
    for (let pieces = 0; pieces < mostPieces; pieces += 1) {
      const [row] = await unlocked(
        () => this.transactions.changeBy<{ isLast: boolean }>(signal, move),
        signal,
      );
      if (row?.isLast !== false) return;
    }
  }

  /**
   * Once: the identifiers stay as long as this does. What was resolved stays without it, so another resolution tries again
   * where somebody reads for long, or the warehouse is away.
   */
  private async index(signal: AbortSignal): Promise<void> {
    if (this.isIndexed) return;
    this.isIndexed = true;
    try {
      await this.provideIndexes(signal);
    } catch (error) {
      if (!(error instanceof WarehouseFault) && !signal.aborted) throw error;
    }
  }

  private async provideIndexes(signal: AbortSignal): Promise<void> {
    const { schema, rules } = this.place;
    const { create, drop } = await this.transactions.change(signal, [], (client) =>
      indexChanges(client, schema, rules.identifiers),
    );
    // Apart, since nobody reads while one is being dropped.
    for (const statements of [create, drop])
      if (statements.length > 0) await this.transactions.changeBy(signal, unlessRead(statements));
  }

  private resolveBatch(limit: number, until: string, signal: AbortSignal): Promise<ResolvedBatch> {
    const { schema, rules, aheadSeconds } = this.place;
    const work = async (client: Client): Promise<ResolvedBatch> => {
      const stages = await stagesOf(client, schema, Date.now() / 1_000 + aheadSeconds);
      return resolveBatch(new Batch(client, schema, rules, signal, stages), limit, until);
    };
    return this.transactions.change(signal, [aloneResolving(schema)], work);
  }
}
