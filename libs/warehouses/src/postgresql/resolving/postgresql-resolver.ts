import { type Client, escapeLiteral } from 'pg';
import {
  MAX_RESOLVED,
  type RecordedProfileFact,
  type ResolvedBatch,
  type Resolver,
  type SharedValue,
} from '../../platform/resolver';
import type { Writer } from '../../platform/warehouse-writer';
import { qualified } from '../sql/names';
import type { Sessions } from '../sessions/sessions';
import type { Guarded } from '../layout/guard';
import { Batch, waySettings } from './batch';
import { aloneResolving } from './beside-resolution';
import { keepFacts, selectFacts } from './facts';
import { movePiece, PIECE } from './move-events';
import { resolveBatch } from './resolve-batch';
import { ResolvingTransactions } from './resolving-transactions';
import type { Rules } from './rules';
import { selectShared } from './shared-values';
import { stagesOf } from './stage-tables';
import { takeApartPiece } from './take-apart';
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
  }

  async resolve(limit: number, signal: AbortSignal): Promise<ResolvedBatch> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESOLVED)
      throw new RangeError(`limit ${limit}`);
    await this.moveEvents(MOST_PIECES, signal);
    return unlocked(() => this.resolveBatch(limit, signal), signal);
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

  private resolveBatch(limit: number, signal: AbortSignal): Promise<ResolvedBatch> {
    const { schema, rules, aheadSeconds } = this.place;
    const work = async (client: Client): Promise<ResolvedBatch> => {
      const stages = await stagesOf(client, schema, Date.now() / 1_000 + aheadSeconds);
      return resolveBatch(new Batch(client, schema, rules, signal, stages), limit);
    };
    return this.transactions.change(signal, [aloneResolving(schema)], work);
  }
}
